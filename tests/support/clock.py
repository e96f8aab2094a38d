"""A clock that only the test moves."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from tables.play import store
from tables.sockets import looks

START = 1_800_000_000_000


@dataclass
class Clock:
    """The clock of the database, in ms."""

    now: int = START

    def wait(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


def replaced_clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Replace the clock of the database by one that only the test moves, and return it."""
    clock = Clock()
    monkeypatch.setattr(store, "now_ms", lambda: clock.now)
    monkeypatch.setattr(looks, "clock_in_sql", lambda: str(clock.now))
    return clock


def after_settling() -> datetime:
    """Return the present moment; in the first hour of a day, before the last day is settled, two hours ago."""
    now = timezone.now()
    return now - timedelta(hours=2) if now.hour < 1 else now
