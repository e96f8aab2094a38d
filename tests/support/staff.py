"""Staff in their roles, and their browsers."""

from typing import Any

from django.contrib.auth.models import Group
from django.test import Client

from lobby.models import Player
from tests.support.players import signed_up

STAFF = ("support", "operations", "finance", "superuser")


def employ(role: str, name: str = "") -> Player:
    """Somebody of the staff in that role."""
    person = signed_up(name or f"the_{role}"[:20], is_staff=True, is_superuser=role == "superuser")
    if role != "superuser":
        person.groups.add(Group.objects.get(name=role))
    return Player.objects.get(pk=person.pk)


def browser_of(person: Player) -> Client:
    client = Client()
    client.force_login(person)
    return client


def act(client: Client, page: str, *ids: int, reason: str = "A test asks for it") -> Any:
    """What somebody does on the confirmation page of an act, having looked at it."""
    from django.urls import reverse

    address, chosen = reverse(f"admin:{page}"), ",".join(map(str, ids))
    looked_at = client.get(address, {"ids": chosen}).context
    seen = looked_at["seen"] if looked_at is not None and "seen" in looked_at else ""
    return client.post(address, {"ids": chosen, "reason": reason, "seen": seen})
