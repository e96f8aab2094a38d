"""The pages of tournaments: what each shows, whom it offers what, and how a refusal reads."""

import re
from collections import Counter
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client

from lobby.tournaments import rule_text, views
from rules.books import BOOKS
from rules.payouts import fee
from rules.tournaments import placed, prizes_of
from tables.errors import TableError
from tables.models import Entrant, Round, Seating, Table, Tournament, TournamentKind
from tables.play.opening import open_table
from tables.tournaments import ending
from tests.support.players import signed_up
from tests.support.staff import browser_of
from tests.support.tables import terms
from tests.support.tournament_pages import drawn_round, entrants, tournament

pytestmark = pytest.mark.django_db


def text_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_list_has_what_begins_what_runs_and_what_was(client: Client) -> None:
    for status in ("announced", "open", "running", "over", "cancelled"):
        tournament(status=status, title=f"The {status} one", starts_ms=9_000, over_ms=9_000, entered=1)
    tournament(
        status="cancelled", title="The lonely one", starts_ms=9_000, over_ms=9_000, reason="too few have entered"
    )
    page = text_of(client, "/tournaments/")
    soon, running, over = (part.split("</section>")[0] for part in page.split('class="events"')[1:])
    assert "The announced one" in soon and "The open one" in soon
    assert "The running one" in running and "The over one" in over and "The cancelled one" in over
    assert "The running one" in text_of(client, "/tournaments/now/") and "The lonely one" not in page


def test_computer_players_are_named_in_the_readers_script(client: Client) -> None:
    of = tournament(status="running")
    people = entrants(of, 160, 160)
    Entrant.objects.filter(pk=people[0].pk).update(name="Meera")
    drawn_round(of, people)
    Seating.objects.filter(entrant_id=people[0].pk).update(name="Meera")
    for path in (f"/tournaments/{of.pk}/", f"/api/tournaments/{of.pk}/", f"/api/tournaments/{of.pk}/standings/"):
        answer = client.get(path, HTTP_ACCEPT_LANGUAGE="hi")
        said = answer.content.decode() if path.startswith("/t") else str(answer.json())
        assert "मीरा" in said and "Meera" not in said, path
        assert "player-2" in said, path


def test_every_rule_is_published_before_one_enters(client: Client) -> None:
    of = tournament(
        status="open",
        book="standard-deals-6",
        deals=2,
        most=36,
        least=12,
        entry=100,
        fee_percent=10,
        computers_after=45,
        round=0,
    )
    page = re.sub(r"\s+", " ", text_of(client, f"/tournaments/{of.pk}/"))
    for said in (
        *("Deals Rummy for chips, 2 deals", "2 deals a round", "The best 2 of each table", "are: 6, then 2, then 1."),
        *("160: 80 for each", "With fewer than 12 players", "10% of all entries", "45 seconds after the first entry"),
        *("100 chips", "Who is equal in all of this", "three such turns in a row"),
        *("50 %", "30 %", "20 %"),
    ):
        assert said in page, said


@pytest.mark.parametrize("kind", TournamentKind.values)
@pytest.mark.parametrize("book", BOOKS)
def test_every_book_has_its_rules_in_words(kind: str, book: str) -> None:
    rules = rule_text.published_rules(Tournament(kind=kind, book=book, entry=5, computers_after=9))
    assert all(name and rule and "{" not in rule for name, rule in rules)


def test_the_prizes_as_of_now_are_the_pot_less_the_fee() -> None:
    rows = rule_text.prize_rows(tournament(entry=101, entered=7, fee_percent=10), Counter())
    assert sum(row["chips"] for row in rows) == 707 - 70


def test_with_fewer_players_than_prizes_those_shown_are_what_is_paid() -> None:
    rows = rule_text.prize_rows(tournament(entry=101, entered=2), Counter())
    assert [(row["share"], row["chips"]) for row in rows] == [(50, 126), (30, 76), (20, 0)]


@pytest.mark.parametrize("kind", TournamentKind.values)
def test_its_rules_say_that_computer_players_come(kind: str) -> None:
    rules = dict(rule_text.published_rules(Tournament(kind=kind, book="standard-points", computers_after=9)))
    assert "9 seconds after the first entry" in rules["Computer players"]


def test_of_tables_of_two_it_is_said_that_three_may_sit_there() -> None:
    of = [Tournament(kind="knockout", book="standard-deals-6", seats=seats) for seats in (2, 3)]
    assert ["three sit" in str(rule_text.published_rules(each)) for each in of] == [True, False]


