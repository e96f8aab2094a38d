"""The heads of days as they are given out of the house: what others have seen, not even the key can change.

One line a day: the day (UTC), how many transfers it had, the id of the last, the digest of the day and all before it;
then how many entries the audit trail had when the day was signed, the id of the last of them, and their digest.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any

from wallet.audit.books import Differences, Finding
from wallet.audit.links import REACH, SIGNED
from wallet.audit_log import ends
from wallet.audit_log.ends import TrailReach
from wallet.audit_log.models import AuditEntry
from wallet.base.errors import WalletError
from wallet.models import DayHead

#: The first line of what is given out.
TITLE = "# day transfers last_transfer digest trail_entries last_entry trail_digest"
#: A head that was signed longer than this after its day was over is a late one: nights were missed.
IN_TIME = timedelta(days=2)
_LINE = re.compile(r"(\d{4}-\d\d-\d\d) (\d{1,18}) (\d{1,18}) ([0-9a-f]{64})(?: (\d{1,18}) (\d{1,18}) ([0-9a-f]{64}))?")


@dataclass(frozen=True)
class GivenHead:
    """A head of a day, and how far the trail went then; None for a head of before that was written down."""

    day: date
    transfers: int
    last: int
    digest: str
    trail: TrailReach | None
    signed_at: datetime | None = None

    def __str__(self) -> str:
        trail = [self.trail.entries, self.trail.last, self.trail.digest] if self.trail else []
        return " ".join(map(str, [self.day, self.transfers, self.last, self.digest, *trail]))

    @cached_property
    def is_late(self) -> bool:
        """Whether it was signed days after its day was over."""
        over = datetime.combine(self.day + timedelta(days=1), time(), self.signed_at.tzinfo) if self.signed_at else None
        return over is not None and self.signed_at is not None and self.signed_at > over + IN_TIME


def given_heads(heads: Iterable[DayHead]) -> list[GivenHead]:
    """Return these heads as they are given out."""
    several = list(heads)
    entries = AuditEntry.objects.filter(
        kind=DayHead._meta.label_lower, what=SIGNED, object_id__in=[str(head.pk) for head in several]
    )
    reached: dict[str, Any] = {pk: (after or {}).get(REACH) for pk, after in entries.values_list("object_id", "after")}
    return [
        GivenHead(head.day, head.transfers, head.last, head.digest, _reach(reached.get(str(head.pk))), head.signed_at)
        for head in several
    ]


def head_lines() -> Iterator[str]:
    """Yield what is given out, the oldest day first."""
    yield TITLE
    yield from map(str, given_heads(DayHead.objects.order_by("day")))


def read_heads(text: str) -> list[GivenHead]:
    """Return the heads that somebody has kept; WalletError `bad_heads` with the number of a line that is none."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = _LINE.fullmatch(line.strip())
        day = _day(parts[1]) if parts else None
        if parts is None or day is None:
            raise WalletError("bad_heads", f"Line {number} is not a day's head as this platform gives them out.")
        trail = TrailReach(int(parts[5]), int(parts[6]), parts[7]) if parts[5] else None
        found.append(GivenHead(day, int(parts[2]), int(parts[3]), parts[4], trail))
    if not found:
        raise WalletError("bad_heads", "There is no day's head in it.")
    return found


def held_against(kept: list[GivenHead]) -> Differences:
    """Find days, and ends of the trail, that are not what was given out of them."""
    here = {head.day: head for head in DayHead.objects.all()}
    reached = ends.reaches({each.trail.last for each in kept if each.trail})
    for each in kept:
        head = here.get(each.day)
        if head is None:
            yield Finding("given head", f"{each.day}", "was given out, and bears no signature here")
        elif (head.transfers, head.last, head.digest) != (each.transfers, each.last, each.digest):
            message = f"was given out with {each.transfers} transfers up to {each.last}, and another digest than here"
            yield Finding("given head", f"{each.day}", message)
        if each.trail and reached[each.trail.last] != each.trail:
            message = (
                f"was given out with {each.trail.entries} entries of the trail up to {each.trail.last}: others now"
            )
            yield Finding("given head", f"{each.day}", message)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _reach(stored: Any) -> TrailReach | None:
    return TrailReach(*stored) if stored else None
