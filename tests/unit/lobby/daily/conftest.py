"""A morning on which the clocks stand still, and shoes that are the same in every run."""

from collections.abc import Iterator
from hashlib import shake_256
from itertools import count
from types import SimpleNamespace

import pytest
import time_machine

from lobby.daily import services
from tables import daily
from tables.play import store
from tests.support.clock import WholeClock
from tests.support.fixed_shoes import MORNING


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[WholeClock]:
    """Let the clocks of the database and of the machine stand still on a morning."""
    with time_machine.travel(MORNING, tick=False) as traveller:
        clock = WholeClock(traveller)
        monkeypatch.setattr(store, "now_ms", lambda: clock.now)
        yield clock


@pytest.fixture(autouse=True)
def one_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one computer player sit at each table instead of three: a deal of two is sooner over."""
    monkeypatch.setattr(daily, "SEATS", 2)


@pytest.fixture
def three_computers(one_computer: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let three of them play on, as on the platform, when the player has dropped."""
    monkeypatch.setattr(daily, "SEATS", 4)


@pytest.fixture(autouse=True)
def seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every run of these tests the same shoes: their cards follow from the seed, and in a match from its code."""
    numbers, codes = count(), count()
    fixed = lambda size: shake_256(f"{next(numbers)}".encode()).digest(size)  # noqa: E731
    # Not in `secrets` itself: who else draws bytes meanwhile must not take the number of a shoe.
    monkeypatch.setattr(daily, "secrets", SimpleNamespace(token_bytes=fixed))
    monkeypatch.setattr(services, "random_code", lambda length: f"{next(codes):0{length}}")
