"""A player's view of their money: in the API and on their page."""

import re
from base64 import b64encode
from datetime import datetime
from typing import Any

import pytest
from django.contrib.auth.models import AbstractBaseUser
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from tests.support.books import seat
from tests.support.finance import body
from tests.support.players import signed_up
from wallet.base.api import NewestFirst
from wallet.models import Posting
from wallet.play_money import services as play_money, tournaments

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

MORNING = datetime.fromisoformat("2026-11-20T09:00:00Z")
NEXT_DAY = datetime.fromisoformat("2026-11-21T00:00:00Z")


@pytest.fixture
def api(asha: AbstractBaseUser) -> Client:
    client = Client()
    client.force_login(asha)
    return client


def play(user: AbstractBaseUser, sittings: int) -> None:
    for sitting in range(1, sittings + 1):
        seat(sitting, user, 100)
        play_money.cash_out(seating=sitting, amount=100 - sitting % 2, key=f"seating:{sitting}:out")


@pytest.fixture
def two_days(asha: AbstractBaseUser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sit down in the morning, and leave in the first moment of the next day."""
    monkeypatch.setattr(timezone, "now", lambda: MORNING)
    seat(1, asha, 100)
    monkeypatch.setattr(timezone, "now", lambda: NEXT_DAY)
    play_money.cash_out(seating=1, amount=60, key="seating:1:out")
    monkeypatch.undo()


def entries(client: Client, **query: str) -> list[dict[str, Any]]:
    response = client.get("/api/wallet/statement/", query)
    assert response.status_code == 200, response.content
    return list(response.json()["results"])


def test_balances_are_whole_numbers_beside_their_currency(api: Client, asha: AbstractBaseUser) -> None:
    seat(1, asha, 800)
    assert api.get("/api/wallet/").json() == {"balances": [{"currency": "FUN", "free": 9_200, "in_play": 800}]}


@pytest.mark.parametrize("path", ["/api/wallet/", "/api/wallet/statement/"])
def test_without_signing_in_nothing_is_told(path: str, db: None) -> None:
    response = Client().get(path)
    assert response.status_code in (401, 403)
    assert set(response.json()) == {"code", "message"}


def test_the_statement_tells_what_happened_newest_first(api: Client, asha: AbstractBaseUser) -> None:
    seat(1, asha, 800)
    play_money.cash_out(seating=1, amount=750, key="seating:1:out")
    listed_entries = entries(api)
    assert [(entry["what"], entry["amount"], entry["balance"], entry["reference"]) for entry in listed_entries] == [
        ("Left the table", 750, 9_950, "seating:1:out"),
        ("Took a seat", -800, 9_200, "seating:1:buy_in"),
        ("Welcome chips", 10_000, 10_000, f"signup:{asha.pk}"),
    ]
    assert {entry["currency"] for entry in listed_entries} == {"FUN"}
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", entry["time"]) for entry in listed_entries)


def test_what_was_paid_for_a_tournament_and_won_in_it_leads_to_it(api: Client, asha: AbstractBaseUser) -> None:
    tournaments.take_tournament_entry(tournament=7, entrant=1, user=asha, amount=100)
    tournaments.award_tournament(tournament=7, prizes={asha.pk: 90}, fee=10)
    prize, entry, *others = api.get("/api/wallet/statement/").json()["results"]
    assert [(each["amount"], each["tournament"]) for each in (prize, entry)] == [(90, 7), (-100, 7)]
    assert {each["tournament"] for each in others} <= {None}
    assert api.get("/wallet/").content.decode().count('href="/tournaments/7/"') == 2


def test_the_running_balance_follows_from_the_changes(api: Client, asha: AbstractBaseUser) -> None:
    play(asha, 10)
    balance = 0
    for entry in reversed(entries(api)):
        balance += entry["amount"]
        assert entry["balance"] == balance
    assert balance == api.get("/api/wallet/").json()["balances"][0]["free"]


def test_pages_follow_each_other_without_gap_or_repeat_even_while_play_goes_on(
    api: Client, asha: AbstractBaseUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NewestFirst, "page_size", 4)
    play(asha, 6)
    references: list[str] = []
    following: str | None = "/api/wallet/statement/"
    while following:
        page = api.get(following).json()
        references += [entry["reference"] for entry in page["results"]]
        following = page["next"]
        seat(1000 + len(references), asha, 1)
    assert len(references) == len(set(references)) == 13
    assert references[-1].startswith("signup")


def test_a_player_sees_their_own_entries_only(api: Client, asha: AbstractBaseUser) -> None:
    seat(1, signed_up("bela"), 800)
    assert [entry["what"] for entry in entries(api)] == ["Welcome chips"]


@pytest.mark.parametrize(
    ("period", "labels"),
    [
        ({"from": "2026-11-20", "to": "2026-11-20"}, ["Took a seat"]),
        ({"from": "2026-11-21", "to": "2026-11-21"}, ["Left the table"]),
        ({"from": "2026-11-20", "to": "2026-11-21"}, ["Left the table", "Took a seat"]),
        ({"from": "2026-11-20T09:00:00Z", "to": "2026-11-21T00:00:00Z"}, ["Took a seat"]),
        ({"from": "2026-11-20T14:30:01+05:30", "to": "2026-11-21T05:30:01+05:30"}, ["Left the table"]),
        ({"to": "2026-11-19"}, []),
    ],
)
def test_every_entry_is_in_exactly_one_day(
    api: Client, two_days: None, period: dict[str, str], labels: list[str]
) -> None:
    all_labels = [entry["what"] for entry in entries(api, **period)]
    assert [label for label in all_labels if label != "Welcome chips"] == labels


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"currency": "EUR"}, "currency"),
        ({"from": "yesterday"}, "from"),
        ({"from": "2026-02-30"}, "from"),
        ({"to": "2026-11-20T25:00:00Z"}, "to"),
        ({"to": "9999-12-31"}, "to"),
        ({"from": "\x00"}, "from"),
    ],
)
def test_an_invalid_request_is_named(api: Client, query: dict[str, str], field: str) -> None:
    response = api.get("/api/wallet/statement/", query)
    assert response.status_code == 400
    assert response.json()["code"] == "invalid"
    assert list(response.json()["fields"]) == [field]


@pytest.mark.parametrize("position", [None, "", "abc", "\0", "9" * 30])
def test_a_forged_cursor_is_not_found(api: Client, position: str | None) -> None:
    cursor = "x" if position is None else b64encode(f"p={position}".encode()).decode()
    for path in ("/api/wallet/statement/", "/wallet/", "/api/history/", "/history/"):
        assert api.get(path, {"cursor": cursor}).status_code == 404


def test_a_currency_one_never_held_has_no_entries(api: Client, marks: None) -> None:
    assert entries(api, currency="TST") == []
    assert "No entries in test marks yet." in text_of(api, currency="TST")


def test_a_statement_takes_few_queries_however_long(
    api: Client, asha: AbstractBaseUser, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    play(asha, 10)
    with django_assert_max_num_queries(6):
        api.get("/api/wallet/statement/")


def test_the_page_is_for_who_has_signed_in(db: None) -> None:
    response = Client().get("/wallet/")
    assert response.status_code == 302
    assert "next=/wallet/" in response["Location"]


def text_of(client: Client, **query: str) -> str:
    response = client.get("/wallet/", query)
    assert response.status_code == 200
    html = response.content.decode()
    assert " style=" not in html
    assert not re.search(r"<script(?![^>]* src=)", html)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html.partition("<main")[2].partition("</main>")[0]))


def test_the_page_shows_balances_and_entries(api: Client, asha: AbstractBaseUser) -> None:
    seat(1, asha, 800)
    text = text_of(api)
    assert "Free to play 9,200 chips In play 800 chips" in text
    assert "seating:1:buy_in" not in text and "signup" not in text, "keys are for programs"
    assert "Took a seat Change −800 Balance 9,200" in text
    assert "Change +10,000 Balance 10,000" in text


def test_the_page_filters(api: Client, two_days: None) -> None:
    text = text_of(api, **{"currency": "FUN", "from": "2026-11-21", "to": "2026-11-21"})
    assert "Left the table" in text
    assert "Took a seat" not in text
    assert "Nothing happened in these days." in text_of(api, **{"from": "2026-01-01", "to": "2026-01-02"})
    assert "Older" not in text


def test_a_day_on_the_page_is_a_day_of_the_times_on_it(
    api: Client, asha: AbstractBaseUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half past one at night in India is the evening before in UTC: the API counts days as the page does."""
    monkeypatch.setattr(timezone, "now", lambda: datetime.fromisoformat("2026-11-20T20:00:00Z"))
    seat(1, asha, 100)
    monkeypatch.undo()
    day = {"from": "2026-11-21", "to": "2026-11-21"}
    assert "21 Nov 2026, 01:30 IST Took a seat" in text_of(api, **day)
    assert "seating:1:buy_in" in body(api.get("/wallet/statement/download/", day)).decode()
    assert [entry["what"] for entry in entries(api, **day)] == ["Took a seat"]


def test_the_page_leads_to_older_entries_and_back(
    api: Client, asha: AbstractBaseUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NewestFirst, "page_size", 4)
    play(asha, 3)
    html = api.get("/wallet/").content.decode()
    older = re.search(r'href="([^"]+)" rel="next"', html)
    assert older
    older_page = api.get(older[1].replace("&amp;", "&")).content.decode()
    assert "Welcome chips" in older_page
    assert 'rel="prev"' in older_page


def test_the_page_says_what_was_asked_wrongly(api: Client) -> None:
    text = text_of(api, **{"from": "soon", "currency": "EUR"})
    assert "From: A day as 2026-11-21" in text
    assert "Welcome chips" in text


def test_hostile_text_in_the_query_stays_text(api: Client) -> None:
    html = api.get("/wallet/", {"from": '"><script>alert(1)</script>'}).content.decode()
    assert "<script>alert" not in html


def test_the_wallet_of_one_who_has_none_yet(db: None, django_user_model: Any) -> None:
    client = Client()
    client.force_login(django_user_model.objects.create_user(username="new", password="a long pass phrase"))
    assert not Posting.objects.exists()
    assert "Your wallet is still empty." in text_of(client)
    assert client.get("/api/wallet/").json() == {"balances": []}
