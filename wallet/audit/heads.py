"""Published heads of days: once others have a copy, a change of the books shows, even one made with the key.

One line a day: the day (UTC), the number of its transfers, the id of the last, the digest of the day and all before
it; then the number of entries in the audit trail when the day was signed, the id of the last, and their digest. A line
ends in `late` and the date of signing if the day was signed late, after nights that were missed.

The number of transfers tells others how much is played. To leave it out would hide nothing: transfers are numbered
without gaps, and the last one's number says what the digest covers, which a holder of an old copy must know.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any

from wallet.audit.links import REACH_KEY, SIGNED
from wallet.audit_log import ends
from wallet.audit_log.ends import TrailReach
from wallet.audit_log.models import AuditEntry
from wallet.base.errors import WalletError
from wallet.base.findings import ALTERED, MISSING, Differences, Finding
from wallet.models import DayHead

#: The first line of the published file.
TITLE = "# day transfers last_transfer digest trail_entries last_entry trail_digest [late signed_on]"
#: A head that was signed longer than this after its day was over is late: nights were missed.
IN_TIME = timedelta(days=2)
_LINE = re.compile(
    r"(\d{4}-\d\d-\d\d) (\d{1,18}) (\d{1,18}) ([0-9a-f]{64})(?: (\d{1,18}) (\d{1,18}) ([0-9a-f]{64}))?"
    r"(?: late \d{4}-\d\d-\d\d)?"
)


@dataclass(frozen=True)
class PublishedHead:
    """A published head of a day, and the reach of the trail then; None for heads from before that was recorded."""

    day: date
    transfers: int
    last: int
    digest: str
    trail: TrailReach | None
    signed_at: datetime | None = None

    def __str__(self) -> str:
        trail = [self.trail.entries, self.trail.last, self.trail.digest] if self.trail else []
        late = ["late", f"{self.signed_at:%Y-%m-%d}"] if self.is_late else []
        return " ".join(map(str, [self.day, self.transfers, self.last, self.digest, *trail, *late]))

    @cached_property
    def is_late(self) -> bool:
        """Whether it was signed later than `IN_TIME` after its day was over."""
        if self.signed_at is None:
            return False
        day_end = datetime.combine(self.day + timedelta(days=1), time(), self.signed_at.tzinfo)
        return self.signed_at > day_end + IN_TIME


def published_heads(heads: Iterable[DayHead]) -> list[PublishedHead]:
    """Return these heads as they are published."""
    rows = {str(head.pk): head for head in heads}
    entries = AuditEntry.objects.filter(target_type=DayHead._meta.label_lower, action=SIGNED, target_id__in=rows)
    acts = {pk: after or {} for pk, after in entries.values_list("target_id", "after")}
    return [
        PublishedHead(row.day, row.transfers, row.last_transfer, row.digest, _reach(acts.get(pk, {})), row.signed_at)
        for pk, row in rows.items()
    ]


def head_lines() -> Iterator[str]:
    """Yield the lines of the published file, the oldest day first."""
    yield TITLE
    yield from map(str, published_heads(DayHead.objects.order_by("day")))


def read_heads(text: str) -> list[PublishedHead]:
    """Return the heads in a copy; WalletError `bad_heads` with the number of a wrong line, or where there is none."""
    heads = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = _LINE.fullmatch(line.strip())
        day = _day(parts[1]) if parts else None
        if parts is None or day is None:
            raise WalletError("bad_heads", f"Line {number} is not a day's head as this platform gives them out.")
        trail = TrailReach(int(parts[5]), int(parts[6]), parts[7]) if parts[5] else None
        heads.append(PublishedHead(day, int(parts[2]), int(parts[3]), parts[4], trail))
    if not heads:
        raise WalletError("bad_heads", "There is no day's head in it.")
    return heads


def compare_heads(published: list[PublishedHead]) -> Differences:
    """Find days, and ends of the trail, that differ from the published heads."""
    signed = {head.day: head for head in DayHead.objects.all()}
    reaches = ends.reaches({copy.trail.last for copy in published if copy.trail})
    for copy in published:
        head = signed.get(copy.day)
        if head is None:
            yield Finding("given head", f"{copy.day}", MISSING, "the head that was given out", "none")
        elif (head.transfers, head.last_transfer, head.digest) != (copy.transfers, copy.last, copy.digest):
            given = f"{copy.transfers} transfers up to {copy.last} with the digest {copy.digest[:16]}, as given out"
            here = f"{head.transfers} up to {head.last_transfer} with {head.digest[:16]}"
            yield Finding("given head", f"{copy.day}", ALTERED, given, here)
        if copy.trail and (reach := reaches[copy.trail.last]) != copy.trail:
            yield Finding("given head", f"{copy.day}", ALTERED, f"{copy.trail}, as given out", f"{reach}")


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _reach(act: dict[str, Any]) -> TrailReach | None:
    return TrailReach(*act[REACH_KEY]) if REACH_KEY in act else None
