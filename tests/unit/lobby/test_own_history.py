"""A player's own history and statement: what is asked for, what it comes to, and how the books agree."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client as Browser
from django.test.utils import CaptureQueriesContext

from tables.history import filters
from tables.models import Deal, DealSeat
from tables.play import services as play
from tests.support.steering import all_drop_but, next_deal, one_loses_eighty, pass_turn
from tests.support.tables import Client
from tests.unit.lobby.test_takeouts import rows_of
from tests.unit.tables.conftest import client_of, clock, duel, player, table
from tests.unit.tables.test_sheet import pool
from wallet.ledger import selectors as ledger

__all__ = ["client_of", "clock", "duel", "player", "pool", "table"]

pytestmark = pytest.mark.django_db
START = 10_000


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tables.play.broadcast.send", lambda group, message: None)


def browser_of(user: Any) -> Browser:
    browser = Browser()
    browser.force_login(user)
    return browser


def held(user: Any) -> int:
    [own] = ledger.balances(user)
    return own["free"] + own["in_play"]


def deal_again(duel: tuple[Client, Client], clock: Any) -> None:
    for client in duel:
        client.send("continue")
    next_deal(list(duel), clock)


def two_deals(duel: tuple[Client, Client], clock: Any) -> None:
    """The second drops twice: after a draw of the first, and after one of their own."""
    first, second = duel
    pass_turn(first)
    second.send("drop")
    deal_again(duel, clock)
    one_loses_eighty(first, second, [first, second])


#: What is asked for, and the outcomes of the deals that it shows.
ASKED = {
    "": ["wrong", "won"],
    "outcome=won": ["won"],
    "outcome=dropped": [],
    "outcome=cancelled": [],
    "game=standard-points": ["wrong", "won"],
    "game=club-points": [],
    "table={table}&outcome=wrong": ["wrong"],
    "table=999": [],
    "to=2020-01-01": [],
    "from=2020-01-01": ["wrong", "won"],
}


def test_the_history_shows_adds_up_and_hands_out_what_is_asked_for(duel: tuple[Client, Client], clock: Any) -> None:
    two_deals(duel, clock)
    browser = browser_of(duel[0].user)
    for asked, outcomes in ASKED.items():
        query = asked.format(table=duel[0].table)
        page = browser.get(f"/history/?{query}")
        assert [entry.outcome for entry in page.context["entries"]] == outcomes, query
        entries = DealSeat.objects.filter(user=duel[0].user, outcome__in=outcomes)
        added = (len(outcomes), sum(each.points for each in entries), sum(each.amount for each in entries))
        assert [(each.deals, each.points, each.amount) for each in page.context["sums"]] == [added] * bool(outcomes)
        told = browser.get(f"/api/history/?{query}").json()["results"]
        assert [each["outcome"] for each in told] == outcomes
        assert len(rows_of(browser.get(f"/history/download/?{query}"))) == 2 + len(outcomes)


def test_what_cannot_be_asked_for_is_said_and_all_is_shown(duel: tuple[Client, Client]) -> None:
    duel[0].send("drop")
    browser = browser_of(duel[0].user)
    for query in ("game=chess", "table=none", "table=-1", f"table={2**70}", "outcome=eaten", "to=x"):
        page = browser.get(f"/history/?{query}")
        assert 'role="alert"' in page.content.decode() and len(page.context["entries"]) == 1
        assert browser.get(f"/api/history/?{query}").status_code == 400
        assert browser.get(f"/history/download/?{query}")["Location"] == "/history/"


def test_pages_go_there_and_back_and_keep_what_was_asked_for(
    duel: tuple[Client, Client], clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tables.history.views.HistoryPages.page_size", 1)
    two_deals(duel, clock)
    browser = browser_of(duel[0].user)
    newest = browser.get("/history/?game=standard-points")
    older = browser.get(newest.context["older"])
    assert [entry.outcome for page in (newest, older) for entry in page.context["entries"]] == ["wrong", "won"]
    assert "game=standard-points" in newest.context["older"] and older.context["older"] is None
    again = browser.get(older.context["newer"])
    assert [entry.pk for entry in again.context["entries"]] == [entry.pk for entry in newest.context["entries"]]
    assert browser.get("/history/?cursor=nonsense").status_code == 404


def test_the_sums_of_deals_agree_with_the_books(duel: tuple[Client, Client], clock: Any) -> None:
    two_deals(duel, clock)
    for client in duel:
        [total] = filters.deal_sums(client.user)
        assert (total.currency, total.practice, total.matches) == ("FUN", False, 0)
        assert START + total.result == held(client.user)


def test_the_sums_of_a_match_agree_with_the_books_once_it_is_over(pool: Any, clock: Any) -> None:
    clients = pool(2)
    one_loses_eighty(clients[0], clients[1], clients)
    before = [filters.deal_sums(client.user)[0].result for client in clients]
    assert before == [0, 0], "what lies in the pot is neither won nor lost yet"
    next_deal(clients, clock)
    one_loses_eighty(clients[0], clients[1], clients)
    for _ in range(3):
        if Deal.objects.filter(match__status="open").exists():
            clock.now = clients[0].view()["clock"]["deadline"]
            play.tick(table_id=clients[0].table)
    results = [filters.deal_sums(client.user)[0].result for client in clients]
    assert [START + result for result in results] == [held(client.user) for client in clients]
    assert sum(results) < 0 < results[1], "the winner has won, the fee is gone"
    assert filters.deal_sums(clients[0].user, outcome="wrong")[0].matches is None
    assert filters.deal_sums(clients[1].user, table=clients[0].table)[0].result == results[1]
    [left_out] = filters.deal_sums(clients[1].user, game="standard-pool-101", outcome="won")
    assert left_out.result == 0


def test_practice_chips_are_added_up_apart(duel: tuple[Client, Client]) -> None:
    duel[0].send("drop")
    seat = DealSeat.objects.select_related("deal__match__table").get(user=duel[0].user)
    type(seat.deal.match.table).objects.update(strength="sound")
    [total] = filters.deal_sums(duel[0].user)
    assert (total.practice, total.matches, total.amount) == (True, None, -20)


def test_the_statement_leads_to_tables_and_tells_of_each_deal(duel: tuple[Client, Client], clock: Any) -> None:
    two_deals(duel, clock)
    first = duel[0]
    browser = browser_of(first.user)
    page = browser.get("/wallet/").content.decode()
    amounts = dict(DealSeat.objects.filter(user=first.user).values_list("deal_id", "amount"))
    assert "2 deals so far: −" in page and f'href="/tables/{first.table}/"' in page
    for deal in amounts:
        assert f'href="/history/{deal}/"' in page and browser.get(f"/history/{deal}/").status_code == 200
    [running] = browser.get("/wallet/").context["stays"].values()
    assert (running.changes, running.total) == (amounts, held(first.user) - START)
    first.send("leave")
    left = browser.get("/wallet/")
    [(entry, stay)] = left.context["stays"].items()
    assert (stay.changes, stay.running) == (amounts, False)
    assert next(each for each in left.context["entries"] if each.pk == entry).posting.reason == "cash_out"
    told = browser.get("/api/wallet/statement/").json()["results"][0]
    assert (told["table"], told["title"], told["stake"]) == (first.table, "Test table", None)


def queries(browser: Browser, address: str) -> int:
    browser.get(address)
    with CaptureQueriesContext(connection) as captured:
        assert browser.get(address).status_code == 200
    return len(captured)


@pytest.mark.parametrize("address", ["/history/", "/wallet/"])
def test_more_deals_take_no_more_queries(duel: tuple[Client, Client], clock: Any, address: str) -> None:
    pass_turn(duel[0])
    duel[1].send("drop")
    browser = browser_of(duel[0].user)
    few = queries(browser, address)
    for _ in range(2):
        deal_again(duel, clock)
        all_drop_but(duel[0], list(duel))
    assert queries(browser, address) == few
