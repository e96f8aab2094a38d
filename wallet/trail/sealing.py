"""The seal that each entry of the trail bears: nobody with mere access to the database can make one up."""

import json
from typing import Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.utils.crypto import constant_time_compare, salted_hmac

FIELDS = (
    "follows", "at", "user_id", "name", "address", "what", "kind", "object_id", "shown", "reason", "before", "after",
)  # fmt: skip


def seal(record: Any, secret: str | None = None) -> str:
    """The seal due to the entry, in hex: over everything in it but its id, and over the seal that it follows."""
    content = {field: getattr(record, field) for field in FIELDS}
    content["at"] = record.at.timestamp()
    text = json.dumps(content, cls=DjangoJSONEncoder, sort_keys=True, separators=(",", ":"))
    return salted_hmac("trail.record", text, secret=secret, algorithm="sha256").hexdigest()


def is_sealed(record: Any) -> bool:
    """Whether the entry bears the seal due to it, made with the present secret or a former one."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(record.seal, seal(record, str(secret))) for secret in secrets)
