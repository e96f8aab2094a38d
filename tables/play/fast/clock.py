"""The clock of the database on the fast way: in between two readings it is taken from this process's clocks.

Each look of the monitor reads it; a process without sockets reads it once a second while it makes moves.
"""

import time
from typing import NamedTuple

from tables.play import store

#: Seconds after which the clock of the database is read again.
EVERY = 1.0
#: Seconds by which the two clocks of this process may drift apart meanwhile; more means that the machine has slept.
DRIFT = 0.05
#: Milliseconds before a deadline in which no move takes the fast way: more than the clock here can be wrong.
NEAR_MS = 100


class _Reading(NamedTuple):
    """What three clocks showed at one moment: that of the database in ms, and two of this process in seconds."""

    now_ms: int
    steady: float
    wall: float


_last = _Reading(0, float("-inf"), 0.0)


def estimated_now_ms() -> int:
    """Return the time by the clock of the database, as `store.now_ms` does, within NEAR_MS of it; read it if needed."""
    global _last
    known = known_now_ms()
    if known is None:
        _last = _Reading(store.now_ms(), time.monotonic(), time.time())
        return _last.now_ms
    return known


def known_now_ms() -> int | None:
    """Return the same without reading anything; None where the clock of the database must be read."""
    passed = time.monotonic() - _last.steady
    if passed >= EVERY or abs(time.time() - _last.wall - passed) > DRIFT:
        return None
    return _last.now_ms + int(passed * 1000)


def note_reading(now_ms: int, took: float) -> None:
    """Note the database's clock, in ms, as an answer showed it that `took` seconds; a slow one is left out."""
    global _last
    if took < NEAR_MS / 2000:
        _last = _Reading(now_ms, time.monotonic(), time.time())
