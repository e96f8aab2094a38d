"""Staff in their roles, and tables for them to look after."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.test import Client

from lobby.models import Player
from tests.unit.lobby.factories import PlayerFactory
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

STAFF = ("support", "operations", "finance", "superuser")


@pytest.fixture(autouse=True)
def fresh_counts() -> None:
    cache.clear()


def employ(role: str, name: str = "") -> Player:
    """Somebody of the staff in that role."""
    person = PlayerFactory(username=name or f"the_{role}"[:20], is_staff=True, is_superuser=role == "superuser")
    if role != "superuser":
        person.groups.add(Group.objects.get(name=role))
    return Player.objects.get(pk=person.pk)


def browser_of(person: Player) -> Client:
    client = Client()
    client.force_login(person)
    return client


@pytest.fixture
def staff(db: None) -> Mapping[str, Player]:
    return {role: employ(role) for role in STAFF}


@pytest.fixture
def browser(staff: Mapping[str, Player]) -> Callable[[str], Client]:
    """The browser of somebody in that role, signed in."""
    return lambda role: browser_of(staff[role])


def act(client: Client, page: str, *ids: int, reason: str = "A test asks for it") -> Any:
    """What somebody does on the confirmation page of an act."""
    from django.urls import reverse

    return client.post(reverse(f"admin:{page}"), {"ids": ",".join(map(str, ids)), "reason": reason})
