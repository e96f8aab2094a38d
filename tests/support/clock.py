"""A clock that only the test moves."""

from dataclasses import dataclass

START = 1_800_000_000_000


@dataclass
class Clock:
    """The clock of the database, in ms."""

    now: int = START

    def wait(self, seconds: float) -> None:
        self.now += int(seconds * 1000)
