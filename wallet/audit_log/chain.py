"""The hash of each entry of the audit trail, which cannot be forged with access to the database alone."""

import hashlib
import json
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from wallet.keys import signing

FIELDS = (
    "previous_hash", "at", "user_id", "actor_name", "address", "action", "target_type", "target_id", "target_label",
    "reason", "before", "after",
)  # fmt: skip


def entry_hash(record: Any) -> str:
    """Return the hash that the entry must have, in hex: over all `FIELDS`, among them the hash before it."""
    return signing.sign(signing.TRAIL, _content(record))


def is_sealed(record: Any) -> bool:
    """Return whether the hash of the entry is right, made with the present key or a former one."""
    return signing.is_signed(signing.TRAIL, _content(record), record.hash)


def content_mark(record: Any) -> str:
    """Return hex digits that are others wherever the entry says anything else."""
    return hashlib.sha256(_content(record).encode()).hexdigest()[:16]


def _content(record: Any) -> str:
    content = {field: getattr(record, field) for field in FIELDS}
    content["at"] = record.at.timestamp()
    return json.dumps(content, cls=DjangoJSONEncoder, sort_keys=True, separators=(",", ":"))
