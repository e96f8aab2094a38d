"""Staff in their roles, and tables for them to work on."""

from collections.abc import Callable, Mapping

import pytest
from django.core.cache import cache
from django.test import Client

from lobby.models import Player
from tests.support.staff import STAFF, browser_of, employ
from tests.unit.tables import conftest as tables

clock, sent, nudges, player, table, client_of, duel = (
    tables.clock,
    tables.sent,
    tables.nudges,
    tables.player,
    tables.table,
    tables.client_of,
    tables.duel,
)


@pytest.fixture(autouse=True)
def fresh_counts() -> None:
    cache.clear()


@pytest.fixture
def staff(db: None) -> Mapping[str, Player]:
    return {role: employ(role) for role in STAFF}


@pytest.fixture
def browser(staff: Mapping[str, Player]) -> Callable[[str], Client]:
    """Return the browser of somebody in that role, signed in."""
    return lambda role: browser_of(staff[role])
