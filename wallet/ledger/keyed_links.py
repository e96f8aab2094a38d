"""From which transfer on the links of the chain are keyed: those before it were made by software that had no key.

A ledger that began with keyed links has no such point, and nothing in it may be linked without the key. Where there is
one, an upgrade has written it into the audit trail, whose entries nobody can make up.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from wallet.audit_log.chain import is_sealed
from wallet.audit_log.models import AuditEntry

#: What the upgrade wrote into the trail.
KEYED = "books.keyed"
#: For so long after it, processes of the software of before may still have played on.
GRACE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class KeyedFrom:
    """The transfers up to `last` are linked without a key, with seals of that digest; until `until` others may be."""

    last: int
    digest: str
    until: datetime

    @property
    def is_recent(self) -> bool:
        """Whether software of before, which writes no acts of what the audit holds against them, may still run."""
        return timezone.now() < self.until

    def allows_plain(self, transfer: int, made_at: datetime) -> bool:
        """Return whether that transfer may be linked without the key."""
        return transfer <= self.last or made_at < self.until


def keyed_from() -> KeyedFrom | None:
    """Return from where on links are keyed; None where all are."""
    entry = AuditEntry.objects.filter(what=KEYED).order_by("pk").first()
    if entry is None or entry.after is None or not is_sealed(entry):
        return None
    until = parse_datetime(entry.after["until"])
    assert until is not None
    return KeyedFrom(entry.after["last"], entry.after["digest"], until)


def digest_of(seals: Iterable[tuple[int, str]]) -> str:
    """Return the SHA-256 of those transfers' ids and seals, in hex."""
    whole = hashlib.sha256()
    for transfer, seal in seals:
        whole.update(f"{transfer} {seal}\n".encode())
    return whole.hexdigest()
