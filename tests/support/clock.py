"""A clock that only the test moves."""

import time
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
import time_machine

from tables.play import store
from tables.sockets import looks
from wallet.base.report_zone import midnight, today

#: When the run began, in ms.
START = int(time.time()) * 1000


def present() -> int:
    """Return the present in ms: rows are dated by the clock of the database, the rest asks the machine's."""
    return int(time.time()) * 1000


@dataclass
class Clock:
    """The clock of the database, in ms."""

    now: int = field(default_factory=present)

    def wait(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


class WholeClock(Clock):
    """The clock of the database and that of the machine, which stand still and are moved together."""

    def __init__(self, traveller: time_machine.Traveller) -> None:
        self._traveller = traveller

    @property
    def now(self) -> int:  # type: ignore[override]
        return int(time.time() * 1000)

    @now.setter
    def now(self, now: int) -> None:
        self._traveller.move_to(now / 1000)


def replaced_clock(monkeypatch: pytest.MonkeyPatch, clock: Clock | None = None) -> Clock:
    """Replace the clock of the database by one that only the test moves, and return it."""
    clock = clock or Clock()
    monkeypatch.setattr(store, "now_ms", lambda: clock.now)
    monkeypatch.setattr(looks, "clock_in_sql", lambda: str(clock.now))
    return clock


def from_noon() -> time_machine.travel:
    """Return a context in which it is noon in the report zone, and time goes on: at whatever hour, it has one day."""
    return time_machine.travel(midnight(today()) + timedelta(hours=12))
