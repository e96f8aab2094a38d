"""The API's ways to a seat, and what it shows of the lobby."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F

from lobby.models import Player, Stake
from lobby.stakes import open_tables, services as stakes
from lobby.stakes.private_tables import OPENED
from tables import tasks
from tables.models import Seating, Table
from tables.play import services as play
from tables.play.opening import open_table
from tests.support.clock import Clock
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.stakes import StakeFactory
from tests.support.steering import all_drop_but, next_deal
from tests.support.tables import connected, seated_at
from wallet.audit.audit import audit
from wallet.ledger import selectors as ledger

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


def listed_ids(program: Program, query: str = "") -> list[int]:
    status, content = program.get(f"lobby/{query}")
    assert status == 200
    return [stake["id"] for stake in content["stakes"]]


@pytest.mark.databases
def test_the_lobby_shows_stakes_with_their_tables_to_everybody(asha: Player) -> None:
    stake = StakeFactory(seats=3, fee_percent=7, maximum=900)
    stakes.quick_seat(stake_id=stake.pk, user=asha, amount=500)
    _, content = Program().get("lobby/")
    (row,) = content["stakes"]
    (table,) = row.pop("tables")
    assert row == {
        "id": stake.pk,
        "active": True,
        "title": "Points Rummy",
        "book": "standard-points",
        "family": "points",
        "seats": 3,
        "currency": "FUN",
        "point_value": 1,
        "entry": None,
        "fee_percent": 7,
        "minimum": 80,
        "maximum": 900,
        "seated": 1,
        "waiting": 1,
        "playing": 0,
        "tables_open": 1,
    }
    assert table["seats"] == [
        {"seat": 0, "name": "asha", "bot": False, "free": False},
        {"seat": 1, "name": None, "bot": False, "free": True},
        {"seat": 2, "name": None, "bot": False, "free": True},
    ]
    assert (table["seated"], table["waiting"], table["playing"], table["joinable"]) == (1, 1, 0, True)


@pytest.mark.databases
def test_the_filters_of_the_lobby() -> None:
    program = Program()
    duel, six, pool = StakeFactory(), StakeFactory(seats=6, point_value=5), StakeFactory(pool=True)
    StakeFactory(active=False)
    assert listed_ids(program) == [duel.pk, six.pk, pool.pk]
    assert listed_ids(program, "?family=pool&seats=3&currency=FUN&min=100&max=100") == [pool.pk]
    assert listed_ids(program, "?family=blind") == []
    assert listed_ids(program, "?min=81") == [six.pk, pool.pk]
    assert listed_ids(program, "?max=100&family=points") == [duel.pk]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("?family=Points", "family"),
        ("?seats=1", "seats"),
        ("?seats=x", "seats"),
        ("?currency=USD", "currency"),
        ("?min=-1", "min"),
        ("?min=1.5", "min"),
        ("?min=9&max=8", "max"),
        ("?max=" + "9" * 50, "max"),
    ],
)
def test_an_invalid_filter_is_a_400(query: str, field: str) -> None:
    status, content = Program().get(f"lobby/{query}")
    assert (status, content["code"], list(content["fields"])) == (400, "invalid", [field])


@pytest.mark.databases
def test_a_quick_seat_again_is_the_same_seat_and_costs_nothing_more(asha: Player) -> None:
    program, stake = Program(asha), StakeFactory(seats=6)
    first = program.post(f"stakes/{stake.pk}/seats/", {"buy_in": 200})
    assert first[0] == 200
    assert program.post(f"stakes/{stake.pk}/seats/", {"buy_in": 900}) == first
    assert program.post(f"tables/{first[1]['table']}/seats/") == first
    assert ledger.balances(asha)[0] == {"currency": "FUN", "free": 9_800, "in_play": 200}
    expected = {"title": "Points Rummy", "practice": False, "your_turn": False, "waits": False}
    assert program.get("me/")[1]["seat"] == first[1] | expected


@pytest.mark.databases
def test_players_fill_a_table_before_another_opens() -> None:
    stake = StakeFactory(seats=2)
    seats = [Program(signed_up()).post(f"stakes/{stake.pk}/seats/")[1] for _ in range(5)]
    tables = [seat["table"] for seat in seats]
    assert tables == [tables[0]] * 2 + [tables[2]] * 2 + [tables[4]]
    assert len(set(tables)) == 3


@pytest.mark.databases
def test_there_is_always_a_table_to_sit_down_at(asha: Player, ravi: Player) -> None:
    stake = StakeFactory(seats=2)
    for player in (asha, ravi):
        stakes.quick_seat(stake_id=stake.pk, user=player)
    (row,) = Program().get("lobby/")[1]["stakes"]
    assert [table["joinable"] for table in row["tables"]] == [True, False]


@pytest.mark.databases
def test_a_running_pool_takes_nobody_and_a_running_points_table_does() -> None:
    for stake, joins in ((StakeFactory(pool=True), False), (StakeFactory(seats=3), True)):
        first = stakes.quick_seat(stake_id=stake.pk, user=signed_up())
        Table.objects.filter(pk=first.table_id).update(phase="playing")
        (row,) = [offer for offer in Program().get("lobby/")[1]["stakes"] if offer["id"] == stake.pk]
        assert [table["joinable"] for table in row["tables"] if table["id"] == first.table_id] == [joins]
        second = stakes.quick_seat(stake_id=stake.pk, user=signed_up())
        assert (second.table_id == first.table_id) is joins


@pytest.mark.databases
def test_a_seat_that_somebody_has_left_is_free_once_the_deal_is_over(clock: Clock, asha: Player) -> None:
    """Until then the lobby does not offer the table, and opens another for who comes."""
    stake = StakeFactory(seats=3)
    place = open_table(terms=stake.terms(), title="Full", currency="FUN", stake_id=stake.pk)
    clients = seated_at(place, "bela", "chand", "dora", amount=800)
    next_deal(clients, clock)
    assert clients[2].send("leave")["type"] == "ack"
    described = {each["id"]: each for each in Program().get(f"stakes/{stake.pk}/tables/")[1]["results"]}
    assert (described[place.pk]["seated"], described[place.pk]["joinable"]) == (2, False)
    assert open_tables.stakes_with_room([stake.pk]) == set()
    assert Program(asha).post(f"tables/{place.pk}/seats/")[1]["code"] == "table_full"
    assert stakes.quick_seat(stake_id=stake.pk, user=asha).table_id != place.pk
    all_drop_but(clients[0], clients[:2])
    assert open_tables.joinable_among([place.pk]) == {place.pk}
    assert Program(signed_up()).post(f"tables/{place.pk}/seats/")[0] == 200


@pytest.mark.databases
def test_a_stake_whose_tables_have_all_started_gets_another(asha: Player) -> None:
    stake = StakeFactory(pool=True)
    first = stakes.quick_seat(stake_id=stake.pk, user=asha)
    Table.objects.filter(pk=first.table_id).update(phase="playing")
    stakes.ensure_tables()
    stakes.ensure_tables()
    assert Table.objects.filter(stake_id=stake.pk).count() == 2
    Stake.objects.update(active=False)
    Table.objects.update(phase="playing")
    stakes.ensure_tables()
    assert Table.objects.filter(stake_id=stake.pk).count() == 2


@pytest.mark.databases
def test_a_requested_seat_is_given_or_refused(asha: Player, ravi: Player) -> None:
    stake = StakeFactory(seats=6)
    _, seat = Program(asha).post(f"stakes/{stake.pk}/seats/", {"seat": 4})
    assert seat["seat"] == 4
    status, content = Program(ravi).post(f"tables/{seat['table']}/seats/", {"seat": 4})
    assert (status, content["code"]) == (409, "seat_taken")
    assert Program(ravi).post(f"stakes/{stake.pk}/seats/", {"seat": 4})[1]["table"] != seat["table"]


@pytest.mark.parametrize(
    ("buy_in", "status", "code"),
    [
        (79, 400, "below_minimum"),
        (901, 400, "above_maximum"),
        (0, 400, "invalid"),
        (-80, 400, "invalid"),
        ("ninety", 400, "invalid"),
        (80.5, 400, "invalid"),
        (2**60, 400, "invalid"),
        (True, 400, "invalid"),
    ],
)
def test_a_wrong_buy_in_changes_nothing(asha: Player, buy_in: Any, status: int, code: str) -> None:
    stake = StakeFactory(maximum=900)
    got, content = Program(asha).post(f"stakes/{stake.pk}/seats/", {"buy_in": buy_in})
    assert (got, content["code"]) == (status, code)
    assert not Seating.objects.exists()
    assert ledger.balances(asha)[0]["free"] == 10_000


def test_an_unaffordable_seat_is_refused(asha: Player) -> None:
    rich = StakeFactory(point_value=100)
    status, content = Program(asha).post(f"stakes/{rich.pk}/seats/", {"buy_in": 10_001})
    assert (status, content["code"]) == (409, "insufficient_balance")
    dear = StakeFactory(pool=True, entry=10_001)
    status, content = Program(asha).post(f"stakes/{dear.pk}/seats/")
    assert (status, content["code"]) == (409, "insufficient_balance")
    assert not Seating.objects.filter(left_at=None).exists()


@pytest.mark.databases
def test_a_player_holds_three_seats_at_most_practice_included(asha: Player) -> None:
    program, practice = Program(asha), {"book": "standard-points", "players": 2}
    assert program.post("practice/", practice)[0] == 200
    first, second, third = (f"stakes/{StakeFactory().pk}/seats/" for _ in range(3))
    assert program.post(first)[0] == program.post(second)[0] == 200
    assert program.post(first) == program.post(first), "the seat that one has there already"
    for path, content in ((third, {}), ("practice/", {**practice, "players": 3})):
        status, refused = program.post(path, content)
        assert (status, refused["code"]) == (409, "too_many_tables")
    seats = program("GET", "me/")[1]["seats"]
    assert [own_seat["practice"] for own_seat in seats] == [False, False, True]


def test_a_full_table_is_full(asha: Player, ravi: Player) -> None:
    stake = StakeFactory()
    for player in (asha, ravi):
        seating = stakes.quick_seat(stake_id=stake.pk, user=player)
    status, content = Program(signed_up()).post(f"tables/{seating.table_id}/seats/")
    assert (status, content["code"]) == (409, "table_full")


def test_missing_rows_and_rows_of_others_look_alike(asha: Player, ravi: Player) -> None:
    stake = StakeFactory()
    practice = stakes.practice(user=ravi, book_key="standard-points", players=3).table_id
    Program(ravi).post("private/", {"stake": stake.pk})
    private = Table.objects.exclude(private_code="").get().pk
    answers = [Program(asha).post(f"tables/{number}/seats/") for number in (practice, private, 999_999)]
    assert answers == [(404, {"code": "not_found", "message": "There is no such table."})] * 3
    StakeFactory(pk=777, active=False)
    unknown = [Program(asha).post(f"stakes/{number}/seats/") for number in (777, 778)]
    assert unknown[0] == unknown[1]
    assert unknown[0][0] == 404


@pytest.mark.parametrize(
    "path", ["tables/1/seats/", "stakes/1/seats/", "practice/", "private/", "private/ABC/seats/", "auth/logout/"]
)
def test_a_seat_needs_a_sign_in(path: str) -> None:
    status, content = Program().post(path)
    assert (status, content["code"]) == (401, "not_authenticated")


def test_a_practice_table_counts_its_players_with_oneself(asha: Player) -> None:
    status, seat = Program(asha).post("practice/", {"book": "standard-pool-201", "players": 5})
    assert status == 200
    seatings = Seating.objects.filter(table=seat["table"])
    assert (seatings.count(), seatings.filter(user=None).count()) == (5, 4)
    assert ledger.balances(asha)[0]["in_play"] == 0, "practice chips are nobody's"
    assert Program().get("lobby/")[1]["stakes"] == []


@pytest.mark.parametrize(
    ("request_body", "code"),
    [
        ({"book": "no-book", "players": 2}, "unknown_book"),
        ({"book": "standard-deals-3", "players": 3}, "bad_players"),
        ({"book": "standard-points", "players": 1}, "invalid"),
        ({"book": "standard-points", "players": 7}, "invalid"),
        ({"players": 2}, "invalid"),
        ({}, "invalid"),
    ],
)
def test_an_impossible_practice_is_refused(asha: Player, request_body: dict[str, Any], code: str) -> None:
    status, content = Program(asha).post("practice/", request_body)
    assert (status, content["code"]) == (400, code)
    assert not Table.objects.exists()


def test_practice_can_be_switched_off(asha: Player, settings: Any) -> None:
    settings.COMPUTER_PLAYERS = False
    status, content = Program(asha).post("practice/", {"book": "standard-points", "players": 2})
    assert (status, content["code"]) == (403, "computers_off")


def test_a_private_table_opens_by_its_code_alone(asha: Player, ravi: Player) -> None:
    stake = StakeFactory()
    status, content = Program(asha).post("private/", {"stake": stake.pk})
    assert status == 201
    first = Program(asha).post(f"private/{content['code']}/seats/", {"buy_in": 100})
    second = Program(ravi).post(f"private/{content['code'].lower()}/seats/", {"buy_in": 100})
    assert (first[0], second[0]) == (200, 200)
    assert first[1]["table"] == second[1]["table"]
    assert Program().get("lobby/")[1]["stakes"][0]["seated"] == 0
    status, refused = Program(ravi).post("private/NOSUCH/seats/")
    assert (status, refused["code"]) == (404, "not_found")


def test_the_seat_of_who_has_left_a_running_deal_is_not_shown_as_free(asha: Player, ravi: Player, clock: Clock) -> None:
    stake = StakeFactory(seats=4)
    people = [asha, ravi, signed_up()]
    seats = [stakes.quick_seat(stake_id=stake.pk, user=person, amount=500) for person in people]
    table = Table.objects.get(pk=seats[0].table_id)
    places = [connected(table, person) for person in people]
    next_deal(places, clock)
    places[1].send("leave")
    (listed,) = open_tables.describe(open_tables.all_tables(stake.pk))
    named, free = [place["name"] for place in listed["seats"]], [place["free"] for place in listed["seats"]]
    assert (named[1], named[3], free) == (None, None, [False, False, False, True])
    newcomer = Program(signed_up())
    assert newcomer.post(f"tables/{table.pk}/seats/", {"seat": 1})[1]["code"] == "seat_taken"
    assert newcomer.post(f"tables/{table.pk}/seats/", {"seat": 3})[0] == 200


@pytest.mark.databases
def test_private_tables_are_limited(asha: Player) -> None:
    stake, program = StakeFactory(), Program(asha)
    answers = [program.post("private/", {"stake": stake.pk})[0] for _ in range(OPENED.tries + 1)]
    assert answers == [201] * OPENED.tries + [429]


@pytest.mark.databases
def test_a_private_table_at_which_nobody_sits_is_closed(asha: Player, ravi: Player) -> None:
    """A table in use stays, and so does one that was just opened or left, and every table that the lobby lists."""
    stake, program = StakeFactory(), Program(asha)
    codes = [program.post("private/", {"stake": stake.pk})[1]["code"] for _ in range(4)]
    empty, used, left, fresh = (Table.objects.get(private_code=code) for code in codes)
    Table.objects.exclude(pk=fresh.pk).update(opened_at=F("opened_at") - timedelta(seconds=601))
    program.post(f"private/{used.private_code}/seats/")
    program.post(f"private/{left.private_code}/seats/")
    play.leave_if_idle(user_id=asha.pk)
    program.post(f"private/{used.private_code}/seats/")
    assert play.close_idle_tables() == 1
    assert set(Table.objects.filter(status=Table.Status.CLOSED)) == {empty}
    Seating.objects.filter(table=left).update(freed_at=F("freed_at") - timedelta(seconds=601))
    tasks.release_seats()
    assert set(Table.objects.filter(status=Table.Status.CLOSED)) == {empty, left}
    assert Program(ravi).post(f"private/{empty.private_code}/seats/")[1]["code"] == "not_found"
    Seating.objects.filter(table=left).update(freed_at=F("left_at"))
    assert not audit().differences


@pytest.mark.parametrize("body", ["", "[]", "null", '"x"', "{", '{"seat": "x"}', '{"seat": -1}'])
def test_an_invalid_body_is_a_400(asha: Player, body: str) -> None:
    stake, program = StakeFactory(), Program(asha)
    answer = program.client.generic(
        "POST", f"/api/stakes/{stake.pk}/seats/", body, content_type="application/json", headers=program.headers
    )
    assert answer.status_code == (200 if body == "" else 400)


def test_the_schema_describes_every_call(tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    call_command("spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json", "--file", str(file))
    schema = json.loads(file.read_text())
    for path in ("auth/signup", "me", "lobby", "tables/{table_id}/seats", "practice", "private/{code}/seats"):
        assert f"/api/{path}/" in schema["paths"]
