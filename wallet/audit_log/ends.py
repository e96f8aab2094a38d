"""How far the audit trail reached at a moment, and its end now: neither fits any more once the end is cut off.

A head and an audit hold a digest of the trail up to an hour before. Its very end is named every few seconds, in a row
and in the memory of the process that writes it: whoever cuts it off and puts the row back is caught by the process.
"""

import hashlib
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import state_facts, statements_of
from wallet.keys import signing

#: A row this old is settled: a transaction with a smaller id has been committed by then, or never will be.
SETTLED_AFTER = timedelta(hours=1)


class TrailReach(NamedTuple):
    """The entries up to and including the id `last`: their number, and the SHA-256 of their ids and hashes."""

    entries: int
    last: int
    digest: str

    def __str__(self) -> str:
        return f"{self.entries} entries of the trail up to {self.last} with the digest {self.digest[:16]}"


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


#: The statements that an end of the trail is gone.
CUT = "trail.cut"
#: The end that this process has named last.
_named = ""


def name_end(former: str) -> str:
    """Return the present end of the trail, signed, for a row that names it again and again; empty without entries.

    `former` is what the row names now. Where that, or what this process named last, is gone, the trail itself says so
    from now on: see `ends_cut_off`.
    """
    global _named
    for named in {former, _named} - {""}:
        if end_fault(named):
            state_facts(CUT, CUT, {"named": named})
    last = AuditEntry.objects.order_by("-pk").values_list("pk", "hash").first()
    end = f"{last[0]} {last[1]}" if last is not None else ""
    _named = f"{end} {signing.sign(signing.TRAIL, end)}" if end else ""
    return _named


def end_fault(named: str) -> tuple[bool, str, str] | None:
    """Return whether an end as `name_end` gives it out is signed, what was expected, and what was found of it.

    None where the trail still holds that entry.
    """
    end, _, signature = named.rpartition(" ")
    pk, _, mark = end.partition(" ")
    if not signing.is_signed(signing.TRAIL, end, signature):
        return False, "an entry signed by this platform", repr(named[:32])
    found = AuditEntry.objects.filter(pk=int(pk)).values_list("hash", flat=True).first()
    if found == mark:
        return None
    return True, f"entry {pk} with the link {mark[:16]}, with which it ended", f"{found[:16] if found else 'none'}"


def ends_cut_off() -> list[tuple[bool, str, str] | None]:
    """Return what the trail tells of ends that were gone when they were to be named anew, as `end_fault`."""
    return [end_fault((after or {}).get("named", "")) for after in statements_of(CUT).values_list("after", flat=True)]
