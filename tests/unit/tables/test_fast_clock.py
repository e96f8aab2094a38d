"""The clock of the fast way: read from the database once a second, and never trusted after the machine has slept."""

from dataclasses import dataclass

import pytest

from tables.play import store
from tables.play.fast import clock
from tests.support.clock import START


@dataclass
class OwnClocks:
    """The two clocks of this process, in seconds, as `time` has them; only the test moves them."""

    steady: float = 1_000.0
    wall: float = 9_000.0

    def monotonic(self) -> float:
        return self.steady

    def time(self) -> float:
        return self.wall

    def run(self, seconds: float) -> None:
        self.steady, self.wall = self.steady + seconds, self.wall + seconds


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> OwnClocks:
    own = OwnClocks()
    monkeypatch.setattr(clock, "time", own)
    monkeypatch.setattr(clock, "EVERY", 1.0)
    monkeypatch.setattr(clock, "_last", clock._Reading(0, float("-inf"), 0.0))
    return own


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let the database show each time 10 s more; collect what it has shown."""
    shown: list[int] = []

    def now_ms() -> int:
        shown.append(START + 10_000 * len(shown))
        return shown[-1]

    monkeypatch.setattr(store, "now_ms", now_ms)
    return shown


def test_the_clock_of_the_database_is_read_once_a_second(own: OwnClocks, read: list[int]) -> None:
    times = []
    for _ in range(5):
        times.append(clock.estimated_now_ms() - START)
        own.run(0.25)
    assert times == [0, 250, 500, 750, 10_000] and len(read) == 2


@pytest.mark.parametrize("jump", [3_600.0, -3_600.0, 0.2])
def test_after_the_machine_has_slept_or_its_clock_was_set_it_is_read_at_once(
    own: OwnClocks, read: list[int], jump: float
) -> None:
    clock.estimated_now_ms()
    own.wall += jump
    assert clock.estimated_now_ms() == START + 10_000


def test_what_a_look_has_read_is_taken_unless_its_answer_was_slow(own: OwnClocks, read: list[int]) -> None:
    clock.note_reading(START + 5_000, 0.01)
    own.run(0.5)
    clock.note_reading(START + 90_000, clock.NEAR_MS / 2000)
    assert clock.known_now_ms() == START + 5_500 and not read
