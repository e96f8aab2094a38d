"""The state of rows according to the audit trail, for the audit to compare with: each act records what it wrote.

Rows that are older than the recording of their acts are covered by an entry that an upgrade writes.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone

from wallet.audit_log.chain import entry_hash, is_sealed
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM

#: The name of an entry that records many rows as they were found, and its placeholder for their ids.
KNOWN = "state.known"
ALL_ROWS = "*"
#: How long after an upgrade processes of the previous release may still run.
GRACE = timedelta(days=1)
#: The most rows in one such entry.
_PART = 1_000

#: The recorded columns of rows, by their id.
RecordedRows = dict[str, dict[str, Any]]

_kinds: dict[str, Callable[[], RecordedRows]] = {}


def register_kind(kind: str, rows: Callable[[], RecordedRows]) -> None:
    """Register a kind of rows for `record_all_kinds`. Call it when the app is ready."""
    _kinds[kind] = rows


def record_all_kinds(*, recent_only: bool = False) -> None:
    """Record in the trail the current rows of every kind that the audit compares with it.

    With `recent_only`, only kinds for which the previous release, which may still run, records no acts.
    """
    for kind, rows in _kinds.items():
        if not recent_only or recorded_recently(kind):
            record_present_rows(kind, rows())


def recorded_recently(kind: str) -> bool:
    """Return whether an upgrade first recorded the kind within `GRACE`: a release without its acts may still run."""
    first = AuditEntry.objects.filter(kind=kind, what=KNOWN).order_by("pk").first()
    return first is not None and is_sealed(first) and timezone.now() < first.at + GRACE


def row_columns(row: models.Model) -> dict[str, Any]:
    """Return the row's columns but the primary key, as JSON; columns of JSON as their SHA-256."""
    content: dict[str, Any] = {}
    for field in row._meta.concrete_fields:
        if not field.primary_key:
            value = field.value_from_object(row)
            content[field.attname] = _digest(value) if isinstance(field, models.JSONField) else value
    return dict(json.loads(json.dumps(content, cls=DjangoJSONEncoder)))


def recorded_rows(
    kind: str, acts: Collection[str], ids: Collection[int] | None = None, upgrade_kind: str = ""
) -> RecordedRows:
    """Return the rows of that kind, app.model, as recorded by acts of those names; later acts override earlier ones.

    `upgrade_kind` is the kind under which upgrades recorded the rows, where it is another.
    """
    by_acts, upgrades = models.Q(kind=kind, what__in=acts), models.Q(kind=upgrade_kind or kind, what=KNOWN)
    entries = AuditEntry.objects.filter(by_acts | upgrades)
    if ids is not None:
        entries = entries.filter(object_id__in=[*map(str, ids), ALL_ROWS])
    rows: RecordedRows = {}
    for name, object_id, after in entries.order_by("pk").values_list("what", "object_id", "after").iterator():
        if name != KNOWN:
            rows.setdefault(object_id, {}).update(after or {})
        elif after is not None:
            rows = {**({} if after["part"] == 1 else rows), **after["rows"]}
    return rows


def record_present_rows(
    kind: str, rows: Mapping[str, Mapping[str, Any]], model: type[models.Model] = AuditEntry
) -> None:
    """Record in the trail the current rows of that kind, replacing whatever it recorded before.

    Upgrades pass their historical `model` of the trail's entries. Without rows, nothing is written unless the trail has
    entries of that kind.
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
