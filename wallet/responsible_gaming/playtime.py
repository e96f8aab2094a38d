"""Time and seatings that a user has played. The wallet knows no tables, so the app that does registers here."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime

#: Return the seconds that each of the users, by id, has played between the two moments, for time limits and reminders;
#: who has not played may be missing.
PlaytimeMeasure = Callable[[Collection[int], datetime, datetime], Mapping[int, int]]
#: Return the seatings that the user of that id has had since that moment, in part at least, for a day's result.
Seatings = Callable[[int, datetime], list[int]]

MEASURES: list[PlaytimeMeasure] = []
SEATINGS: list[Seatings] = []


def seconds(user_id: int, since: datetime, until: datetime) -> int:
    """Return how long the user has played between the two moments, in seconds."""
    return seconds_of_each([user_id], since, until)[user_id]


def seconds_of_each(user_ids: Collection[int], since: datetime, until: datetime) -> dict[int, int]:
    """Return by id how long each of the users has played between the two moments, by as many queries as for one."""
    measured = [measure(user_ids, since, until) for measure in MEASURES]
    return {user_id: sum(played.get(user_id, 0) for played in measured) for user_id in user_ids}


def seatings(user_id: int, since: datetime) -> list[int]:
    """Return the seatings that the user has held at some time since then."""
    return [seating for find in SEATINGS for seating in find(user_id, since)]
