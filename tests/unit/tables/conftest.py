"""A table in the database, its players, and a clock that only the test moves."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from rules.game.state import Terms
from tables.models import Table
from tables.play import presence, protocol, store
from tables.play import services as play
from wallet.play_money.services import open_wallet

START = 1_800_000_000_000


@dataclass
class Clock:
    """The clock of the database, in ms."""

    now: int = START

    def wait(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(store, "now_ms", lambda: clock.now)
    return clock


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """What was handed to the channel layer, instead of the layer."""
    messages: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr("tables.play.broadcast.send", lambda group, message: messages.append((group, dict(message))))
    return messages


@pytest.fixture(autouse=True)
def nudges(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, float]]:
    """The nudges that Celery would have got: table and delay in seconds."""
    scheduled: list[tuple[int, float]] = []
    monkeypatch.setattr("tables.play.clocks._nudge", lambda table_id, delay: scheduled.append((table_id, delay)))
    return scheduled


@pytest.fixture
def player() -> Callable[[str], Any]:
    def make(name: str) -> Any:
        user = get_user_model().objects.create_user(username=name, password="a long enough one")
        open_wallet(user)
        return user

    return make


def terms(**changes: Any) -> Terms:
    usual = {"book": "standard-points", "book_version": 1, "seats": 2, "point_value": 1, "minimum": 80}
    return Terms(**{**usual, "fee_percent": 10, **changes})


@pytest.fixture
def table() -> Callable[..., Table]:
    def make(**changes: Any) -> Table:
        return play.open_table(terms=terms(**changes), title="Test table", currency="FUN")

    return make


@dataclass
class Client:
    """One player at one table, as their socket would act."""

    table: int
    user: Any
    connection: str

    def send(self, frame_type: str, **fields: Any) -> dict[str, Any]:
        frame = protocol.parse(json.dumps({"type": frame_type, **fields}))
        return play.play(table_id=self.table, user_id=self.user.pk, connection=self.connection, frame=frame)

    def view(self) -> dict[str, Any]:
        frame = presence.current_frame(table_id=self.table, user_id=self.user.pk)
        return dict(json.loads(frame)["view"])

    @property
    def me(self) -> dict[str, Any]:
        return dict(self.view()["me"])


@pytest.fixture
def client_of() -> Callable[[Table, Any], Client]:
    def join(table: Table, user: Any) -> Client:
        presence.connect(table_id=table.pk, user_id=user.pk, connection=f"c{user.pk}")
        return Client(table.pk, user, f"c{user.pk}")

    return join


@pytest.fixture
def duel(
    clock: Clock, player: Callable[[str], Any], table: Callable[..., Table], client_of: Callable[[Table, Any], Client]
) -> Iterator[tuple[Client, Client]]:
    """Two players at a running deal of points rummy; the first in the tuple is to move."""
    place = table()
    clients = []
    for name in ("asha", "ravi"):
        user = player(name)
        play.sit(table_id=place.pk, user=user, amount=800)
        clients.append(client_of(place, user))
    clock.wait(10)
    play.tick(table_id=place.pk)
    first = clients[0].view()["deal"]["turn_seat"]
    yield clients[first], clients[1 - first]
