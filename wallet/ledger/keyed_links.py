"""The transfer after which the links of the chain are keyed: earlier ones were made by a release without a key.

A ledger that began with keyed links has no such point, and nothing in it may be linked without the key. Where there is
one, an upgrade has recorded it in the audit trail, whose entries cannot be forged.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from wallet.audit_log.chain import is_sealed
from wallet.audit_log.models import AuditEntry

#: The act that the upgrade recorded in the trail.
KEYED = "books.keyed"


@dataclass(frozen=True, slots=True)
class KeyedFrom:
    """The point: transfers up to `last` are linked without a key, with seals of `digest`; until `until` more may be."""

    last: int
    digest: str
    until: datetime

    def allows_plain(self, transfer: int, made_at: datetime) -> bool:
        """Return whether that transfer may be linked without the key."""
        return transfer <= self.last or made_at < self.until


def keyed_from() -> KeyedFrom | None:
    """Return the point after which links are keyed; None where all are."""
    entry = AuditEntry.objects.filter(what=KEYED).order_by("pk").first()
    if entry is None or entry.after is None or not is_sealed(entry):
        return None
    until = parse_datetime(entry.after["until"])
    assert until is not None
    return KeyedFrom(entry.after["last"], entry.after["digest"], until)


def upgraded_recently() -> bool:
    """Return whether the previous release, which does not record the acts that the audit compares, may still run."""
    point = keyed_from()
    return point is not None and timezone.now() < point.until


def digest_of(seals: Iterable[tuple[int, str]]) -> str:
    """Return the SHA-256 of those transfers' ids and seals, in hex."""
    digest = hashlib.sha256()
    for transfer, seal in seals:
        digest.update(f"{transfer} {seal}\n".encode())
    return digest.hexdigest()
