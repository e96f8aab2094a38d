"""Time and seatings that a user has played. The wallet knows no tables, so the app that does registers here."""

from collections.abc import Callable
from datetime import datetime

#: Return the seconds that the user of that id has played between the two moments.
Measure = Callable[[int, datetime, datetime], int]
#: Return the seatings that the user of that id has had since that moment, in part at least.
Seatings = Callable[[int, datetime], list[int]]

_measures: list[Measure] = []
_seatings: list[Seatings] = []


def register(measure: Measure) -> Measure:
    """Count the seconds of `measure` for time limits and reminders. Also usable as a decorator."""
    if measure not in _measures:
        _measures.append(measure)
    return measure


def seconds(user_id: int, since: datetime, until: datetime) -> int:
    """Return how long the user has played between the two moments, in seconds."""
    return sum(measure(user_id, since, until) for measure in _measures)


def register_seatings(find: Seatings) -> Seatings:
    """Count the stacks of the seatings that `find` returns for a day's result. Also usable as a decorator."""
    if find not in _seatings:
        _seatings.append(find)
    return find


def seatings(user_id: int, since: datetime) -> list[int]:
    """Return the seatings that the user has held at some time since then."""
    return [seating for find in _seatings for seating in find(user_id, since)]
