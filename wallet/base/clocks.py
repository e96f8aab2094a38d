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
class SetBack:
    """One case: a clock showed `ahead`, and `back` a moment later."""

    ahead: datetime
    back: datetime


Teller = Callable[[], Iterable[SetBack]]

_tellers: list[Teller] = []


def register(teller: Teller) -> Teller:
    """Register a source of known cases, in an app's `ready`; also usable as a decorator."""
    if teller not in _tellers:
        _tellers.append(teller)
    return teller


def explains(first: datetime, second: datetime) -> bool:
    """Return whether a row dated `first` may precede one dated earlier, `second`, because a clock was set back.

    This excuses only the date, and dates are sealed with the transfers like everything else.
    """
    set_backs = (each for teller in _tellers for each in teller())
    return any(first <= each.ahead + SLACK and second >= each.back - SLACK for each in set_backs)


def moment(ms: int) -> datetime:
    """Return the ms since 1970 UTC as a datetime."""
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=ms)


def in_order(*moments: datetime | None) -> bool:
    """Return whether the known moments follow each other, except where a clock was set back."""
    passed = [moment for moment in moments if moment is not None]
    return all(one <= other or explains(one, other) for one, other in pairwise(passed))
