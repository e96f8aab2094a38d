"""The score sheet of a table, for those who sit there and those who watch."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from tables.history.score_sheet import sheet
from tables.models import Deal, Table
from tables.play import services as play
from tests.support.clock import Clock
from tests.support.steering import all_drop_but, next_deal, one_loses_eighty, to_move
from tests.support.tables import Client, seated_at

pytestmark = pytest.mark.django_db


def request_sheet(user: Any, table: int) -> tuple[int, Any]:
    api = APIClient()
    if user is not None:
        api.force_authenticate(user)
    answer = api.get(f"/api/tables/{table}/sheet/")
    return answer.status_code, answer.json()


def sheet_of(client: Client) -> Any:
    status, content = request_sheet(client.user, client.table)
    assert status == 200
    return content


def columns_of(deal: Any, *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(row[key] for key in keys) for row in deal["rows"]]


def test_a_deal_has_the_number_that_the_table_showed_after_one_that_was_void(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    to_move(list(duel)).send("drop")
    for client in duel:
        client.send("continue")
    next_deal(list(duel), clock)
    Deal.objects.filter(status="over").update(status="void")
    number = duel[0].view()["deal"]["number"]
    to_move(list(duel)).send("drop")
    assert [deal["number"] for deal in sheet_of(duel[0])["deals"]] == [number] == [2]


def test_before_the_first_result_it_is_empty(duel: tuple[Client, Client]) -> None:
    content = sheet_of(duel[0])
    assert (content["deals"], content["last"], content["limit"]) == ([], None, None)


def test_a_deal_for_points_shows_its_chips(duel: tuple[Client, Client]) -> None:
    first, second = duel
    first.send("drop")
    content = sheet_of(second)
    (deal,) = content["deals"]
    rows = {name: (outcome, points, amount, total) for name, outcome, points, amount, total in columns_of(
        deal, "name", "outcome", "points", "amount", "total"
    )}  # fmt: skip
    assert rows[str(first.user)] == ("dropped", 20, -20, None)
    assert rows[str(second.user)] == ("won", 0, 18, None)
    assert not any(out or back is not None for out, back in columns_of(deal, "out", "rejoined"))


def test_the_last_deal_lies_open_with_its_cut_joker(duel: tuple[Client, Client]) -> None:
    first, second = duel
    deal, hand = first.view()["deal"], first.me["hand"]
    first.send("drop")
    last = sheet_of(second)["last"]
    assert (last["deal"], last["cut_joker"], last["wild_rank"]) == (deal["id"], deal["cut_joker"], deal["wild_rank"])
    row = next(row for row in last["rows"] if row["outcome"] == "dropped")
    assert sorted([card for group in row["groups"] for card in group] + row["loose"]) == sorted(hand)
    assert last["rows"] == second.view()["result"]["rows"]


def test_a_player_who_left_stays_on_the_sheet(duel: tuple[Client, Client]) -> None:
    first, second = duel
    first.send("leave")
    assert ("left",) in columns_of(sheet_of(second)["deals"][0], "outcome")
    assert str(first.user) in {name for (name,) in columns_of(sheet_of(second)["deals"][0], "name")}


def test_for_points_the_last_twenty_are_listed_and_count_on(duel: tuple[Client, Client], clock: Clock) -> None:
    first, second = duel
    for _ in range(22):
        mover = to_move([first, second])
        mover.send("drop")
        for client in duel:
            client.send("continue")
        clock.wait(4)
        play.tick(table_id=first.table)
    content = sheet_of(first)
    assert [deal["number"] for deal in content["deals"]] == list(range(3, 23))
    assert content["last"]["number"] == 22


def test_a_pool_shows_totals_who_is_out_and_who_came_back(pool: Callable[[int], list[Client]], clock: Clock) -> None:
    clients = pool(3)
    loser, winner, _ = clients
    one_loses_eighty(loser, winner, clients)
    next_deal(clients, clock)
    all_drop_but(winner, clients)
    first, second = sheet_of(winner)["deals"]
    assert [deal["number"] for deal in (first, second)] == [1, 2]
    assert columns_of(first, "seat", "total", "out")[0] == (0, 80, False)
    assert columns_of(second, "seat", "points", "total", "out", "rejoined")[0] == (0, 20, 100, False, None)
    next_deal(clients, clock)
    all_drop_but(winner, clients)
    assert columns_of(sheet_of(winner)["deals"][2], "total", "out", "rejoined")[0] == (120, True, None)
    assert loser.send("rejoin", accept=True)["type"] == "ack"
    back = loser.view()["seats"][0]["total"]
    content = sheet_of(winner)
    assert content["limit"] == 101
    assert columns_of(content["deals"][2], "total", "out", "rejoined")[0] == (120, True, back)
    next_deal(clients, clock)
    all_drop_but(winner, clients)
    assert columns_of(sheet_of(winner)["deals"][3], "total", "out", "rejoined")[0] == (back + 20, False, None)


def test_it_takes_eight_queries_however_much_was_played(
    pool: Callable[[int], list[Client]], clock: Clock, django_assert_num_queries: Any
) -> None:
    clients = pool(2)
    for _ in range(3):
        all_drop_but(clients[0], clients)
        next_deal(clients, clock)
    with django_assert_num_queries(8):
        sheet(table_id=clients[0].table, user=clients[0].user)


def test_anybody_may_see_it_at_a_public_table(duel: tuple[Client, Client], player: Callable[[str], Any]) -> None:
    assert request_sheet(player("watcher"), duel[0].table)[0] == 200


def test_at_a_private_table_only_who_sits_there(duel: tuple[Client, Client], player: Callable[[str], Any]) -> None:
    Table.objects.update(private_code="SECRET")
    assert request_sheet(duel[0].user, duel[0].table)[0] == 200
    assert request_sheet(player("watcher"), duel[0].table) == request_sheet(duel[0].user, 999_999)


def test_who_left_where_they_may_not_watch_sees_the_deals_they_were_in_and_nobody_else_does(
    table: Callable[..., Table], clock: Clock, player: Callable[[str], Any]
) -> None:
    place = table(seats=3)
    company = seated_at(place, "asha", "ravi", amount=800)

    def played(*clients: Client) -> None:
        for client in clients:
            client.send("continue")
        next_deal([*clients], clock)
        all_drop_but(clients[0], [*clients])

    played(*company)
    [meena] = seated_at(place, "meena", amount=800)
    played(*company, meena)
    meena.send("leave")
    played(*company)
    company[0].user.forbids_watching = True
    company[0].user.save()
    assert [deal["number"] for deal in sheet_of(company[1])["deals"]] == [1, 2, 3]
    own = sheet_of(meena)
    assert [deal["number"] for deal in own["deals"]] == [2] == [own["last"]["number"]]
    assert {name for (name,) in columns_of(own["last"], "name")} == {"asha", "ravi", "meena"}
    assert request_sheet(player("watcher"), place.pk)[0] == 404


def test_nobody_else(duel: tuple[Client, Client]) -> None:
    assert request_sheet(None, duel[0].table)[0] in (401, 403)
    status, refused = request_sheet(duel[0].user, 999_999)
    assert (status, refused["code"]) == (404, "not_found")


def test_a_deal_that_still_runs_shows_nothing(duel: tuple[Client, Client]) -> None:
    first, _ = duel
    hidden = set(first.me["hand"])
    content = sheet_of(first)
    assert content["last"] is None and not any(card in str(content) for card in hidden)
    assert Deal.objects.filter(status=Deal.Status.PLAYING).exists()
