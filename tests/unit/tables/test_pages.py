"""The pages around a table."""

import gzip
import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.db.models import F
from django.test import Client as Browser

from config.bootstrap import ROOT
from tables import typings
from tables.history import kept
from tables.log import reading
from tables.models import Deal, Seating, SharedDeal, Table
from tables.play import protocol, services as play
from tables.staff import cancel_table
from tests.support.clock import Clock
from tests.support.steering import all_drop_but, next_deal
from tests.support.tables import Client
from wallet.audit_log.services import Actor
from wallet.ledger.settlement_freeze import SETTLEMENT_FROZEN

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


def test_the_socket_page_tells_of_all_that_the_protocol_says_is_sent(browser: Browser) -> None:
    page = browser.get("/api/socket/").content.decode()
    said = (ROOT / "tables/PROTOCOL.md").read_text().split("## What the server sends")[1].split("\n\nThe `view`")[0]
    rows = [row.split("|") for row in said.splitlines() if row.startswith("| `") and "alone" not in row]
    types = [name for _, names, *_ in rows for name in re.findall(r"`(\w+)`", names)]
    assert len(types) >= 8
    for name in (*types, "away_ms"):
        assert f"<code>{name}</code>" in page


def test_the_socket_page_tells_of_every_key_of_a_view_and_of_every_event(browser: Browser) -> None:
    page = unescape(browser.get("/api/socket/").content.decode())
    for shape in typings.views():
        assert f'<h3 id="{shape.name}">' in page
        for field in shape.fields:
            name = f"{field.name}?" if field.may_lack else field.name
            assert f"<code>{name}</code></td><td><code>{field.type}</code>" in page
    for event in typings.event_types():
        assert f"<code>{event.event}</code>" in page
    assert "<code>card?: Card</code>" in page and "<code>picked_by?</code>" in page


def test_the_socket_page_tells_of_every_code_with_which_a_table_refuses(browser: Browser) -> None:
    page = browser.get("/api/socket/").content.decode()
    files = [*(ROOT / "tables/play").rglob("*.py"), *(ROOT / "tables/sockets").rglob("*.py")]
    files += [ROOT / "wallet/responsible_gaming/admission.py"]
    raised = re.compile(r'(?:TableError|WalletError|CareRefusal)\(\s*"(\w+)"')
    codes = {code for file in files for code in raised.findall(file.read_text())} | {SETTLEMENT_FROZEN}
    assert {"stale", "time_limit_reached", "insufficient_balance"} <= codes
    over_http = {"already_seated_elsewhere", "book_suspended", "table_full", "too_many_tables", "too_often"}
    for code in codes - over_http - {"barred"}:
        assert f"<code>{code}</code>" in page, code


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
    page = browser.get(f"/history/{deal.pk}/").content.decode()
    assert "Checked by us" in page
    assert f"{second.user.username} dropped for 20 points." in page
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
    card_kept = next(card for card in first.me["hand"] if card != drawn)
    first.send("discard", card=card_kept)
    second.send("drop")
    deal = Deal.objects.get(status=Deal.Status.OVER)
    browser.force_login(second.user)
    answer = browser.get(f"/api/deals/{deal.pk}/").json()
    draws = [event for event in answer["events"] if event["type"] == "card_drawn"]
    assert draws == [{**draws[0], "pile": "closed"}]
    assert "card" not in draws[0]
    assert {len(hand) for hand in answer["hands"].values()} == {13}


@pytest.fixture
def finished(duel: tuple[Client, Client]) -> tuple[Deal, Client, Client]:
    """Play a deal in which the first player drew and discarded, and the second dropped."""
    first, second = duel
    first.send("draw", pile="closed")
    first.send("discard", card=first.me["drawn"])
    second.send("drop")
    return Deal.objects.get(status=Deal.Status.OVER), first, second


def test_the_page_of_a_deal_tells_it_step_by_step(browser: Browser, finished: tuple[Deal, Client, Client]) -> None:
    deal, first, second = finished
    browser.force_login(second.user)
    page = browser.get(f"/history/{deal.pk}/")
    steps = page.context["replay"]["steps"]
    assert [step["type"] for step in steps if step.get("type")][-3:] == [
        "card_drawn",
        "card_discarded",
        "player_dropped",
    ]
    assert {len(hand["loose"]) for step in steps for hand in step["hands"].values()} == {13, 14}
    assert page.context["replay"]["seat"] == second.me["seat"]
    assert page.context["rows"][1]["why"] == "Dropped in the first round, before drawing a card: 20 points."
    assert first.user.username in page.content.decode()
    in_hindi = browser.get(f"/history/{deal.pk}/", HTTP_ACCEPT_LANGUAGE="hi").context["replay"]["steps"]
    texts = [str(step["text"]) for step in in_hindi if "text" in step]
    assert len(texts) == len(steps) and not any("card" in text or "joker" in text for text in texts)


