"""Boards: who is on them, in which order, of which days; one's own line; names that are hidden."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from lobby.models import Player
from lobby.ratings.models import Rating
from tests.support.rated import rated, won
from tests.support.staff import browser_of

pytestmark = pytest.mark.django_db

#: A Wednesday, at half past one at night in India.
NOW = datetime(2026, 11, 17, 20, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def present() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


def board(ask: Any, **query: str) -> list[tuple[int | None, str | None, int | None]]:
    status, answer = ask.get(f"ratings/?{'&'.join(f'{key}={value}' for key, value in query.items())}")
    assert status == 200
    return [(line["place"], line["name"], line["value"]) for line in answer["results"]]


@pytest.mark.databases
def test_by_rating_equal_ones_share_a_place(program: Callable[..., Any]) -> None:
    for name, shown in (("asha", 1500), ("bela", 1700), ("chand", 1500), ("dev", 1400)):
        rated(name, shown)
    rated("early", 2000, matches=29)
    rated("other", 2000, family="pool")
    rated("guest-like", 2000, is_guest=True)
    rated("gone", 2000, closed_at=NOW)
    rated("locked", 2000, is_active=False)
    ask = program()
    assert board(ask, family="points") == [(1, "bela", 1700), (2, "asha", 1500), (2, "chand", 1500), (4, "dev", 1400)]
    assert board(ask, family="pool", period="all") == [(1, "other", 2000)] and board(ask, family="blind") == []


@pytest.mark.databases
@pytest.mark.parametrize(
    ("period", "since"),
    [
        ("day", datetime(2026, 11, 17, 18, 30, tzinfo=UTC)),
        ("week", datetime(2026, 11, 15, 18, 30, tzinfo=UTC)),
        ("month", datetime(2026, 10, 31, 18, 30, tzinfo=UTC)),
    ],
)
def test_periods_begin_at_midnight_in_the_report_zone_and_weeks_on_monday(
    program: Callable[..., Any], period: str, since: datetime
) -> None:
    asha, bela = rated("asha"), rated("bela")
    won(asha, 30, since)
    won(bela, 99, since - timedelta(seconds=1))
    won(bela, 7, since + timedelta(seconds=1))
    ask = program()
    assert board(ask, period=period) == [(1, "asha", 30), (2, "bela", 7)]
    assert ask.get(f"ratings/?period={period}")[1]["since"] == since.strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.databases
def test_what_was_won_before_the_first_place_counts_nowhere(program: Callable[..., Any]) -> None:
    asha = rated("asha", matches=32)
    for number in (29, 30, 31, 32):
        won(asha, 10, NOW, number=number)
    loser = rated("bela")
    won(loser, -5, NOW)
    assert board(program(), period="day") == [(1, "asha", 20)], "nor is anybody on it who won nothing"


@pytest.mark.databases
def test_boards_of_shows_and_of_places_in_arenas(program: Callable[..., Any]) -> None:
    asha, bela, chand = rated("asha"), rated("bela"), rated("chand")
    for player, places in ((asha, (2, 2, 2)), (bela, (1, 4)), (chand, (3, 9))):
        for place in places:
            won(player, 0, NOW, kind="arena", place=place, shows=place)
    won(chand, 0, NOW, place=1, shows=5)
    ask = program()
    assert board(ask, period="week", by="shows") == [(1, "chand", 17), (2, "asha", 6), (3, "bela", 5)]
    _, answer = ask.get("ratings/?period=week&by=arena")
    assert [(line["name"], *line["arenas"].values()) for line in answer["results"]] == [
        ("bela", 1, 0, 0), ("asha", 0, 3, 0), ("chand", 0, 0, 1),
    ]  # fmt: skip


@pytest.mark.databases
def test_ones_own_line_stands_beside_whatever_page(program: Callable[..., Any], asha: Player) -> None:
    for number in range(60):
        rated(f"player-{number:02}", 2000 - number)
    rated("asha", 1000)
    ask = program(asha)
    _, first = ask.get("ratings/")
    assert len(first["results"]) == 50 and first["me"]["place"] == 61 and first["next"] == "50"
    _, last = ask.get("ratings/?cursor=50")
    assert [last["results"][0]["place"], last["results"][-1]["name"], last["next"]] == [51, "asha", None]
    Rating.objects.filter(player=asha).update(matches=12)
    _, early = ask.get("ratings/")
    assert (early["me"]["place"], early["me"]["matches"], early["least_matches"]) == (None, 12, 30)
    assert program().get("ratings/")[1]["me"] is None


@pytest.mark.databases
def test_a_hidden_name_is_read_by_nobody_else(program: Callable[..., Any], asha: Player, ravi: Player) -> None:
    rated("asha", 1500)
    won(asha, 10, NOW)
    asha.hides_rating = True
    asha.save()
    assert board(program(ravi)) == [(1, None, 1500)]
    assert "asha" not in Client().get("/boards/").content.decode()
    assert program(ravi).get("players/asha/rating/")[0] == 404
    status, own = program(asha).get("players/asha/rating/")
    assert status == 200 and own["families"][0]["rating"] == 1500
    assert program(asha).get("ratings/")[1]["me"]["name"] == "asha"


@pytest.mark.databases
def test_who_hides_matches_or_places_is_named_on_no_board_of_these(
    program: Callable[..., Any], asha: Player, ravi: Player
) -> None:
    rated("asha", 1500)
    won(asha, 10, NOW, shows=3)
    won(asha, 10, NOW, kind="arena", place=2)
    told = {
        "hides_matches": {"rating": ("asha", None), "shows": (None, None), "arena": ("asha", None)},
        "hides_places": {"rating": ("asha", 30), "shows": ("asha", 30), "arena": (None, 30)},
    }
    for column, boards in told.items():
        Player.objects.filter(pk=asha.pk).update(**{each: each == column for each in told})
        for by, seen in boards.items():
            answer = program(ravi).get(f"ratings/?by={by}")[1]
            assert [(line["name"], line["matches"]) for line in answer["results"]] == [seen], (column, by)
            own = program(asha).get(f"ratings/?by={by}")[1]["me"]
            assert (own["name"], own["matches"]) == ("asha", 30)
            told_so = "Others read no name of yours here" in browser_of(asha).get(f"/boards/?by={by}").content.decode()
            assert told_so == (seen[0] is None), (column, by)
            page = browser_of(ravi).get(f"/boards/?by={by}").content.decode()
            assert ("asha" in page) == (seen[0] is not None) and ("<td>30</td>" in page) == (seen[1] is not None)


@pytest.mark.databases
def test_a_players_rating_has_its_curve(program: Callable[..., Any], ravi: Player) -> None:
    asha = rated("asha", 1500)
    for hour in range(3):
        won(asha, 10, NOW - timedelta(hours=hour), number=30 - hour, mu=25 - hour)
    _, answer = program(ravi).get("players/ASHA/rating/")
    assert answer["name"] == "asha"
    [family] = answer["families"]
    assert (family["family"], family["place"], family["matches"], family["uncertainty"]) == ("points", 1, 30, 333)
    assert [point["rating"] for point in family["curve"]] == [960, 1000, 1040]
    for nobody in ("nobody", "%20", "a" * 40):
        assert program(ravi).get(f"players/{nobody}/rating/")[0] == 404
    assert program().get("players/asha/rating/")[0] == 401


@pytest.mark.parametrize("query", ["family=poker", "period=year", "by=chips", "cursor=-1", "cursor=x"])
def test_a_question_that_has_no_answer_is_refused(program: Callable[..., Any], query: str) -> None:
    status, answer = program().get(f"ratings/?{query}")
    assert status == 400 and answer["fields"]
    assert Client().get(f"/boards/?{query}").status_code == 200, "a page shows the usual board"


def test_the_page_says_how_it_is_reckoned_and_keeps_ones_own_line_in_sight(client: Client, asha: Player) -> None:
    empty = client.get("/boards/").content.decode()
    assert "Nobody has a place here yet: it takes 30 rated matches" in empty and "1000 + 40 × (mu − 3 × sigma)" in empty
    for number in range(55):
        rated(f"player-{number:02}", 2000 - number)
    rated("asha", 1100, matches=31)
    client.force_login(asha)
    page = client.get("/boards/").content.decode()
    assert page.count("board__own") == 1 and "<tfoot>" in page and "cursor=50" in page
    assert "Your place: <strong>56</strong>, with a rating of 1100 ± 333." in page
    assert client.get("/boards/?cursor=50").content.decode().count("board__own") == 1
    Rating.objects.filter(player=asha).update(matches=3)
    assert "You have 3 rated matches here; a place comes with 30." in client.get("/boards/").content.decode()
    later = client.get("/boards/?period=day").content.decode()
    assert "a place comes with 30" in later
    Rating.objects.filter(player=asha).update(matches=31)
    later = client.get("/boards/?period=day").content.decode()
    assert "board__own" in later and "a place comes with 30" not in later, "they have enough, and won nothing today"


def test_a_guest_is_promised_no_place_for_any_number_of_matches(client: Client) -> None:
    guest = rated("guest-like", 1100, matches=3, is_guest=True)
    client.force_login(guest)
    for matches in (3, 31):
        Rating.objects.filter(player=guest).update(matches=matches)
        page = client.get("/boards/").content.decode()
        assert "Places are for names; guests have none." in page and "a place comes with" not in page
