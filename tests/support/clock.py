"""A clock that only the test moves."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

START = 1_800_000_000_000


@dataclass
class Clock:
    """The clock of the database, in ms."""

    now: int = START

    def wait(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


def after_settling() -> datetime:
    """Return the present moment; in the first hour of a day, before the last day is settled, two hours ago."""
    now = timezone.now()
    return now - timedelta(hours=2) if now.hour < 1 else now
