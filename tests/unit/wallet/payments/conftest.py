"""Real money is on; two of the staff handle it, and a player may deposit and withdraw."""

from typing import Any

import pytest

from lobby.models import Player
from tests.support.payments import make_eligible, person, switch_on
from tests.support.players import signed_up
from wallet.audit_log.services import Actor


@pytest.fixture(autouse=True)
def money_is_on(settings: Any) -> None:
    switch_on(settings)


@pytest.fixture
def first() -> Actor:
    return person("first")


@pytest.fixture
def second() -> Actor:
    return person("second")


@pytest.fixture
def asha(first: Actor) -> Player:
    player = signed_up("asha")
    make_eligible(player, first)
    return player
