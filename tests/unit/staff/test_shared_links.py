"""Links to deals that anybody may open: staff end them, and so does a lock."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from lobby.backoffice import services as backoffice
from lobby.models import Player
from tables.history.sharing import share_deal
from tables.models import Deal
from tests.support.staff import browser_of
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM

pytestmark = pytest.mark.django_db


@pytest.fixture
def asha(duel: Any) -> Player:
    """Return a player with a finished deal."""
    duel[0].send("drop")
    player: Player = duel[0].user
    return player


def link_of(player: Player) -> str:
    deal = Deal.objects.get(status=Deal.Status.OVER)
    return f"/shared/{share_deal(player, deal.pk, names_hidden=False).token}/"


def opens(link: str) -> bool:
    return bool(Client().get(link).status_code == 200)


def test_a_link_leads_nowhere_while_its_player_is_locked(asha: Player) -> None:
    link = link_of(asha)
    assert opens(link)
    backoffice.lock_player(asha, "Cheats", PLATFORM)
    assert not opens(link)
    backoffice.unlock_player(asha, "Does not", PLATFORM)
    assert opens(link)


def test_staff_end_every_link_of_a_player_with_a_reason(asha: Player, staff: Mapping[str, Player]) -> None:
    link, support = link_of(asha), browser_of(staff["support"])
    page = reverse("admin:lobby_player_change", args=[asha.pk])
    assert "End their links" in support.get(page).content.decode()
    answer = support.post(reverse("admin:lobby_player_links"), {"ids": asha.pk, "reason": "Names", "post": "yes"})
    assert answer.status_code == 302 and not opens(link)
    entry = AuditEntry.objects.get(action="player.links")
    assert (entry.reason, entry.after, entry.target_id) == ("Names", {"links ended": 1}, str(asha.pk))
    support.get(page)
    assert "End their links" not in support.get(page).content.decode()
    assert opens(link_of(asha)), "the player makes a new one"