def test_a_review_is_of_ones_own_turns(browser: Browser, finished: tuple[Deal, Client, Client], player: Any) -> None:
    deal, first, second = finished
    for client, turns in ((first, 1), (second, 1)):
        browser.force_login(client.user)
        answer = browser.get(f"/api/deals/{deal.pk}/review/").json()
        assert (answer["seat"], len(answer["turns"])) == (client.me["seat"], turns)
    assert answer["turns"][0]["drew"] is None
    browser.force_login(player("tara"))
    assert browser.get(f"/api/deals/{deal.pk}/review/").status_code == 404


def link_to(browser: Browser, deal: Deal, **fields: str) -> str:
    """Return the address of a link that the player of this browser makes."""
    browser.post(f"/history/{deal.pk}/share/", {"do": "share", **fields})
    return str(browser.get(f"/history/{deal.pk}/").context["link"])


def test_a_link_shows_the_deal_to_whoever_has_it(finished: tuple[Deal, Client, Client]) -> None:
    deal, first, second = finished
    browser = Browser()
    browser.force_login(first.user)
    link = link_to(browser, deal, names="hidden")
    answer = Browser().get(link)
    page = answer.content.decode()
    assert answer.status_code == 200 and "dropped for 20 points" in page and "Player 2" in page
    assert answer["X-Robots-Tag"] == "noindex" and answer["Referrer-Policy"] == "same-origin"
    assert first.user.username not in page and second.user.username not in page
    for private in (deal.match.table.title, "api/deals", "deals__won", "Your turns", f"/tables/{deal.match.table_id}"):
        assert private not in page
    named = Browser().get(link_to(browser, deal)).content.decode()
    assert first.user.username in named and "deals__won" not in named


