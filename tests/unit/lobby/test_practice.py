"""Practice against computer players, by every rule book, from the seat to the computer's own turns."""

import json
from typing import Any

import pytest

from lobby.models import Player
from lobby.stakes import services as stakes
from rules.books import BOOKS
from tables.models import Deal, Seating, Table
from tables.play import clocks, presence, protocol, store
from tables.play import services as play
from tables.play.store import read_state
from tests.support.clock import Clock
from wallet.audit.audit import audit

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("key", BOOKS)
def test_computer_players_play_by_every_book(
    asha: Player, key: str, sent: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table of the largest size starts by itself and computer players draw and discard at it."""
    now = [1_800_000_000_000]
    monkeypatch.setattr(store, "now_ms", lambda: now[0])
    seating = stakes.practice(user=asha, book_key=key, players=BOOKS[key].max_seats)
    presence.connect(table_id=seating.table_id, user_id=asha.pk, connection="asha")
    for _ in range(200):
        row = Table.objects.get(pk=seating.table_id)
        state = read_state(row)
        thrown = [entry for entry in state.deal.discards if entry.seat is not None] if state.deal is not None else []
        if any(entry.seat != seating.seat for entry in thrown):
            break
        me = presence.current_frame(table_id=row.pk, user_id=asha.pk).text
        if '"draw"' in me:
            send(row.pk, asha, {"type": "draw", "pile": "closed", "version": row.version})
            continue
        if '"continue"' in me:
            # Every computer player has dropped before it drew: the table waits for the next deal.
            send(row.pk, asha, {"type": "continue"})
            continue
        turn = state.deal.turn if state.deal is not None else None
        if turn is not None and turn.seat == seating.seat and turn.drawn is not None:
            send(row.pk, asha, {"type": "discard", "card": turn.drawn, "version": row.version})
            continue
        now[0] = min(due for due in (row.deadline_ms, row.computer_due_ms) if due is not None)
        play.tick(table_id=row.pk)
    assert any(entry.seat != seating.seat for entry in thrown), "a computer player has drawn and discarded"
    assert [state.book.key, row.book_version] == [key, BOOKS[key].version]
    assert not audit().differences


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(store, "now_ms", lambda: clock.now)
    return clock


def seated(asha: Player, key: str, players: int) -> Table:
    seating = stakes.practice(user=asha, book_key=key, players=players)
    presence.connect(table_id=seating.table_id, user_id=asha.pk, connection="asha")
    return Table.objects.get(pk=seating.table_id)


def look(table: Table, user: Player) -> dict[str, Any]:
    return dict(json.loads(presence.current_frame(table_id=table.pk, user_id=user.pk).text)["view"])


def go_on(table: Table, user: Player, clock: Clock, *moves: str) -> dict[str, Any]:
    """What is due happens until the player may make one of these moves; the view then."""
    for _ in range(400):
        view = look(table, user)
        if set(moves) & set(view["me"]["moves"]):
            return view
        table.refresh_from_db()
        clock.now = min(due for due in (table.deadline_ms, table.computer_due_ms) if due is not None)
        play.tick(table_id=table.pk)
    raise AssertionError(f"{moves} never came, the table is in {table.phase}")


def drop(table: Table, user: Player, clock: Clock) -> dict[str, Any]:
    """The player drops, unless all others did before, and the deal is played to its end; the view then."""
    if "drop" in go_on(table, user, clock, "drop", "continue")["me"]["moves"]:
        send(table.pk, user, {"type": "drop"})
    return go_on(table, user, clock, "continue")


@pytest.mark.parametrize(("key", "players"), [("standard-points", 2), ("standard-points", 4), ("standard-pool-101", 3)])
def test_a_practice_table_waits_for_its_player(
    asha: Player, clock: Clock, sent: list[Any], key: str, players: int
) -> None:
    """An hour over the result: the seat is kept, no clock is shown, and the next deal comes when it is asked for."""
    table = seated(asha, key, players)
    view = drop(table, asha, clock)
    assert (view["phase"], view["clock"], view["result"]["next_in"]) == ("result", None, None)
    for _ in range(60):
        clock.wait(60)
        presence.seen(table_id=table.pk, user_id=asha.pk, connection="asha")
        play.sweep()
        assert play.release_seats() == 0
    view = look(table, asha)
    assert view["phase"] == "result"
    assert "continue" in view["me"]["moves"]
    send(table.pk, asha, {"type": "continue"})
    number = view["deal"]["number"]
    assert go_on(table, asha, clock, "draw")["deal"]["number"] > number
    assert not audit().differences


def test_the_short_clock_before_the_next_deal_is_shown(asha: Player, clock: Clock, sent: list[Any]) -> None:
    table = seated(asha, "standard-points", 2)
    drop(table, asha, clock)
    send(table.pk, asha, {"type": "continue"})
    while look(table, asha)["clock"] is None:
        table.refresh_from_db()
        assert table.computer_due_ms is not None
        clock.now = table.computer_due_ms
        play.tick(table_id=table.pk)
    view = look(table, asha)
    assert (view["clock"]["kind"], view["result"]["next_in"]) == ("result", 3_000)


@pytest.mark.parametrize("key", ["standard-points", "standard-blind", "club-pool-201", "standard-deals-3"])
def test_the_computer_players_get_up_when_the_player_has_gone(
    asha: Player, clock: Clock, sent: list[Any], key: str
) -> None:
    """In the middle of a deal: nobody plays on, every stack and pot goes where it belongs, the table is closed."""
    table = seated(asha, key, BOOKS[key].max_seats)
    while "draw" not in go_on(table, asha, clock, "draw", "continue")["me"]["moves"]:
        send(table.pk, asha, {"type": "continue"})  # every computer player has dropped before
    send(table.pk, asha, {"type": "leave"})
    table.refresh_from_db()
    assert (table.status, table.seated) == (Table.Status.CLOSED, 0)
    assert not Seating.objects.filter(table=table, left_at=None).exists()
    assert not Deal.objects.filter(match__table=table, status__in=("prepared", "playing")).exists()
    clock.wait(3600)
    assert play.sweep() == 0
    assert not audit().differences


def test_they_get_up_as_well_when_the_player_goes_between_two_deals(
    asha: Player, clock: Clock, sent: list[Any]
) -> None:
    table = seated(asha, "standard-pool-101", 4)
    drop(table, asha, clock)
    send(table.pk, asha, {"type": "leave"})
    table.refresh_from_db()
    assert (table.status, table.phase, table.seated) == (Table.Status.CLOSED, "over", 0)
    assert not audit().differences


def test_who_does_not_come_back_to_a_result_is_not_waited_for_for_ever(
    asha: Player, clock: Clock, sent: list[Any]
) -> None:
    table = seated(asha, "standard-points", 3)
    drop(table, asha, clock)
    presence.disconnect(table_id=table.pk, user_id=asha.pk, connection="asha")
    clock.wait(clocks.ABANDONED_AFTER_MS / 1000 + 1)
    assert play.release_seats() == 1
    table.refresh_from_db()
    assert (table.status, table.seated) == (Table.Status.CLOSED, 0)
    assert not audit().differences


def send(table: int, user: Player, frame: dict[str, Any]) -> None:
    answer = play.play(table_id=table, user_id=user.pk, connection="asha", frame=protocol.read_frame(frame))
    assert answer["type"] == "ack"
