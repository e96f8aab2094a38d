"""The pages around a table."""

from html import unescape
from typing import Any

import pytest
from django.test import Client as Browser

from rules.game.views import described
from tables.models import Deal, Table
from tables.play import protocol
from tables.staff.services import cancel_table
from tests.support.clock import Clock
from tests.support.steering import all_drop_but, next_deal
from tests.support.tables import Client
from tests.unit.tables.test_sheet import pool
from wallet.audit_log.services import Actor

__all__ = ["pool"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Browser:
    return Browser()


def test_the_socket_page_tells_of_every_frame_and_every_field(browser: Browser) -> None:
    page = browser.get("/api/socket/").content.decode()
    for frame in protocol.described():
        assert f"<code>{frame['type']}</code>" in page
        for each in frame["fields"]:
            assert f"<code>{each.name}</code>" in page


def test_the_socket_page_tells_of_every_key_of_a_view_and_of_every_event(browser: Browser) -> None:
    page = unescape(browser.get("/api/socket/").content.decode())
    for shape in described.views():
        assert f'<h3 id="{shape.name}">' in page
        for field in shape.fields:
            assert f"<code>{field.name}</code></td><td><code>{field.type}</code>" in page
    for event in described.event_types():
        assert f"<code>{event.event}</code>" in page
    assert "<code>card?: Card</code>" in page


def test_history_and_deal_pages_are_for_those_who_played(
    browser: Browser, duel: tuple[Client, Client], player: Any
) -> None:
    first, second = duel
    first.send("draw", pile="closed")
    drawn = first.me["drawn"]
    first.send("discard", card=drawn)
    second.send("drop")
    deal = Deal.objects.get(status=Deal.Status.OVER)
    browser.force_login(first.user)
    assert f"/history/{deal.pk}/" in browser.get("/history/").content.decode()
    shown = browser.get(f"/history/{deal.pk}/").content.decode()
    assert "Checked" in shown
    assert f"{second.user.username} dropped for 20 points." in shown
    browser.force_login(player("tara"))
    assert browser.get(f"/history/{deal.pk}/").status_code == 404
    assert browser.get(f"/api/deals/{deal.pk}/").status_code == 404
    assert browser.get(f"/api/deals/{deal.pk}/proof/").status_code == 404
    assert "No deals yet" in browser.get("/history/").content.decode()


def test_a_running_deal_has_neither_replay_nor_proof(browser: Browser, duel: tuple[Client, Client]) -> None:
    first, _ = duel
    deal = Deal.objects.get(status=Deal.Status.PLAYING)
    browser.force_login(first.user)
    for address in (f"/history/{deal.pk}/", f"/api/deals/{deal.pk}/", f"/api/deals/{deal.pk}/proof/"):
        assert browser.get(address).status_code == 404


def test_the_replay_shows_others_draws_face_down_and_all_hands(browser: Browser, duel: tuple[Client, Client]) -> None:
    first, second = duel
    first.send("draw", pile="closed")
    drawn = first.me["drawn"]
    kept = next(card for card in first.me["hand"] if card != drawn)
    first.send("discard", card=kept)
    second.send("drop")
    deal = Deal.objects.get(status=Deal.Status.OVER)
    browser.force_login(second.user)
    told = browser.get(f"/api/deals/{deal.pk}/").json()
    draws = [event for event in told["events"] if event["type"] == "card_drawn"]
    assert draws == [{**draws[0], "pile": "closed"}]
    assert "card" not in draws[0]
    assert {len(hand) for hand in told["hands"].values()} == {13}


def test_what_is_not_there_is_told_in_json_under_api(browser: Browser) -> None:
    answer = browser.get("/api/nonsense/")
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"


@pytest.mark.parametrize("lost", [False, True], ids=["by its rules", "by the books"])
def test_a_cancelled_match_is_shown_as_refunded_to_who_played_it(
    browser: Browser, pool: Any, clock: Clock, lost: bool
) -> None:
    clients = pool(3)
    all_drop_but(clients[0], clients)
    next_deal(clients, clock)
    scored, cancelled = Deal.objects.order_by("pk")
    if lost:
        Table.objects.update(snapshot=b"not a state")
    cancel_table(table_id=clients[0].table, reason="A fault", actor=Actor("ops"))
    browser.force_login(clients[0].user)
    history = browser.get("/history/").content.decode()
    assert history.count("Match cancelled, refunded") == 2
    assert "outcome--won" in history and "outcome--cancelled" in history
    for deal in (scored, cancelled):
        page = browser.get(f"/history/{deal.pk}/").content.decode()
        assert "The match was cancelled and everybody refunded" in page
    assert "This deal was cancelled" in page
    statement = browser.get("/wallet/").content.decode()
    assert "Match cancelled, entry returned" in statement
    assert "+100" in statement
    told = browser.get("/api/wallet/statement/").json()["results"][0]
    assert (told["reason"], told["amount"], told["balance"]) == ("refund", 100, 10_000)
    assert [each["deal"] for each in browser.get("/api/history/").json()["results"]] == [scored.pk]


def test_a_cancelled_deal_of_points_is_shown_with_the_chips_given_back(
    browser: Browser, duel: tuple[Client, Client]
) -> None:
    cancel_table(table_id=duel[0].table, reason="A fault", actor=Actor("ops"))
    browser.force_login(duel[0].user)
    assert "Match cancelled, refunded" in browser.get("/history/").content.decode()
    told = browser.get("/api/wallet/statement/").json()["results"][0]
    assert (told["amount"], told["balance"]) == (800, 10_000)
