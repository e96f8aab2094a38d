"""How far the audit trail went at a moment, as a digest: what was cut off its end later no longer makes that."""

import hashlib
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from wallet.audit_log.models import AuditEntry

#: An entry is settled when it is so old: whoever asked for a smaller id has written theirs by then, or never will.
SETTLED_AFTER = timedelta(hours=1)


class TrailReach(NamedTuple):
    """The entries up to and with the id `last`: how many they are, and the SHA-256 of their ids and seals."""

    entries: int
    last: int
    digest: str


def reach(now: datetime) -> TrailReach:
    """Return how far the trail goes at that moment, in settled entries."""
    settled = AuditEntry.objects.filter(at__lt=now - SETTLED_AFTER)
    last = settled.order_by("-pk").values_list("pk", flat=True).first() or 0
    return reaches([last])[last]


def reaches(lasts: Collection[int]) -> dict[int, TrailReach]:
    """Return how far the trail goes up to each of those ids. One reading of it."""
    found: dict[int, TrailReach] = {}
    whole, count = hashlib.sha256(), 0
    waiting = sorted(set(lasts), reverse=True)
    for pk, seal in AuditEntry.objects.order_by("pk").values_list("pk", "seal").iterator():
        while waiting and waiting[-1] < pk:
            last = waiting.pop()
            found[last] = TrailReach(count, last, whole.hexdigest())
        if not waiting:
            break
        whole.update(f"{pk} {seal}\n".encode())
        count += 1
    return found | {last: TrailReach(count, last, whole.hexdigest()) for last in waiting}
