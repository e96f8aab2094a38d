"""Moments by the clock of the database, and known cases in which it was set back.

Those explain rows dated before their predecessors.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

#: Rows dated just before a clock was set back may be this much later than its last known time.
SLACK = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class ClockRollback:
    """One case: a clock showed `ahead`, and `back` a moment later."""

    ahead: datetime
    back: datetime


ClockSource = Callable[[], Iterable[ClockRollback]]

#: What tells of known cases; other rooms append theirs.
SOURCES: list[ClockSource] = []


def excuses(first: datetime, second: datetime) -> bool:
    """Return whether a row dated `first` may precede one dated earlier, `second`, because a clock was set back.

    This excuses only the date, and dates are sealed with the transfers like everything else.
    """
    rollbacks = (case for source in SOURCES for case in source())
    return any(first <= case.ahead + SLACK and second >= case.back - SLACK for case in rollbacks)


def moment(ms: int) -> datetime:
    """Return the ms since 1970 UTC as a datetime."""
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=ms)


def in_order(*moments: datetime | None) -> bool:
    """Return whether the known moments follow each other, except where a clock was set back."""
    passed = [moment for moment in moments if moment is not None]
    return all(one <= other or excuses(one, other) for one, other in pairwise(passed))
