"""Visitors, players and programs at the lobby; no channel layer and no timers unless a test asks for them."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from lobby.models import Player
from tables.play.broadcast import to_wire
from tests.support.clock import Clock, replaced_clock
from tests.support.players import signed_up
from tests.support.program import Program


@pytest.fixture(autouse=True)
def fresh_counts() -> None:
    cache.clear()


@pytest.fixture(autouse=True)
def nudges(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, float]]:
    scheduled: list[tuple[int, float]] = []
    monkeypatch.setattr("tables.play.clocks._nudge", lambda table_id, delay: scheduled.append((table_id, delay)))
    return scheduled


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """Collect what goes to the channel layer."""
    messages: list[tuple[str, dict[str, Any]]] = []
    send = lambda group, message: messages.append((group, dict(to_wire(message))))  # noqa: E731
    monkeypatch.setattr("tables.play.broadcast.send", send)
    return messages


@pytest.fixture
def asha(db: None) -> Player:
    return signed_up("asha")


@pytest.fixture
def ravi(db: None) -> Player:
    return signed_up("ravi")


@pytest.fixture
def program() -> Callable[..., Program]:
    return Program


@pytest.fixture
def browser(client: Client) -> Callable[[Player], Client]:
    """Return a browser in which the player is signed in."""

    def sign_in(player: Player) -> Client:
        client.force_login(player)
        return client

    return sign_in


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Replace the tables' database clock by one that only the test moves."""
    return replaced_clock(monkeypatch)