def test_what_is_told_of_a_finished_deal_is_made_once(
    finished: tuple[Deal, Client, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    deal, first, _ = finished
    browser = Browser()
    browser.force_login(first.user)
    link = link_to(browser, deal, names="hidden")
    addresses = (link, f"/history/{deal.pk}/", *(f"/api/deals/{deal.pk}/{what}" for what in ("", "review/", "proof/")))
    before = [browser.get(address) for address in addresses]
    in_hindi = browser.get(link, headers={"accept-language": "hi"}).content.decode()
    monkeypatch.setattr(reading, "of_deal", None)
    after = [browser.get(address) for address in addresses]
    for then, now in zip(before[2:], after[2:], strict=True):
        assert then.content == now.content and now["Content-Type"] == "application/json"
    for page in after[:2]:
        assert page.status_code == 200 and "dropped for 20 points" in page.content.decode()
    assert "replay-data" in in_hindi and "dropped for 20 points" not in in_hindi
    gone = browser.get(f"/api/deals/{deal.pk}/", headers={"accept-encoding": "gzip"})
    assert gzip.decompress(gone.content) == before[2].content


def test_a_deal_at_hand_is_told_anew_after_each_change_and_any_deal_after_a_new_name(
    finished: tuple[Deal, Client, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    deal, first, second = finished
    browser, read = Browser(), list[int]()
    browser.force_login(first.user)
    of_deal = reading.of_deal
    monkeypatch.setattr(reading, "of_deal", lambda row: [read.append(row.pk), *of_deal(row)][1:])
    address, at_table = f"/api/deals/{deal.pk}/", Table.objects.filter(pk=deal.match.table_id)

    def told() -> Any:
        read.clear()
        return browser.get(address).json()

    at_table.update(deal=deal)
    told()
    at_table.update(version=F("version") + 1)
    told()
    assert read == [deal.pk], "events follow a deal until the next one is prepared"
    at_table.update(deal=None)
    told()
    at_table.update(version=F("version") + 1)
    assert read == [deal.pk] and told() and not read
    Seating.objects.filter(user=second.user).update(name="Somebody else")
    assert "Somebody else" in [seat["name"] for seat in told()["seats"]]


def test_whoever_asks_for_too_many_costly_deals_is_told_to_wait(
    finished: tuple[Deal, Client, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    deal, first, _ = finished
    monkeypatch.setattr(kept, "ANEW", replace(kept.ANEW, tries=1))
    monkeypatch.setattr(kept, "COSTLY", 0)
    cache.clear()
    browser = Browser()
    browser.force_login(first.user)
    assert browser.get(f"/api/deals/{deal.pk}/review/").status_code == 200
    page, call = browser.get(f"/history/{deal.pk}/"), browser.get(f"/api/deals/{deal.pk}/")
    assert (page.status_code, page["Retry-After"]) == (429, "60") and "Wait a minute" in page.content.decode()
    assert (call.status_code, call["Retry-After"], call.json()["code"]) == (429, "60", "rate_limited")
    assert browser.get(f"/api/deals/{deal.pk}/review/").status_code == 200


def test_a_link_that_was_taken_back_or_replaced_leads_nowhere(finished: tuple[Deal, Client, Client]) -> None:
    deal, first, second = finished
    browser, other = Browser(), Browser()
    browser.force_login(first.user)
    other.force_login(second.user)
    old, theirs = link_to(browser, deal), link_to(other, deal)
    new = link_to(browser, deal)
    assert Browser().get(old).status_code == 404
    assert browser.post(f"/history/{deal.pk}/share/", {"do": "revoke"}).status_code == 302
    assert Browser().get(new).status_code == 404
    assert Browser().get(theirs).status_code == 200
    for token in ("nonsense", "%00"):
        assert Browser().get(f"/shared/{token}/").status_code == 404


def test_a_deal_leads_its_players_to_the_pages_of_the_others_and_a_link_to_nobodys(
    finished: tuple[Deal, Client, Client],
) -> None:
    deal, first, second = finished
    browser, leads = Browser(), f'<a href="/players/{second.user.username}/">'
    browser.force_login(first.user)
    assert "/players/" not in browser.get(f"/history/{deal.pk}/").content.decode().split("</header>", 2)[-1]
    get_user_model().objects.update(has_profile=True)
    page = browser.get(f"/history/{deal.pk}/").content.decode()
    assert leads in page and f'"/players/{first.user.username}/"' not in page
    assert leads not in browser.get(link_to(browser, deal)).content.decode()


def test_only_who_played_a_finished_deal_makes_a_link_to_it(duel: tuple[Client, Client], player: Any) -> None:
    running = Deal.objects.get(status=Deal.Status.PLAYING)
    browser = Browser()
    too_early = SharedDeal.objects.create(deal=running, user=duel[0].user, token="early", names_hidden=True)
    assert browser.get("/shared/early/").status_code == 404
    too_early.delete()
    browser.force_login(duel[0].user)
    assert browser.post(f"/history/{running.pk}/share/", {"do": "share"}).status_code == 404
    duel[0].send("drop")
    browser.force_login(player("tara"))
    assert browser.post(f"/history/{running.pk}/share/", {"do": "share"}).status_code == 404
    assert not SharedDeal.objects.exists()
    assert Browser().post(f"/history/{running.pk}/share/", {"do": "share"})["Location"].startswith("/login/")


def test_a_deal_whose_moves_are_no_longer_kept_shows_its_result_alone(
    browser: Browser, finished: tuple[Deal, Client, Client]
) -> None:
    deal, first, _ = finished
    browser.force_login(first.user)
    link = link_to(browser, deal)
    Table.objects.update(log_pruned_at=deal.ended_at)
    for address in (f"/history/{deal.pk}/", link):
        answer = Browser().get(link) if address == link else browser.get(address)
        assert answer.status_code == 410
        page = answer.content.decode()
        assert "no longer kept" in page and "outcome--won" in page and "replay-data" not in page
    assert browser.get(f"/api/deals/{deal.pk}/review/").status_code == 410


def test_an_unknown_address_under_api_gets_json(browser: Browser) -> None:
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
    answer = browser.get("/api/wallet/statement/").json()["results"][0]
    assert (answer["reason"], answer["amount"], answer["balance"]) == ("refund", 100, 10_000)
    assert [each["deal"] for each in browser.get("/api/history/").json()["results"]] == [scored.pk]


def test_a_cancelled_deal_of_points_is_shown_with_the_chips_given_back(
    browser: Browser, duel: tuple[Client, Client]
) -> None:
    cancel_table(table_id=duel[0].table, reason="A fault", actor=Actor("ops"))
    browser.force_login(duel[0].user)
    assert "Match cancelled, refunded" in browser.get("/history/").content.decode()
    answer = browser.get("/api/wallet/statement/").json()["results"][0]
    assert (answer["amount"], answer["balance"]) == (800, 10_000)


def test_a_table_stands_in_frames_of_this_site_only_and_only_beside_others(
    browser: Browser, clock: Clock, player: Any, table: Any
) -> None:
    asha, places = player("asha"), [table().pk for _ in range(3)]
    browser.force_login(asha)
    assert browser.get("/tables/").headers["Location"] == "/"
    play.sit(table_id=places[0], user=asha)
    assert browser.get("/tables/").headers["Location"] == f"/tables/{places[0]}/"
    alone = browser.get(f"/tables/{places[0]}/")
    assert (alone.status_code, alone["X-Frame-Options"]) == (200, "DENY")
    play.sit(table_id=places[1], user=asha)
    assert browser.get(f"/tables/{places[1]}/").headers["Location"] == f"/tables/?front={places[1]}"
    page = browser.get(f"/tables/?front={places[1]}")
    assert [f'src="/tables/{place}/?framed"'.encode() in page.content for place in places] == [True, True, False]
    assert f'data-front="{places[1]}"'.encode() in page.content
    assert page["X-Frame-Options"] == "DENY"
    framed = browser.get(f"/tables/{places[0]}/?framed")
    assert (framed.status_code, framed["X-Frame-Options"]) == (200, "SAMEORIGIN")
    assert "frame-ancestors 'self'" in framed["Content-Security-Policy"]
    assert b"css/table/room.css" in browser.get(f"/tables/{places[2]}/").content, "at that one they only watch"
