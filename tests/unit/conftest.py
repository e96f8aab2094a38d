"""Fixtures for all unit tests; a folder or a test may have its own by the same name."""

import pytest

from lobby.models import Player
from tests.support.fixtures.pages import bare_heads
from tests.support.fixtures.tables import client_of, clock, duel, noon, nudges, other_duel, player, pool, sent, table
from tests.support.players import signed_up

__all__ = [
    "bare_heads",
    "client_of",
    "clock",
    "duel",
    "noon",
    "nudges",
    "other_duel",
    "player",
    "pool",
    "sent",
    "table",
]


@pytest.fixture
def asha(db: None) -> Player:
    return signed_up("asha")
