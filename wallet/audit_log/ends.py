"""How far the audit trail reached at a moment, as a digest that no longer matches once its end is cut off."""

import hashlib
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from wallet.audit_log.models import AuditEntry

#: A row this old is settled: a transaction with a smaller id has been committed by then, or never will be.
SETTLED_AFTER = timedelta(hours=1)


class TrailReach(NamedTuple):
    """The entries up to and including the id `last`: their number, and the SHA-256 of their ids and hashes."""

    entries: int
    last: int
    digest: str


def reach(now: datetime) -> TrailReach:
    """Return how far the trail reaches at that moment: up to the last settled entry."""
    settled = AuditEntry.objects.filter(at__lt=now - SETTLED_AFTER)
    last = settled.order_by("-pk").values_list("pk", flat=True).first() or 0
    return reaches([last])[last]


def reaches(ids: Collection[int]) -> dict[int, TrailReach]:
    """Return the reach of the trail up to each of those ids. Reads the trail once."""
    reaches_by_id: dict[int, TrailReach] = {}
    digest, count = hashlib.sha256(), 0
    waiting = sorted(set(ids), reverse=True)
    for pk, mark in AuditEntry.objects.order_by("pk").values_list("pk", "hash").iterator():
        while waiting and waiting[-1] < pk:
            last = waiting.pop()
            reaches_by_id[last] = TrailReach(count, last, digest.hexdigest())
        if not waiting:
            break
        digest.update(f"{pk} {mark}\n".encode())
        count += 1
    return reaches_by_id | {last: TrailReach(count, last, digest.hexdigest()) for last in waiting}