def test_the_prizes_of_one_that_begins_full_are_known_before_anybody_has_entered(client: Client) -> None:
    columns: dict[str, Any] = {"entry": 100, "most": 9, "fee_percent": 10, "round": 0}
    full, timed = tournament(status="open", **columns), tournament(status="open", starts_ms=9_000, **columns)
    called_off = tournament(status="cancelled", over_ms=9_000, **columns)
    assert [[row["chips"] for row in rule_text.prize_rows(each, Counter())] for each in (full, timed, called_off)] == [
        [405, 243, 162], [0, 0, 0], [0, 0, 0],
    ]  # fmt: skip
    assert "Somebody has to be the first" in text_of(client, f"/tournaments/{full.pk}/")
    assert "Nobody has entered" in text_of(client, f"/tournaments/{called_off.pk}/")


@pytest.mark.parametrize(
    ("next_ms", "said"), [(None, "computer players take free seats 30 s after"), (60_000, "Computer players take the")]
)
def test_where_computers_fill_the_seats_it_is_said_and_then_counted_down(
    client: Client, next_ms: int | None, said: str
) -> None:
    of = tournament(status="open", most=6, computers_after=30, next_ms=next_ms, round=0)
    for address in ("/tournaments/", f"/tournaments/{of.pk}/"):
        page = text_of(client, address)
        assert said in page and ("1970-01-01T00:01:00.000+00:00" in page) == bool(next_ms)


#: What a tournament is, what one is in it, and the acts that are offered.
OFFERED: list[tuple[dict[str, Any], dict[str, Any] | None, set[str]]] = [
    ({"status": "open"}, None, {"enter"}),
    ({"status": "open"}, {}, {"withdraw"}),
    ({"status": "announced"}, None, set()),
    ({"status": "running"}, None, set()),
    ({"status": "running"}, {"automatic": 3}, {"back"}),
    ({"status": "running"}, {"automatic": 2}, set()),
    ({"status": "open", "paused_ms": 5}, None, set()),
    ({"status": "open", "entered": 36}, None, set()),
    ({"status": "running", "kind": "arena", "ends_ms": 9_999_999_999_999}, None, {"enter"}),
    ({"status": "running", "kind": "arena", "ends_ms": 9_000}, None, set()),
    ({"status": "running", "kind": "arena"}, {"waits_ms": 5}, {"away"}),
    ({"status": "running", "kind": "arena"}, {"waits_ms": None}, {"back"}),
    ({"status": "over"}, {}, set()),
]


def test_one_is_offered_what_one_may_do() -> None:
    asha = signed_up("asha")
    browser = browser_of(asha)
    for columns, own, offered in OFFERED:
        of = tournament(**columns)
        if own is not None:
            Entrant.objects.create(tournament=of, user=asha, name="asha", round=1, **own)
        page = text_of(browser, f"/tournaments/{of.pk}/")
        assert set(re.findall(r'name="act"\s+value="(\w+)"', page)) == offered, (columns, own)


def test_a_cancelled_one_plays_no_round_and_promises_no_prize(client: Client) -> None:
    of = tournament(status="cancelled", entry=100, entered=3, over_ms=9_000)
    drawn_round(of, entrants(of, 80, 80))
    Round.objects.create(tournament=of, number=2, commitment="promise", sealed_seed=b"")
    page = text_of(client, f"/tournaments/{of.pk}/")
    assert "Running at" not in page and "Over; 2 tables" in page and "Not drawn yet" not in page
    assert "First prize" not in page and ">150" not in page
    assert client.get(f"/api/tournaments/{of.pk}/").json()["rounds"][0]["ends_at"] == "1970-01-01T00:00:09Z"


def test_who_had_entered_one_that_is_cancelled_reads_where_their_entry_is() -> None:
    asha = signed_up("asha")
    browser = browser_of(asha)
    paid, free = (tournament(status="cancelled", entry=entry, entered=1, over_ms=9_000) for entry in (100, 0))
    assert "back in your wallet" not in text_of(browser, f"/tournaments/{paid.pk}/")
    for of in (paid, free):
        Entrant.objects.create(tournament=of, user=asha, name="asha")
    page = text_of(browser, f"/tournaments/{paid.pk}/")
    assert "What you paid to enter is back in your wallet" in page and "Who had entered" in page
    assert "back in your wallet" not in text_of(browser, f"/tournaments/{free.pk}/")


def test_a_visitor_is_led_to_sign_up_and_back(client: Client) -> None:
    of = tournament(status="open")
    assert f'/signup/?next=/tournaments/{of.pk}/"' in text_of(client, f"/tournaments/{of.pk}/")
    assert client.post(f"/tournaments/{of.pk}/act/", {"act": "enter"}).url.startswith("/login/")


def test_a_refusal_is_said_and_changes_nothing() -> None:
    asha, of = signed_up("asha"), tournament(status="open")
    refuse = TableError("tournament_full", "It is full.")

    def full(**_: Any) -> None:
        raise refuse

    with patch.dict(views.ACTS, {"enter": (full, "You are in.")}):
        answer = browser_of(asha).post(f"/tournaments/{of.pk}/act/", {"act": "enter"}, follow=True)
    assert "It is full." in answer.content.decode()
    assert answer.redirect_chain == [(f"/tournaments/{of.pk}/", 302)]


