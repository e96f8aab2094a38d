"""Time and seatings that a user has played. The wallet knows no tables, so the app that does registers here."""

from collections.abc import Callable
from datetime import datetime

from wallet.base.registry import Registry

#: Return the seconds that the user of that id has played between the two moments, for time limits and reminders.
PlaytimeMeasure = Callable[[int, datetime, datetime], int]
#: Return the seatings that the user of that id has had since that moment, in part at least, for a day's result.
Seatings = Callable[[int, datetime], list[int]]

MEASURES, SEATINGS = Registry[PlaytimeMeasure](), Registry[Seatings]()


def seconds(user_id: int, since: datetime, until: datetime) -> int:
    """Return how long the user has played between the two moments, in seconds."""
    return sum(measure(user_id, since, until) for measure in MEASURES)


def seatings(user_id: int, since: datetime) -> list[int]:
    """Return the seatings that the user has held at some time since then."""
    return [seating for find in SEATINGS for seating in find(user_id, since)]
