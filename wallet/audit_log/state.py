"""The state of rows according to the audit trail, for the audit to compare with: each act records what it wrote."""

import hashlib
import json
from collections.abc import Collection
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

from wallet.audit_log.models import AuditEntry

#: The recorded columns of rows, by their id.
RecordedRows = dict[str, dict[str, Any]]


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