def test_places_and_draws_stand_on_the_page_and_one_s_own_line_is_marked() -> None:
    asha, of = signed_up("asha"), tournament(entered=31)
    people = entrants(of, *range(30))
    mine = Entrant.objects.create(tournament=of, user=asha, name="asha", chips=15, round=1)
    drawn = drawn_round(of, [*people, mine])
    browser = browser_of(asha)
    page = text_of(browser, f"/tournaments/{of.pk}/")
    assert drawn.commitment in page and 'data-check="1"' in page
    own = page.split('class="places__own"')[1].split("</tr>")[0]
    assert "asha" in own and "<td>15</td>" in own
    assert page.count('<th scope="row">') - 3 == views.SHOWN, "three are prizes"
    assert f'href="/tournaments/{of.pk}/?from=20#places"' in page
    further = text_of(browser, f"/tournaments/{of.pk}/now/?from=20")
    assert "player-1<" in further.replace(" ", "") and "places__own" not in further


@pytest.mark.parametrize(
    ("kind", "number", "leads"), [("knockout", 1, False), ("knockout", 2, True), ("arena", None, True)]
)
def test_only_to_tables_that_may_be_watched_a_link_leads(
    client: Client, kind: str, number: int | None, leads: bool
) -> None:
    of = tournament(kind=kind, round=number or 0, rounds=2 if number else 0)
    table = open_table(terms=terms(), title="Evening", currency="TOURNAMENT")
    Table.objects.filter(pk=table.pk).update(tournament_id=of.pk, round=number)
    page = text_of(client, f"/tournaments/{of.pk}/")
    assert "Tables that play now" in page
    assert (f'href="/tables/{table.pk}/watch/"' in page) is leads


def test_between_two_deals_one_sees_the_first_five_and_oneself() -> None:
    asha, of = signed_up("asha"), tournament()
    entrants(of, *range(100, 110))
    Entrant.objects.create(tournament=of, user=asha, name="asha", chips=15, round=1)
    page = text_of(browser_of(asha), f"/tournaments/{of.pk}/others/")
    assert [int(place) for place in re.findall(r"<td>(\d+)</td>\s*<th", page)] == [1, 2, 3, 4, 5, 11]


def test_how_it_works_is_told_without_an_account(client: Client) -> None:
    assert "A knock-out, from entry to final" in text_of(client, "/tournaments/how-they-work/")


@pytest.mark.parametrize("path", ["", "now/", "others/"])
def test_a_tournament_that_is_none_is_not_found(client: Client, path: str) -> None:
    assert client.get(f"/tournaments/7/{path}").status_code == 404


def test_every_page_calls_who_is_in_a_tournament_that_is_not_over() -> None:
    asha, of = signed_up("asha"), tournament(status="open")
    browser = browser_of(asha)
    script = "js/tournament/called.js"
    assert script not in text_of(browser, "/wallet/")
    Entrant.objects.create(tournament=of, user=asha, name="asha")
    assert script in text_of(browser, "/wallet/")
    assert script not in text_of(browser, "/"), "the lobby hears of it by its own socket"
    Tournament.objects.update(status="over")
    assert script not in text_of(browser, "/wallet/")


@pytest.mark.parametrize("rounds_gone", [0, 1], ids=["removed before the start", "removed while it runs"])
def test_prizes_and_fee_count_the_entry_of_who_was_removed_and_nobody_in_their_place(
    client: Client, rounds_gone: int
) -> None:
    """What is shown is what will be paid: their entry stays in the pot, and they have no place."""
    of = tournament(status="running" if rounds_gone else "open", entry=101, fee_percent=10, starts_ms=9_000)
    people = entrants(of, 160, 150, 140)
    for each in people:
        Entrant.objects.filter(pk=each.pk).update(user=signed_up())
    Entrant.objects.filter(pk=people[2].pk).update(status="removed", round=rounds_gone)
    Tournament.objects.filter(pk=of.pk).update(entered=2 + rounds_gone)
    of.refresh_from_db()
    pot = ending.paid_in(of) - fee(ending.paid_in(of), 10)
    assert pot == 303 - 30
    ranked = placed([ending.shown_by(of, each) for each in people[:2]])
    paid = prizes_of(pot, of.prizes, ranked)
    shown = [row["chips"] for row in rule_text.prize_rows(of, ending.removed([of]))]
    assert shown == [*paid, 0]
    assert client.get(f"/api/tournaments/{of.pk}/").json()["fee"] == 30
    for address in ("/tournaments/", f"/tournaments/{of.pk}/"):
        assert f"{paid[0]} chips" in text_of(client, address), address
