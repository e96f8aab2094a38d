"""Clocks that were set back, as others tell of them: rows dated before their predecessors are then nobody's doing."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

#: What was dated just before a clock was set back may be so much later than the last that is known of it.
SLACK = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class SetBack:
    """A clock showed `ahead`, and `back` a moment later."""

    ahead: datetime
    back: datetime


Teller = Callable[[], Iterable[SetBack]]

_tellers: list[Teller] = []


def register(teller: Teller) -> Teller:
    """Let what it tells explain dates that go back. For an app that is ready; also a decorator."""
    if teller not in _tellers:
        _tellers.append(teller)
    return teller


def explains(first: datetime, second: datetime) -> bool:
    """Return whether what is dated `first` may have come before what is dated earlier, `second`: a clock was set back
    between.

    Nothing but the date is excused by it: dates are sealed with the transfers as everything else is.
    """
    told = (each for teller in _tellers for each in teller())
    return any(first <= each.ahead + SLACK and second >= each.back - SLACK for each in told)


def in_order(*moments: datetime | None) -> bool:
    """Return whether each came after the one before it, as far as they are known and clocks can tell."""
    passed = [moment for moment in moments if moment is not None]
    return all(one <= other or explains(one, other) for one, other in pairwise(passed))
