"""Writing the audit trail, and reading the state of rows according to it, for the audit to compare with.

Each act records what it wrote. The trail depends on no other app: objects are passed as models, people as actors.
"""

import getpass
import hashlib
import ipaddress
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.throttling import BaseThrottle

from wallet.audit_log.models import AuditEntry
from wallet.keys import signing

#: The target type of entries that state facts which the audit compares with rows. They are no acts of anybody.
STATEMENT = "statement"
#: Fields whose content is secret: the trail records only whether they are set.
SECRET = {"password"}
#: The recorded columns of rows, by their id.
RecordedRows = dict[str, dict[str, Any]]
#: What the hash of an entry covers.
FIELDS = (
    "previous_hash", "at", "user_id", "actor_name", "address", "action", "target_type", "target_id", "target_label",
    "reason", "before", "after",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of an act: a signed-in user, or a command or the platform by name; `address` is their IP address."""

    name: str
    user: AbstractBaseUser | None = None
    address: str | None = None


PLATFORM = Actor("the platform")


def of_request(request: HttpRequest, user: AbstractBaseUser | None = None) -> Actor:
    """Return the actor of a request: its signed-in user, or `user` where it shows in another way who they are."""
    author = user or request.user
    assert isinstance(author, AbstractBaseUser)
    return Actor(author.get_username(), author, client_address(request))


def of_command(name: str) -> Actor:
    """Return the actor of a management command, with the account of the operating system that ran it."""
    try:
        runner = getpass.getuser()
    except (OSError, KeyError):
        runner = "unknown"
    return Actor(f"manage.py {name}, run by {runner}"[:80])


def client_address(request: HttpRequest) -> str | None:
    """Return the IP address of the client, None if malformed; forwarded ones count only behind NUM_PROXIES proxies.

    One of IPv4 reads the same where a process listens to both kinds.
    """
    address = (BaseThrottle().get_ident(request) or "").strip()  # type: ignore[arg-type]
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)


def record(
    actor: Actor,
    act: str,
    target: models.Model,
    *,
    reason: str = "",
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> AuditEntry:
    """Add an entry to the trail, in the transaction of the act itself: both are stored or neither is.

    Its hash follows that of the latest entry; two entries written at the same time may follow the same one.
    """
    return _add(
        user_id=actor.user.pk if actor.user else None,
        actor_name=actor.name[:80],
        address=actor.address,
        action=act[:60],
        target_type=target._meta.label_lower,
        target_id=str(target.pk),
        target_label=str(target)[:120],
        reason=reason[:500],
        before=_plain(before),
        after=_plain(after),
    )


def state_facts(action: str, name: str, facts: Mapping[str, Any]) -> AuditEntry:
    """Add a statement of facts to the trail; the latest of that name holds. Call it in the transaction of the facts."""
    return _add(
        actor_name=PLATFORM.name,
        action=action,
        target_type=STATEMENT,
        target_id=name,
        target_label=name,
        after=_plain(facts),
    )


def statements_of(name: str) -> "models.QuerySet[AuditEntry]":
    """Return the statements of that name, the first one first."""
    return AuditEntry.objects.filter(target_type=STATEMENT, target_id=name).order_by("pk")


def latest_statement(name: str) -> dict[str, Any]:
    """Return the facts of the latest statement of that name; empty where there is none."""
    return dict(statements_of(name).reverse().values_list("after", flat=True).first() or {})


def _add(**columns: Any) -> AuditEntry:
    latest = AuditEntry.objects.order_by("-id").values_list("hash", flat=True).first()
    entry = AuditEntry(at=timezone.now(), previous_hash=latest or "", **columns)
    entry.hash = entry_hash(entry)
    entry.save(force_insert=True)
    return entry


def snapshot(target: models.Model) -> dict[str, Any]:
    """Return the object's fields as JSON: many-to-many as lists of names, no binary fields, secrets as "(set)"."""
    content: dict[str, Any] = {}
    for field in target._meta.concrete_fields:
        if isinstance(field, models.BinaryField):
            continue
        value = field.value_from_object(target)
        content[field.attname] = "(set)" if field.name in SECRET and value else value
    for many in target._meta.many_to_many:
        content[many.name] = sorted(str(related) for related in getattr(target, many.name).all())
    return _plain(content) or {}


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields that differ, with their values before and after."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return {name: before.get(name) for name in names}, {name: after.get(name) for name in names}


def row_columns(row: models.Model) -> dict[str, Any]:
    """Return the row's columns but the primary key and those of bytes, as JSON; columns of JSON as their SHA-256."""
    content: dict[str, Any] = {}
    for field in row._meta.concrete_fields:
        if not field.primary_key and not isinstance(field, models.BinaryField):
            value = field.value_from_object(row)
            content[field.attname] = json_digest(value) if isinstance(field, models.JSONField) else value
    return dict(json.loads(json.dumps(content, cls=DjangoJSONEncoder)))


def row_mark(row: models.Model) -> str:
    """Return 16 hex digits made of the row's columns: a changed row has others."""
    return json_digest(row_columns(row))[:16]


def recorded_rows(kind: str, acts: Collection[str], ids: Collection[int] | None = None) -> RecordedRows:
    """Return the rows of that kind, app.model, as recorded by acts of those names; later acts override earlier ones."""
    entries = AuditEntry.objects.filter(target_type=kind, action__in=acts)
    if ids is not None:
        entries = entries.filter(target_id__in=map(str, ids))
    rows: RecordedRows = {}
    for target_id, after in entries.order_by("pk").values_list("target_id", "after").iterator():
        rows.setdefault(target_id, {}).update(after or {})
    return rows


def json_digest(value: Any) -> str:
    """Return the SHA-256 of the value as JSON, in hex."""
    return hashlib.sha256(json.dumps(value, cls=DjangoJSONEncoder, sort_keys=True).encode()).hexdigest()


def _plain(content: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if content is None:
        return None
    return dict(json.loads(json.dumps(dict(content), cls=DjangoJSONEncoder)))


def entry_hash(entry: Any) -> str:
    """Return the hash that the entry must have, in hex: over all `FIELDS`, among them the hash before it.

    It cannot be forged with access to the database alone.
    """
    return signing.sign(signing.TRAIL, _content(entry))


def has_right_hash(entry: Any) -> bool:
    """Return whether the hash of the entry is right, made with the present key or a former one."""
    return signing.is_signed(signing.TRAIL, _content(entry), entry.hash)


def content_mark(entry: Any) -> str:
    """Return 16 hex digits of the SHA-256 of all that the entry says."""
    return hashlib.sha256(_content(entry).encode()).hexdigest()[:16]


def _content(entry: Any) -> str:
    content = {field: getattr(entry, field) for field in FIELDS}
    content["at"] = entry.at.timestamp()
    return json.dumps(content, cls=DjangoJSONEncoder, sort_keys=True, separators=(",", ":"))
