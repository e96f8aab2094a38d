"""What the audit trail tells of rows, so that they can be held against it: who changed one, wrote what it was then.

Rows of before their acts were written down are known by an entry of their own, which an upgrade makes.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone

from wallet.audit_log.chain import entry_hash
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM

#: What an entry is called that tells of many rows as they were found, and what stands for their ids there.
KNOWN = "state.known"
ALL_ROWS = "*"
#: So many rows are told of by one entry.
_PART = 1_000

Told = dict[str, dict[str, Any]]
"""What is told of each row, by its id."""

_kept: dict[str, Callable[[], Told]] = {}


def let_be_known(kind: str, rows: Callable[[], Told]) -> None:
    """Let `write_all_known` tell of the rows of that kind too. For an app that is ready."""
    _kept[kind] = rows


def write_all_known() -> None:
    """Write into the trail what there is now of every kind that the audit holds against it."""
    for kind, rows in _kept.items():
        write_known(kind, rows())


def stated(row: models.Model) -> dict[str, Any]:
    """Return the row's columns as JSON; of one that holds JSON itself, the SHA-256."""
    content: dict[str, Any] = {}
    for field in row._meta.concrete_fields:
        if not field.primary_key:
            value = field.value_from_object(row)
            content[field.attname] = _digest(value) if isinstance(field, models.JSONField) else value
    return dict(json.loads(json.dumps(content, cls=DjangoJSONEncoder)))


def told(kind: str, what: Collection[str], ids: Collection[int] | None = None) -> Told:
    """Return what the trail tells of the rows of that kind, app.model, by acts of those names; the later act counts."""
    entries = AuditEntry.objects.filter(kind=kind, what__in=[*what, KNOWN])
    if ids is not None:
        entries = entries.filter(object_id__in=[*map(str, ids), ALL_ROWS])
    found: Told = {}
    for name, object_id, after in entries.order_by("pk").values_list("what", "object_id", "after").iterator():
        if name != KNOWN:
            found.setdefault(object_id, {}).update(after or {})
        elif after is not None:
            found = {**({} if after["part"] == 1 else found), **after["rows"]}
    return found


def write_known(kind: str, rows: Mapping[str, Mapping[str, Any]], model: type[models.Model] = AuditEntry) -> None:
    """Write into the trail what the rows of that kind are now, whatever was told of them before.

    For upgrades, which give their own `model` of the trail's entries. Nothing is written of no rows, of which nothing
    was told.
    """
    entries = model._default_manager
    if not rows and not entries.filter(kind=kind).exists():
        return
    all_rows = list(rows.items())
    for part, begin in enumerate(range(0, max(len(all_rows), 1), _PART), start=1):
        latest = entries.order_by("-pk").values_list("seal", flat=True).first()
        entry: Any = model(
            at=timezone.now(),
            name=PLATFORM.name,
            what=KNOWN,
            kind=kind,
            object_id=ALL_ROWS,
            shown=f"{len(rows)} rows, part {part}",
            reason="Found so at an upgrade, which wrote down what had not been written before.",
            after={"part": part, "rows": dict(all_rows[begin : begin + _PART])},
            follows=latest or "",
        )
        entry.seal = entry_hash(entry)
        entry.save(force_insert=True)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, cls=DjangoJSONEncoder, sort_keys=True).encode()).hexdigest()
