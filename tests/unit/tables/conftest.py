"""A table in the database, its players, and a clock that only the test moves."""

from collections.abc import Callable
from typing import Any

import pytest

from tables.models import Table
from tables.play import services as play
from tables.play.broadcast import to_wire
from tables.play.opening import open_table
from tests.support.clock import Clock, replaced_clock
from tests.support.players import signed_up
from tests.support.tables import Client, connected, seated_at, terms


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return replaced_clock(monkeypatch)


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """Collect what goes to the channel layer."""
    messages: list[tuple[str, dict[str, Any]]] = []
    send = lambda group, message: messages.append((group, dict(to_wire(message))))  # noqa: E731
    monkeypatch.setattr("tables.play.broadcast.send", send)
    return messages


@pytest.fixture(autouse=True)
def nudges(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, float]]:
    """Collect the nudges for Celery: table and delay in seconds."""
    scheduled: list[tuple[int, float]] = []
    monkeypatch.setattr("tables.play.clocks._nudge", lambda table_id, delay: scheduled.append((table_id, delay)))
    return scheduled


@pytest.fixture
def player() -> Callable[[str], Any]:
    return signed_up


@pytest.fixture
def table() -> Callable[..., Table]:
    def make(**changes: Any) -> Table:
        return open_table(terms=terms(**changes), title="Test table", currency="FUN")

    return make


@pytest.fixture
def client_of() -> Callable[[Table, Any], Client]:
    return connected


@pytest.fixture
def duel(clock: Clock, table: Callable[..., Table]) -> tuple[Client, Client]:
    """Seat two players at a running deal of points rummy; the first in the tuple is to move."""
    return _in_a_deal(clock, table(), "asha", "ravi")


@pytest.fixture
def other_duel(clock: Clock, table: Callable[..., Table]) -> tuple[Client, Client]:
    """Seat two more players as in `duel`, at a table of their own."""
    return _in_a_deal(clock, table(), "meena", "kiran")


def _in_a_deal(clock: Clock, place: Table, *names: str) -> tuple[Client, Client]:
    clients = seated_at(place, *names, amount=800)
    clock.wait(10)
    play.tick(table_id=place.pk)
    first = clients[0].view()["deal"]["turn_seat"]
    return clients[first], clients[1 - first]
