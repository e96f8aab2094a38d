"""A player's own history and statement: filters, totals, and agreement with the books."""

import re
from base64 import b64encode
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client as Browser
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from rules.game import Outcome, events
from tables.history import filters
from tables.history.figures import figures_of
from tables.history.plots import curve_of
from tables.language import outcome_name
from tables.models import Deal, DealSeat, Table
from tables.play import services as play
from tables.staff import cancel_table
from tests.support.simulated import played_deals
from tests.support.staff import employ
from tests.support.steering import all_drop_but, next_deal, one_loses_eighty, pass_turn
from tests.support.tables import Client
from tests.support.takeouts import rows_of
from wallet.audit_log.services import Actor
from wallet.ledger import selectors as ledger
from wallet.models import Posting

pytestmark = pytest.mark.django_db
START = 10_000


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tables.play.broadcast.send", lambda group, message: None)


def browser_of(user: Any) -> Browser:
    browser = Browser()
    browser.force_login(user)
    return browser


def chips_of(user: Any) -> int:
    [own] = ledger.balances(user)
    return own["free"] + own["in_play"]


def deal_again(duel: tuple[Client, Client], clock: Any) -> None:
    for client in duel:
        client.send("continue")
    next_deal(list(duel), clock)


def two_deals(duel: tuple[Client, Client], clock: Any) -> None:
    """Let the second player drop twice: after a draw of the first, and after one of their own."""
    first, second = duel
    pass_turn(first)
    second.send("drop")
    deal_again(duel, clock)
    one_loses_eighty(first, second, [first, second])


