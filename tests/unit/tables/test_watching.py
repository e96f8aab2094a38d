"""Watching one deal behind: who may, what is shown when, and that nothing of the running deal is."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from config.bootstrap import ROOT
from tables.errors import TableError
from tables.history import sharing
from tables.log.reading import PlayedDeal, played_lately
from tables.models import Deal, Table, Tournament, TournamentKind
from tables.play import services as play
from tables.play.presence import current_frame
from tables.sockets.base import NO_TABLE, SIGNED_OUT, TRY_LATER
from tables.watching import pictures, scripts
from tables.watching.pictures import OnShow, showing
from tests.fleet.leak.oracle import _cards
from tests.support.clock import Clock
from tests.support.players import signed_up
from tests.support.steering import all_drop_but, ask, next_deal, pass_turn, to_move
from tests.support.tables import Client, seated_at

pytestmark = pytest.mark.django_db
MINUTE = 60_000


def watched(table: int, user: Any = None) -> tuple[int, Any]:
    api = APIClient()
    api.force_authenticate(user or signed_up("watcher"))
    answer = api.get(f"/api/tables/{table}/watch/")
    return answer.status_code, answer.json()


def seen_at(table: int, clock: Clock, seconds: float = 0) -> Any:
    clock.wait(seconds)
    found = pictures.see(table)
    deal = found.shown and scripts.script_of(found.shown.deal_id)
    return json.loads(pictures.picture(found, deal, found.now))


def played_out(duel: tuple[Client, Client], clock: Clock) -> list[Client]:
    """Play the deal: two turns of ten seconds each, and then the player to move drops."""
    for _ in range(4):
        clock.wait(10)
        pass_turn(to_move(list(duel)))
    clock.wait(10)
    to_move(list(duel)).send("drop")
    return list(duel)


def test_no_number_is_told_of_a_deal_that_is_yet_to_come(table: Callable[..., Table], clock: Clock) -> None:
    place = table()
    told = lambda: [seen_at(place.pk, clock)["live"][name] for name in ("phase", "deal")]  # noqa: E731
    clients = seated_at(place, "asha", amount=800)
    assert told() == ["waiting", None]
    clients += seated_at(place, "ravi", amount=800)
    assert told() == ["starting", None]
    clock.wait(10)
    play.tick(table_id=place.pk)
    assert told() == ["playing", 1]
    to_move(clients).send("drop")
    assert told() == ["result", 1]
    clients[0].send("leave")
    clients[1].send("continue")
    clock.now = clients[1].view()["clock"]["deadline"]
    play.tick(table_id=place.pk)
    assert told() == ["waiting", None]


def begin_next(clients: list[Client], clock: Clock) -> None:
    """Begin the next deal as soon as it may, with everybody there."""
    for client in clients:
        ask(client, "continue")
    clock.now = clients[0].view()["clock"]["deadline"]
    play.tick(table_id=clients[0].table)


# --- when which deal is shown ---


def minutes(*deals: tuple[float, float | None]) -> list[PlayedDeal]:
    return [
        PlayedDeal(number, int(began * MINUTE), None if ended is None else int(ended * MINUTE))
        for number, (began, ended) in enumerate(deals, start=1)
    ]


@pytest.mark.parametrize(
    ("deals", "now", "shown"),
    [
        ([], 5, None),
        ([(0, None)], 5, None),
        ([(0, 3)], 2.9, None),
        ([(0, 3)], 3, (1, 3)),
        ([(0, 3), (4, None)], 60, (1, 3)),
        # The second took as long as the first: it is shown once it has ended.
        ([(0, 3), (4, 7)], 6.9, (1, 3)),
        ([(0, 3), (4, 7)], 7, (2, 7)),
        # It was shorter: the first is shown to its end, at four from the beginning of the second on.
        ([(0, 3), (4, 5)], 6.9, (1, 3)),
        ([(0, 3), (4, 5)], 7, (2, 7)),
        # But the third begins before that.
        ([(0, 3), (4, 5), (6, None)], 5.9, (1, 3)),
        ([(0, 3), (4, 5), (6, None)], 6, (2, 6)),
        # The second never had a result.
        ([(0, 3), (4, None), (5, 7)], 6.9, (1, 3)),
        ([(0, 3), (4, None), (5, 7)], 8, (3, 8)),
    ],
)  # fmt: skip
def test_the_last_deal_before_the_running_one_is_shown(
    deals: list[tuple[float, float | None]], now: float, shown: tuple[int, float] | None
) -> None:
    expected = None if shown is None else OnShow(shown[0], int(shown[1] * MINUTE))
    assert showing(minutes(*deals), int(now * MINUTE)) == expected


# --- what is shown ---


def test_before_a_deal_is_over_there_is_none_and_no_card_of_the_running_one(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    pass_turn(duel[0])
    status, content = watched(duel[0].table)
    assert (status, content["deal"], content["live"]["deal"], content["live"]["phase"]) == (200, None, 1, "playing")
    assert content["live"]["clock"]["seat"] == duel[1].me["seat"]
    assert [seat["stack"] for seat in content["live"]["seats"]] == [800, 800]
    assert not _cards(json.dumps(content))


def test_a_finished_deal_is_shown_step_by_step_at_its_own_speed_with_all_hands(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    hands = {client.me["seat"]: set(client.me["hand"]) for client in duel}
    clients = played_out(duel, clock)
    first = seen_at(clients[0].table, clock)["deal"]
    assert first["steps"][-1]["type"] == "cut_joker_turned" and first["result"] is None
    dealt = first["steps"][-1]["hands"] or next(step["hands"] for step in first["steps"] if step["hands"])
    assert {int(seat): {*hand["loose"]} for seat, hand in dealt.items()} == hands
    drawn = [
        [step["type"] for step in seen_at(clients[0].table, clock, 10)["deal"]["steps"]].count("card_drawn")
        for _ in range(4)
    ]
    assert drawn == [1, 2, 3, 4]
    whole = seen_at(clients[0].table, clock, 10)["deal"]
    assert {row["outcome"]: row["points"] for row in whole["result"]} == {"won": 0, "dropped": 40}
    assert [step["at_ms"] for step in whole["steps"]][-1] == 50_000


def test_while_the_next_deal_runs_the_one_before_is_shown_and_no_byte_depends_on_the_running_one(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    clients = played_out(duel, clock)
    begin_next(clients, clock)
    before = seen_at(clients[0].table, clock, 5)
    pass_turn(to_move(clients))
    after = seen_at(clients[0].table, clock)
    assert (after["deal"], after["live"]["deal"]) == (before["deal"], 2)
    assert after["deal"]["number"] == 1 and after["deal"]["id"] != clients[0].view()["deal"]["id"]
    assert not _cards(json.dumps([after["live"], after["table"]]))


def test_a_pause_of_an_outage_is_not_waited_for(duel: tuple[Client, Client], clock: Clock) -> None:
    pass_turn(to_move(list(duel)))
    clock.wait(4 * 3600)
    to_move(list(duel)).send("drop")
    [deal] = Deal.objects.filter(status=Deal.Status.OVER, match__table=duel[0].table)
    assert scripts.script_of(deal.pk).result_ms == scripts.LONGEST_PAUSE


def test_what_happens_after_the_result_changes_nothing_of_what_is_shown(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    clients = played_out(duel, clock)
    [deal] = Deal.objects.filter(status=Deal.Status.OVER, match__table=clients[0].table)
    before = scripts.script_of(deal.pk)
    clients[0].send("leave")
    assert scripts.script_of(deal.pk) == before


def test_totals_of_a_pool_are_told(clock: Clock, table: Callable[..., Table]) -> None:
    place = table(book="standard-pool-101", seats=2, point_value=0, minimum=0, entry=100)
    clients = seated_at(place, "asha", "ravi")
    next_deal(clients, clock)
    all_drop_but(clients[0], clients)
    totals = {seat["name"]: seat["total"] for seat in seen_at(place.pk, clock)["live"]["seats"]}
    assert totals == {"asha": 0, "ravi": 20}


# --- who may ---


@pytest.mark.parametrize("changes", [{"private_code": "ABCD"}, {"practice_for": "own"}])
def test_private_and_practice_tables_are_not_shown(duel: tuple[Client, Client], changes: dict[str, Any]) -> None:
    values = {name: duel[0].user if value == "own" else value for name, value in changes.items()}
    Table.objects.filter(pk=duel[0].table).update(**values)
    status, content = watched(duel[0].table, duel[0].user)
    assert (status, content["code"]) == (403, "watching_forbidden")


def forbid(user: Any, forbids: bool = True) -> None:
    type(user).objects.filter(pk=user.pk).update(forbids_watching=forbids)


def test_anybody_who_sits_there_or_was_dealt_to_may_forbid_it(
    duel: tuple[Client, Client], clock: Clock, client_of: Callable[..., Client]
) -> None:
    clients = played_out(duel, clock)
    watcher = signed_up("watcher")
    assert watched(clients[0].table, watcher)[0] == 200
    forbid(clients[0].user)
    assert watched(clients[0].table, watcher)[0] == 403
    clients[0].send("leave")
    clock.wait(120)
    play.tick(table_id=clients[0].table)
    assert watched(clients[0].table, watcher)[0] == 403, "their hand is in the deal that would be shown"
    forbid(clients[0].user, forbids=False)
    assert watched(clients[0].table, watcher)[0] == 200
    newcomer = signed_up("newcomer")
    forbid(newcomer)
    play.sit(table_id=clients[0].table, user=newcomer)
    assert watched(clients[0].table, watcher)[0] == 403


@pytest.mark.parametrize(
    ("kind", "number", "rounds", "forbids", "status"),
    [
        (TournamentKind.ARENA, None, 0, False, 200),
        (TournamentKind.ARENA, None, 0, True, 403),
        (TournamentKind.KNOCKOUT, 1, 2, False, 403),
        (TournamentKind.KNOCKOUT, 2, 2, False, 200),
        (TournamentKind.KNOCKOUT, 2, 2, True, 200),
    ],
)  # fmt: skip
def test_of_tournaments_arenas_and_finals_are_shown_and_finals_whoever_forbids_it(
    duel: tuple[Client, Client], kind: TournamentKind, number: int | None, rounds: int, forbids: bool, status: int
) -> None:
    tournament = Tournament.objects.create(
        title="Evening", kind=kind, book="standard-points", opens_ms=0, rounds=rounds, entered=2
    )
    Table.objects.filter(pk=duel[0].table).update(tournament_id=tournament.pk, round=number)
    forbid(duel[0].user, forbids)
    assert watched(duel[0].table)[0] == status


def test_no_table_of_a_knock_out_is_seen_by_another_door(
    duel: tuple[Client, Client], clock: Clock, client: Any
) -> None:
    """Neither its page, nor the socket of its players, nor the hands of its last result."""
    clients = played_out(duel, clock)
    watcher = signed_up("watcher")
    client.force_login(watcher)
    tournament = Tournament.objects.create(
        title="Evening", kind=TournamentKind.KNOCKOUT, book="standard-points", opens_ms=0, rounds=2, entered=2
    )
    table = clients[0].table
    Table.objects.filter(pk=table).update(tournament_id=tournament.pk, round=1)
    for address in (f"/tables/{table}/", f"/api/tables/{table}/sheet/", f"/api/tables/{table}/company/"):
        assert client.get(address).status_code == 404, address
    with pytest.raises(TableError, match="not open to watchers"):
        current_frame(table_id=table, user_id=watcher.pk)
    client.force_login(clients[1].user)
    assert client.get(f"/api/tables/{table}/sheet/").status_code == 200


def test_a_closed_table_shows_its_last_deal_to_the_end_and_then_nothing(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    clients = played_out(duel, clock)
    Table.objects.filter(pk=clients[0].table).update(status=Table.Status.CLOSED)
    clock.wait(50)
    status, content = watched(clients[0].table)
    assert status == 200 and content["deal"]["result"]
    clock.wait(pictures.LINGERS / 1000 + 1)
    assert watched(clients[0].table, signed_up("late"))[0] == 404


def test_who_closes_their_account_has_no_name_at_a_closed_table_that_is_still_watched(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    clients = played_out(duel, clock)
    row, gone = Table.objects.filter(pk=clients[0].table), clients[0].user
    row.update(status=Table.Status.CLOSED)
    before = pictures.see(clients[0].table)
    assert gone.username in str(before.live)
    sharing.forget_names(gone)
    assert gone.username not in str(pictures.see(clients[0].table, before).live)


def test_the_page_says_why_nobody_may_watch(duel: tuple[Client, Client], client: Any) -> None:
    client.force_login(signed_up("watcher"))
    address = f"/tables/{duel[0].table}/watch/"
    assert client.get(address).status_code == 200
    forbid(duel[0].user)
    page = client.get(address)
    assert page.status_code == 403 and "hides their hands" in page.content.decode()
    assert client.get("/tables/999999/watch/").status_code == 404


@pytest.mark.parametrize("title", ["Table for friends · Points Rummy", "Practice · Points Rummy · sharp"])
def test_the_page_tells_a_stranger_nothing_else_of_a_table_that_is_not_watched(
    duel: tuple[Client, Client], client: Any, title: str
) -> None:
    client.force_login(signed_up("watcher"))
    changes = {"private_code": "ABCD2345"} if "friends" in title else {"practice_for": duel[0].user}
    Table.objects.filter(pk=duel[0].table).update(title=title, **changes)
    page = client.get(f"/tables/{duel[0].table}/watch/")
    assert page.status_code == 403
    assert "Points Rummy" not in page.content.decode() and "ABCD2345" not in page.content.decode()


def test_who_holds_no_seat_sees_no_result_of_who_hides_their_hands(
    duel: tuple[Client, Client], clock: Clock, client: Any
) -> None:
    clients = played_out(duel, clock)
    table, watcher = clients[0].table, signed_up("watcher")
    sheet = f"/api/tables/{table}/sheet/"
    client.force_login(watcher)
    assert client.get(sheet).json()["last"]["rows"][0]["loose"]
    forbid(clients[0].user)
    assert (client.get(sheet).status_code, client.get(f"/tables/{table}/").status_code) == (404, 404)
    with pytest.raises(TableError, match="not open to watchers"):
        current_frame(table_id=table, user_id=watcher.pk)
    client.force_login(clients[1].user)
    assert client.get(sheet).json()["last"]["rows"][0]["loose"]


def test_deals_are_found_while_their_events_are_in_rows_of_their_own(duel: tuple[Client, Client], clock: Clock) -> None:
    clients = played_out(duel, clock)
    for _ in range(3):
        begin_next(clients, clock)
        to_move(clients).send("drop")
    deals = list(
        Deal.objects.filter(status=Deal.Status.OVER, match__table=clients[0].table)
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    found = played_lately(clients[0].table, 2)
    assert [deal.deal_id for deal in found] == deals[2:]
    assert all(deal.ended_ms is not None and deal.ended_ms >= deal.began_ms for deal in found)


def test_the_page_of_the_protocol_has_the_frames_and_the_closes_of_watching() -> None:
    page = (ROOT / "tables/PROTOCOL.md").read_text()
    section = page.partition("## Watching one deal behind")[2].partition("\n## ")[0]
    sent = {kind for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for kind in re.findall(r"`(\w+)`", row)}
    source = "".join((ROOT / f"tables/watching/{name}.py").read_text() for name in ("pictures", "shows"))
    assert sent == {*re.findall(r'"type": "(\w+)"', source), "pong"}
    assert {int(code) for code in re.findall(r"\b(\d{4})\b", section)} == {NO_TABLE, SIGNED_OUT, TRY_LATER}
