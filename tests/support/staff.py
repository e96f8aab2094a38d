"""Staff in their roles, and their browsers."""

import time
from typing import Any

import time_machine
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.test import Client, RequestFactory

from lobby.accounts import access, rights
from lobby.models import Player
from lobby.two_factor import services as two_factor, totp
from lobby.two_factor.models import SECRETS, Authenticator
from tests.support.players import signed_up
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import STATEMENT

STAFF = ("support", "operations", "finance", "superuser")


def employ(role: str, name: str = "") -> Player:
    """Create a person of the staff in that role, and return them."""
    person = signed_up(name or f"the_{role}"[:20], is_staff=True, is_superuser=role == "superuser")
    if role != "superuser":
        person.groups.add(Group.objects.get(name=role))
    return Player.objects.get(pk=person.pk)


def from_the_app(person: Player) -> str:
    """Return the code that this person's app shows now."""
    secret = SECRETS.unseal(Authenticator.objects.get(player=person))
    return totp.code(secret, int(time.time()) // totp.STEP)


def enrol(person: Player) -> list[str]:
    """Set up their authenticator; return its recovery codes."""
    two_factor.pending_secret(person)
    # The code is checked in the half minute for which it lives.
    with time_machine.travel(time.time(), tick=False):
        return two_factor.confirm_enrolment(person, from_the_app(person), RequestFactory().post("/"))


def browser_of(person: Player) -> Client:
    client = Client()
    client.force_login(person)
    return client


def acts_of_staff() -> QuerySet[AuditEntry]:
    """Return the trail without the platform's own entries on rights, access and facts, the earliest first."""
    acts = AuditEntry.objects.exclude(action__in=(rights.CHANGED, access.CHANGED))
    return acts.exclude(target_type=STATEMENT).order_by("pk")


def act(client: Client, page: str, *ids: int, reason: str = "A test asks for it", **fields: str) -> Any:
    """Open the confirmation page of an act, fill its form and confirm it; return the answer."""
    from django.urls import reverse

    address, id_list = reverse(f"admin:{page}"), ",".join(map(str, ids))
    context = client.get(address, {"ids": id_list}).context
    seen = context["seen"] if context is not None and "seen" in context else ""
    return client.post(address, {"ids": id_list, "reason": reason, "seen": seen, **fields})