#: What is asked for, and the outcomes of the deals that it shows.
OUTCOMES_BY_QUERY = {
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


def test_history_filters_sums_and_downloads_agree(duel: tuple[Client, Client], clock: Any) -> None:
    two_deals(duel, clock)
    browser = browser_of(duel[0].user)
    for template, outcomes in OUTCOMES_BY_QUERY.items():
        query = template.format(table=duel[0].table)
        page = browser.get(f"/history/?{query}")
        assert [entry.outcome for entry in page.context["entries"]] == outcomes, query
        entries = DealSeat.objects.filter(user=duel[0].user, outcome__in=outcomes)
        added = (len(outcomes), sum(entry.points for entry in entries), sum(entry.amount for entry in entries))
        assert [(entry.deals, entry.points, entry.amount) for entry in page.context["sums"]] == [added] * bool(outcomes)
        results = browser.get(f"/api/history/?{query}").json()["results"]
        assert [entry["outcome"] for entry in results] == outcomes
        assert len(rows_of(browser.get(f"/history/download/?{query}"))) == 2 + len(outcomes)


def test_a_wrong_show_is_called_so_wherever_a_deal_is_told_of(duel: tuple[Client, Client], clock: Any) -> None:
    two_deals(duel, clock)
    own, office, browser = DealSeat.objects.get(outcome="wrong"), Browser(), browser_of(duel[0].user)
    office.force_login(employ("support"))
    pages = {
        "history": browser.get("/history/?outcome=wrong"),
        "deal": browser.get(f"/history/{own.deal_id}/"),
        "figures": browser.get("/history/figures/"),
        "player": office.get(f"/admin/lobby/player/{duel[0].user.pk}/change/"),
        "timeline": office.get(f"/admin/lobby/player/{duel[0].user.pk}/timeline/?sort=deals"),
    }
    for name, page in pages.items():
        text = page.content.decode()
        assert (page.status_code, "wrong show" in text.lower(), "Wrong<" in text) == (200, True, False), name
        assert "wrong, 80 points" not in text, name


def test_scripts_call_an_outcome_as_pages_do() -> None:
    script = Path("static/js/shared/words.js").read_text()
    names = re.search(r"export const OUTCOMES = \{(.*?)\};", script, re.DOTALL)
    assert names is not None
    called = dict(re.findall(r'(\w+): t\("(.*?)"\)', names[1]))
    assert called == {outcome.value: outcome_name(outcome) for outcome in Outcome}


def test_invalid_filters_are_reported_and_everything_is_listed(duel: tuple[Client, Client]) -> None:
    duel[0].send("drop")
    browser = browser_of(duel[0].user)
    for query in ("game=chess", "table=none", "table=-1", f"table={2**70}", "outcome=eaten", "to=x"):
        page = browser.get(f"/history/?{query}")
        assert 'role="alert"' in page.content.decode() and len(page.context["entries"]) == 1
        assert browser.get(f"/api/history/?{query}").status_code == 400
        assert browser.get(f"/history/download/?{query}")["Location"] == "/history/"


@pytest.mark.databases
def test_paging_keeps_the_filters(duel: tuple[Client, Client], clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tables.history.views.HistoryPages.page_size", 1)
    two_deals(duel, clock)
    browser = browser_of(duel[0].user)
    newest = browser.get("/history/?game=standard-points")
    older = browser.get(newest.context["older"])
    assert [entry.outcome for page in (newest, older) for entry in page.context["entries"]] == ["wrong", "won"]
    assert "game=standard-points" in newest.context["older"] and older.context["older"] is None
    again = browser.get(older.context["newer"])
    assert [entry.pk for entry in again.context["entries"]] == [entry.pk for entry in newest.context["entries"]]
    beyond = ("9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00", "2026-11-30T00:00:00+23:59")
    for position in ("nonsense", "7", "2026-13-40T25:00:00Z", "2026-11-30T00:00:00", *beyond):
        cursor = b64encode(urlencode({"p": position}).encode()).decode()
        assert browser.get("/history/", {"cursor": cursor}).status_code == 404
    for address in ("/history/", "/api/history/", "/history/download/", "/api/wallet/statement/", "/wallet/"):
        assert browser.get(address, {"from": beyond[-1]}).status_code == 200


def test_the_history_says_what_its_number_of_a_deal_counts_where_the_table_counts_on(
    duel: tuple[Client, Client], clock: Any
) -> None:
    two_deals(duel, clock)
    browser = browser_of(duel[0].user)
    assert duel[0].view()["deal"]["number"] == 2
    assert [entry["number"] for entry in browser.get("/api/history/").json()["results"]] == [1, 1]
    schema = browser.get("/api/schema/", headers={"accept": "application/vnd.oai.openapi+json"}).json()
    for shape in ("HistoryEntry", "DealReplay"):
        told = schema["components"]["schemas"][shape]["properties"]["number"]["description"]
        assert told == "Counts the deals of the match: in points and blind each is one of its own."


def test_the_sums_of_deals_agree_with_the_books(duel: tuple[Client, Client], clock: Any) -> None:
    two_deals(duel, clock)
    for client in duel:
        [total] = filters.deal_sums(client.user)
        assert (total.currency, total.practice, total.matches) == ("FUN", False, 0)
        assert START + total.result == chips_of(client.user)


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
    assert [START + result for result in results] == [chips_of(client.user) for client in clients]
    assert sum(results) < 0 < results[1], "the winner has won, the fee is gone"
    assert filters.deal_sums(clients[0].user, outcome="wrong")[0].matches is None
    assert filters.deal_sums(clients[1].user, table=clients[0].table)[0].result == results[1]
    [won] = filters.deal_sums(clients[1].user, game="standard-pool-101", outcome="won")
    assert won.result == 0


def test_the_history_says_how_a_match_ended_at_its_last_deal(pool: Any, clock: Any) -> None:
    clients = pool(2)
    for _ in range(2):
        shown = browser_of(clients[0].user).get("/history/").content.decode()
        assert "Match over" not in shown
        one_loses_eighty(clients[0], clients[1], clients)
        if clients[0].view()["clock"]:
            clock.now = clients[0].view()["clock"]["deadline"]
            play.tick(table_id=clients[0].table)
    entry, prize = 100, filters.deal_sums(clients[1].user)[0].result + 100
    assert prize > entry
    for client, ends in zip(clients, ("Match over: no prize", f"Match over: prize {prize} chips"), strict=True):
        page = browser_of(client.user).get("/history/").content.decode()
        assert page.count("Match over") == 1
        assert page.index(ends) < page.index("deals__time", page.index("deals__time") + 1), "at the deal on top"
    # The next deal was void, and then all but one left: it is in no history, and the match ended with the one before.
    last = Deal.objects.select_related("match").order_by("pk").last()
    assert last is not None
    void = Deal.objects.create(
        match=last.match, number=3, book=last.book, book_version=1, status="void", sealed_seed=b""
    )
    for seat in last.seats.all():
        DealSeat.objects.create(deal=void, seating=seat.seating, user=seat.user, seat=seat.seat)
    for client, ends in zip(clients, ("Match over: no prize", f"Match over: prize {prize} chips"), strict=True):
        assert browser_of(client.user).get("/history/").content.decode().count(ends) == 1
    Table.objects.update(strength="sound")
    page = browser_of(clients[1].user).get("/history/").content.decode()
    assert page.count("Match over") == 1 and "Match over: " not in page, "practice chips are no prize"


def test_the_deal_that_ended_last_is_on_top_under_the_same_number_everywhere(
    duel: tuple[Client, Client], clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_deals(duel, clock)
    later, earlier = Deal.objects.filter(status="over").order_by("id")
    Deal.objects.filter(pk=earlier.pk).update(ended_at=later.ended_at - timedelta(minutes=6))
    browser = browser_of(duel[0].user)
    history = browser.get("/history/")
    assert [entry.deal_id for entry in history.context["entries"]] == [later.pk, earlier.pk]
    monkeypatch.setattr("tables.history.views.HistoryPages.page_size", 1)
    newest = browser.get("/history/")
    pages = (newest, browser.get(newest.context["older"]))
    assert [entry.deal_id for page in pages for entry in page.context["entries"]] == [later.pk, earlier.pk]
    for page in ("/history/", f"/history/{later.pk}/", f"/report/{later.pk}/", "/wallet/"):
        assert f"Deal #{later.pk}" in browser.get(page).content.decode(), page


def test_practice_chips_have_sums_of_their_own(duel: tuple[Client, Client]) -> None:
    duel[0].send("drop")
    seat = DealSeat.objects.select_related("deal__match__table").get(user=duel[0].user)
    type(seat.deal.match.table).objects.update(strength="sound")
    [total] = filters.deal_sums(duel[0].user)
    assert (total.practice, total.matches, total.amount) == (True, None, -20)


def test_the_statement_links_tables_and_lists_deals(duel: tuple[Client, Client], clock: Any) -> None:
    two_deals(duel, clock)
    first = duel[0]
    browser = browser_of(first.user)
    page = browser.get("/wallet/").content.decode()
    amounts = dict(DealSeat.objects.filter(user=first.user).values_list("deal_id", "amount"))
    assert "2 deals so far: −" in page and f'href="/tables/{first.table}/"' in page
    for deal in amounts:
        assert f'href="/history/{deal}/"' in page and browser.get(f"/history/{deal}/").status_code == 200
    [running] = browser.get("/wallet/").context["seat_results"].values()
    assert (running.changes, running.total) == (amounts, chips_of(first.user) - START)
    first.send("leave")
    after_leaving = browser.get("/wallet/")
    [(entry, stay)] = after_leaving.context["seat_results"].items()
    assert (stay.changes, stay.running) == (amounts, False)
    assert next(row for row in after_leaving.context["entries"] if row.pk == entry).posting.reason == "cash_out"
    first_entry = browser.get("/api/wallet/statement/").json()["results"][0]
    assert (first_entry["table"], first_entry["title"], first_entry["stake"]) == (first.table, "Test table", None)


def queries(browser: Browser, address: str) -> int:
    browser.get(address)
    with CaptureQueriesContext(connection) as captured:
        assert browser.get(address).status_code == 200
    return len(captured)


def test_queries_do_not_grow_with_deals(duel: tuple[Client, Client], clock: Any) -> None:
    pass_turn(duel[0])
    duel[1].send("drop")
    browser = browser_of(duel[0].user)
    addresses = ("/history/", "/wallet/", "/history/figures/")
    few = {address: queries(browser, address) for address in addresses}
    for _ in range(2):
        deal_again(duel, clock)
        all_drop_but(duel[0], list(duel))
    assert {address: queries(browser, address) for address in addresses} == few


def test_the_figures_agree_with_the_books_and_read_no_events(duel: tuple[Client, Client], clock: Any) -> None:
    two_deals(duel, clock)
    for client in duel:
        with CaptureQueriesContext(connection) as captured:
            own = figures_of(client.user, currency="FUN", practice=False)
        assert not any("tables_event" in query["sql"] or "tables_pack" in query["sql"] for query in captured)
        assert own.total.amount == chips_of(client.user) - START == curve_of(own.days).last  # type: ignore[union-attr]
    first, second = (figures_of(client.user, currency="FUN", practice=False).total for client in duel)
    assert (first.deals, first.won, first.wrong, first.shows, first.won_percent) == (2, 1, 1, 0, 50)
    assert (second.deals, second.won, second.dropped, second.shows, second.points_when_caught) == (2, 1, 1, 0, None)


def played_out(pool: Any, clock: Any) -> list[Client]:
    """Play a pool of two to its end; return its players."""
    clients: list[Client] = pool(2)
    for _ in range(2):
        one_loses_eighty(clients[0], clients[1], clients)
        clock.now = clients[0].view()["clock"]["deadline"] if clients[0].view()["clock"] else clock.now
        play.tick(table_id=clients[0].table)
    return clients


def test_the_figures_of_a_match_agree_with_the_books(pool: Any, clock: Any) -> None:
    clients = played_out(pool, clock)
    for client in clients:
        own = figures_of(client.user, currency="FUN", practice=False)
        [book] = own.books
        assert START + (book.amount or 0) == chips_of(client.user)
        assert sum(change for _, change in own.days) == book.amount
    assert book.amount and book.amount > 0 and book.title == "Pool Rummy 101"


def test_a_match_that_was_cancelled_is_in_no_figure_of_any_day(pool: Any, clock: Any) -> None:
    """Its entries may have gone back on another day than they were paid."""
    clients = pool(2)
    one_loses_eighty(clients[0], clients[1], clients)
    cancel_table(table_id=clients[0].table, reason="A fault", actor=Actor("ops"))
    refund = Posting.objects.get(reason="refund")
    user = clients[0].user
    assert chips_of(user) == START
    assert ledger.pot_results(user, since=refund.created_at) == ledger.pot_results(user, until=refund.created_at) == {}
    assert ledger.pot_days(user, "FUN", None) == {}
    assert (filters.deal_sums(user)[0].matches, figures_of(user, currency="FUN", practice=False).total.amount) == (0, 0)


def test_the_days_add_up_to_the_whole_where_the_deals_of_a_match_are_before_them(pool: Any, clock: Any) -> None:
    clients = played_out(pool, clock)
    Deal.objects.update(ended_at=timezone.now() - timedelta(days=40))
    for client in clients:
        own = figures_of(client.user, currency="FUN", practice=False, since=timezone.now() - timedelta(days=30))
        assert sum(change for _, change in own.days) == own.total.amount


def test_a_deal_lost_to_a_show_is_one_caught_and_one_shown(duel: tuple[Client, Client]) -> None:
    duel[0].send("drop")
    caught = DealSeat.objects.filter(user=duel[0].user)
    for points, ten in ((2, 0), (79, 7), (80, 8), (120, 8)):
        caught.update(outcome="lost", points=points)
        loser, winner = (figures_of(client.user, currency="FUN", practice=False) for client in duel)
        assert loser.caught == [int(ten == tens) for tens in range(9)]
        assert (loser.total.points_when_caught, winner.total.shows, winner.total.won) == (points, 1, 1)


@pytest.mark.parametrize("book", ["standard-points", "standard-pool-201", "lives-drop-points"])
def test_somebody_loses_to_a_show_and_to_nothing_else(book: str) -> None:
    """The figures recognise a show by a loser, which is compared with simulated deals."""
    shows = []
    for deal in played_deals(book, players=3, deals=12, seed=5):
        result = deal.ended.result
        assert result is not None
        outcomes = {row.seat: row.outcome for row in result.rows}
        has_show = any(isinstance(event, events.ShowAccepted) for event in deal.happened)
        assert has_show == ("lost" in outcomes.values())
        shows.append(has_show)
    assert len(set(shows)) == 2, "deals with a show, and deals without"


def test_practice_is_marked_and_its_matches_have_no_amount(pool: Any, clock: Any) -> None:
    clients = pool(2)
    one_loses_eighty(clients[0], clients[1], clients)
    Table.objects.update(strength="sound")
    assert figures_of(clients[0].user, currency="FUN", practice=False).total.deals == 0
    [book] = figures_of(clients[0].user, currency="FUN", practice=True).books
    assert (book.deals, book.amount) == (1, None)


def test_the_curve_begins_with_nothing_and_ends_with_the_sum() -> None:
    days = [(date(2026, 11, day), change) for day, change in ((1, 30), (2, -50), (4, 60))]
    curve = curve_of(days)
    assert curve is not None and curve_of([]) is None
    assert curve.days == [(date(2026, 11, 1), 30, 30), (date(2026, 11, 2), -50, -20), (date(2026, 11, 4), 60, 40)]
    assert (curve.highest[1], curve.lowest[1], curve.last) == (40, -20, 40)
    # 160 high from 40 down to -20: 0 lies two thirds down; four days across 640.
    assert curve.line == "M0.00 106.67 L160.00 26.67 L320.00 160.00 L640.00 0.00" and curve.zero == 106.67
    flat = curve_of([(date(2026, 11, 1), 0)])
    assert flat is not None and flat.line == "M0.00 0.00 L640.00 0.00"


def test_the_page_of_figures_applies_its_filters(duel: tuple[Client, Client], clock: Any) -> None:
    browser = browser_of(duel[0].user)
    assert "No such deals yet" in browser.get("/history/figures/").content.decode()
    two_deals(duel, clock)
    page = browser.get("/history/figures/?chips=nonsense&days=-4")
    assert (page.context["chips"], page.context["days"], page.context["own"].total.deals) == ("stakes", "", 2)
    Deal.objects.update(ended_at=timezone.now() - timedelta(days=40))
    for days, deals in (("30", 0), ("90", 2)):
        assert browser.get(f"/history/figures/?days={days}").context["own"].total.deals == deals
