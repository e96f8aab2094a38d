"""Visitors, players and programs at the lobby; no channel layer and no timers unless a test asks for them."""

from collections.abc import Callable

import pytest
from django.test import Client

from lobby.models import Player
from tests.support.players import signed_up
from tests.support.program import Program


@pytest.fixture(autouse=True)
def no_timers(nudges: object) -> None:
    """Collect the nudges."""


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
