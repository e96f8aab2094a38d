"""Retention times of play data, from the environment. config/settings/base.py explains each setting."""

from collections.abc import Callable, Iterator
from functools import partial

from config import env
from config.settings import base

#: The least value of each: an answer must outlive a client that tries again, a log a dispute.
LEAST = {
    "RUMMY_ANSWERS_KEPT_HOURS": 1,
    "RUMMY_EVENTS_KEPT_HOURS": 0,
    "RUMMY_SNAPSHOTS_KEPT_DAYS": 1,
    "RUMMY_PACKED_EVENTS_KEPT_DAYS": 90,
    "RUMMY_GUESTS_KEPT_DAYS": 1,
}
#: The largest value of each: a hundred years in hours.
_MOST = 876_600


def answers_kept_hours() -> int:
    """Read RUMMY_ANSWERS_KEPT_HOURS. ValueError where it is no such number."""
    return _number("RUMMY_ANSWERS_KEPT_HOURS", base.ANSWERS_KEPT_HOURS)


def events_kept_hours() -> int:
    """Read RUMMY_EVENTS_KEPT_HOURS. ValueError where it is no such number."""
    return _number("RUMMY_EVENTS_KEPT_HOURS", base.EVENTS_KEPT_HOURS)


def snapshots_kept_days() -> int:
    """Read RUMMY_SNAPSHOTS_KEPT_DAYS. ValueError where it is no such number."""
    return _number("RUMMY_SNAPSHOTS_KEPT_DAYS", base.SNAPSHOTS_KEPT_DAYS)


def packed_events_kept_days() -> int:
    """Read RUMMY_PACKED_EVENTS_KEPT_DAYS. ValueError where it is no such number."""
    return _number("RUMMY_PACKED_EVENTS_KEPT_DAYS", base.PACKED_EVENTS_KEPT_DAYS)


def guests_kept_days() -> int:
    """Read RUMMY_GUESTS_KEPT_DAYS. ValueError where it is no such number."""
    return _number("RUMMY_GUESTS_KEPT_DAYS", base.GUESTS_KEPT_DAYS)


def readings() -> Iterator[Callable[[], int]]:
    """Yield the reader of each setting, for a check of all of them."""
    yield from (partial(_number, name, least) for name, least in LEAST.items())


def _number(name: str, usual: int) -> int:
    number = env.integer(name, usual)
    if not LEAST[name] <= number <= _MOST:
        raise ValueError(f"{name} must be a whole number from {LEAST[name]} to {_MOST}, not {number}")
    return number
