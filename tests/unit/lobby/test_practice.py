"""Practice against computer players, by every rule book, from the seat to the computer's own turns."""

import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from rest_framework.authtoken.models import Token

from lobby.models import Player
from lobby.stakes import services as stakes
from rules.books import BOOKS
from rules.bots import Strength
from rules.game.views import hints
from tables import tasks
from tables.errors import TableError
from tables.log.reading import latest_state
from tables.models import Deal, Seating, Table
from tables.play import presence, protocol, services as play, store
from tables.play.computers import PACE, skip_to_end
from tables.play.opening import open_table
from tables.play.practice import HURRY, PATIENCE_MS
from tests.support import connections
from tests.support.clock import Clock
from tests.support.players import signed_up
from tests.support.sampling import one_of_each
from tests.support.stakes import StakeFactory
from tests.support.table_sockets import frame_of, opened
from wallet.audit.audit import audit
from wallet.keys.api_tokens import token_text
from wallet.ledger import selectors as ledger

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("key", one_of_each(BOOKS, lambda key: BOOKS[key].family))
def test_computer_players_play_by_every_book(
    asha: Player, key: str, sent: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table of the largest size starts by itself, and computer players draw and discard at it."""
    now = [1_800_000_000_000]
    monkeypatch.setattr(store, "now_ms", lambda: now[0])
    seating = stakes.practice(user=asha, book_key=key, players=BOOKS[key].max_seats)
    connections.connect(table_id=seating.table_id, user_id=asha.pk, connection="asha")
    for _ in range(200):
        row = Table.objects.get(pk=seating.table_id)
        state = latest_state(row)
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
    seating = stakes.practice(user=asha, book_key=key, players=players, unhurried=True)
    connections.connect(table_id=seating.table_id, user_id=asha.pk, connection="asha")
    return Table.objects.get(pk=seating.table_id)


def look(table: Table, user: Player) -> dict[str, Any]:
    return dict(json.loads(presence.current_frame(table_id=table.pk, user_id=user.pk).text)["view"])


def go_on(table: Table, user: Player, clock: Clock, *moves: str) -> dict[str, Any]:
    """Run what is due until the player may make one of these moves, and return the view."""
    for _ in range(400):
        presence.record_sign_of_life(table_id=table.pk, user_id=user.pk, connection="asha")
        view = look(table, user)
        if set(moves) & set(view["me"]["moves"]):
            return view
        table.refresh_from_db()
        clock.now = min(due for due in (table.deadline_ms, table.computer_due_ms) if due is not None)
        play.tick(table_id=table.pk)
    raise AssertionError(f"{moves} never came, the table is in {table.phase}")


def drop(table: Table, user: Player, clock: Clock) -> dict[str, Any]:
    """Drop, unless all others did before, play the deal to its end, and return the view."""
    if "drop" in go_on(table, user, clock, "drop", "continue")["me"]["moves"]:
        send(table.pk, user, {"type": "drop"})
    return go_on(table, user, clock, "continue")


def wait_to_drop(table: Table, user: Player, clock: Clock) -> None:
    """Play on until the player may drop in a deal in which not all others have dropped."""
    while "drop" not in go_on(table, user, clock, "drop", "continue")["me"]["moves"]:
        send(table.pk, user, {"type": "continue"})


def drop_out(table: Table, user: Player, clock: Clock) -> None:
    """Drop, and let the computer players play on."""
    phase = ""
    while phase != "playing":
        wait_to_drop(table, user, clock)
        send(table.pk, user, {"type": "drop"})
        phase = look(table, user)["phase"]


@pytest.mark.parametrize(
    ("key", "players"), [("standard-points", 2), pytest.param("standard-pool-101", 3, marks=pytest.mark.slow)]
)
def test_a_practice_table_waits_for_its_player(
    asha: Player, clock: Clock, sent: list[Any], key: str, players: int
) -> None:
    """The result stays for an hour: the seat is kept, no clock is shown, and the next deal comes on request."""
    table = seated(asha, key, players)
    view = drop(table, asha, clock)
    assert (view["phase"], view["clock"], view["result"]["next_in"]) == ("result", None, None)
    for _ in range(12):
        clock.wait(300)
        presence.record_sign_of_life(table_id=table.pk, user_id=asha.pk, connection="asha")
        tasks.sweep()
        assert play.release_seats() == 0
    view = look(table, asha)
    assert view["phase"] == "result"
    assert "continue" in view["me"]["moves"]
    send(table.pk, asha, {"type": "continue"})
    number = view["deal"]["number"]
    while "draw" not in (view := go_on(table, asha, clock, "draw", "continue"))["me"]["moves"]:
        send(table.pk, asha, {"type": "continue"})  # every computer player has dropped before
    assert view["deal"]["number"] > number
    assert not audit().differences


@pytest.mark.parametrize(
    ("key", "players"), [pytest.param("standard-points", 6, marks=pytest.mark.slow), ("standard-pool-101", 4)]
)
def test_a_player_who_is_out_skips_to_the_end_of_the_deal(
    asha: Player, ravi: Player, clock: Clock, sent: list[Any], key: str, players: int
) -> None:
    """The computer players then need no time; a player in the deal, or not at practice, is refused."""
    table = seated(asha, key, players)
    wait_to_drop(table, asha, clock)
    for user, code in ((asha, "still_in_deal"), (ravi, "not_seated")):
        with pytest.raises(TableError) as refused:
            skip_to_end(table_id=table.pk, user_id=user.pk)
        assert refused.value.code == code
    drop_out(table, asha, clock)
    began = clock.now
    skip_to_end(table_id=table.pk, user_id=asha.pk)
    view = look(table, asha)
    assert (view["phase"], clock.now) == ("result", began)
    skip_to_end(table_id=table.pk, user_id=asha.pk)
    assert look(table, asha) == view, "between two deals there is nothing to skip"
    assert "continue" in go_on(table, asha, clock, "continue")["me"]["moves"]
    assert not audit().differences


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_the_frame_that_skips_is_answered_once_the_deal_is_over(clock: Clock) -> None:
    @sync_to_async
    def out_of_a_deal() -> tuple[int, str]:
        asha = signed_up("asha")
        table = seated(asha, "standard-points", 6)
        drop_out(table, asha, clock)
        return table.pk, token_text(Token.objects.create(user=asha))

    socket, _ = await opened(*await out_of_a_deal())
    await socket.send_to('{"type":"skip","id":"s1"}')
    answer = await frame_of(socket, "ack")
    await socket.send_to('{"type":"sync"}')
    state = await frame_of(socket, "state")
    while state["version"] < answer["version"]:
        state = await frame_of(socket, "state")
    assert (answer["id"], state["view"]["phase"]) == ("s1", "result")
    await socket.disconnect()


def test_skipping_is_refused_outside_of_practice(asha: Player, clock: Clock, sent: list[Any]) -> None:
    table_id = stakes.quick_seat(stake_id=StakeFactory().pk, user=asha).table_id
    with pytest.raises(TableError) as refused:
        skip_to_end(table_id=table_id, user_id=asha.pk)
    assert refused.value.code == "not_practice"


def test_repeated_skips_are_rate_limited(asha: Player, ravi: Player, sent: list[Any]) -> None:
    codes = []
    for _ in range(PACE.tries + 1):
        with pytest.raises(TableError) as refused:
            skip_to_end(table_id=0, user_id=asha.pk)
        codes.append(refused.value.code)
    assert codes == ["not_found"] * PACE.tries + ["rate_limited"]
    with pytest.raises(TableError) as refused:
        skip_to_end(table_id=0, user_id=ravi.pk)
    assert refused.value.code == "not_found", "the others may"


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


@pytest.mark.parametrize("key", one_of_each(["standard-points", "standard-blind", "club-pool-201", "standard-deals-3"]))
def test_computer_players_leave_after_the_player(asha: Player, clock: Clock, sent: list[Any], key: str) -> None:
    """In the middle of a deal: nobody plays on, every stack and pot is returned, the table is closed."""
    table = seated(asha, key, BOOKS[key].max_seats)
    while "draw" not in go_on(table, asha, clock, "draw", "continue")["me"]["moves"]:
        send(table.pk, asha, {"type": "continue"})  # every computer player has dropped before
    send(table.pk, asha, {"type": "leave"})
    table.refresh_from_db()
    assert (table.status, table.seated) == (Table.Status.CLOSED, 0)
    assert not Seating.objects.filter(table=table, left_at=None).exists()
    assert not Deal.objects.filter(match__table=table, status__in=("prepared", "playing")).exists()
    clock.wait(3600)
    assert play.sweep(clock.now) == 0
    assert not audit().differences


def test_computer_players_leave_after_the_player_between_deals(asha: Player, clock: Clock, sent: list[Any]) -> None:
    table = seated(asha, "standard-pool-101", 4)
    drop(table, asha, clock)
    send(table.pk, asha, {"type": "leave"})
    table.refresh_from_db()
    assert (table.status, table.phase, table.seated) == (Table.Status.CLOSED, "over", 0)
    assert not audit().differences


def test_an_abandoned_result_ends_practice_eventually(asha: Player, clock: Clock, sent: list[Any]) -> None:
    table = seated(asha, "standard-points", 3)
    drop(table, asha, clock)
    connections.disconnect(table_id=table.pk, user_id=asha.pk, connection="asha")
    clock.wait(PATIENCE_MS / 1000 - 60)
    tasks.sweep()
    assert play.release_seats() == 0, "a day is not over"
    clock.wait(61)
    assert play.release_seats() == 1
    table.refresh_from_db()
    assert (table.status, table.seated) == (Table.Status.CLOSED, 0)
    assert not audit().differences


def test_practice_does_not_change_the_balance(asha: Player, clock: Clock, sent: list[Any]) -> None:
    before = ledger.balances(asha)
    table = seated(asha, "standard-points", 2)
    drop(table, asha, clock)
    stack = look(table, asha)["seats"][0]["stack"]
    assert stack != 800, "the deal was settled"
    assert ledger.balances(asha) == before
    send(table.pk, asha, {"type": "leave"})
    assert ledger.balances(asha) == before
    assert not audit().differences


def test_a_practice_table_of_an_earlier_release_returns_own_chips(asha: Player, clock: Clock, sent: list[Any]) -> None:
    """Before practice chips were separate, players sat down with their own; such tables go on like that."""
    old = open_table(
        terms=stakes.practice_terms("standard-points", 2), title="Practice", currency="FUN", practice_for=asha
    )
    Table.objects.filter(pk=old.pk).update(strength="")
    play.sit(table_id=old.pk, user=asha)
    assert ledger.balances(asha) == [{"currency": "FUN", "free": 9_200, "in_play": 800}]
    connections.connect(table_id=old.pk, user_id=asha.pk, connection="asha")
    send(old.pk, asha, {"type": "leave"})
    assert ledger.balances(asha) == [{"currency": "FUN", "free": 10_000, "in_play": 0}]
    assert not audit().differences


def test_computers_move_only_while_somebody_watches(asha: Player, clock: Clock, sent: list[Any]) -> None:
    table = seated(asha, "standard-points", 4)
    go_on(table, asha, clock, "draw", "continue")
    connections.disconnect(table_id=table.pk, user_id=asha.pk, connection="asha")
    clock.wait(3_600)
    tasks.sweep()
    tasks.sweep()
    table.refresh_from_db()
    version = table.version
    clock.wait(3_600)
    assert play.sweep(clock.now) == 0
    table.refresh_from_db()
    assert (table.version, table.status, table.computer_due_ms) == (version, Table.Status.OPEN, None)
    connections.connect(table_id=table.pk, user_id=asha.pk, connection="asha")
    table.refresh_from_db()
    assert table.computer_due_ms is not None, "they go on for who is back"


def test_no_clock_runs_in_unhurried_practice(asha: Player, clock: Clock, sent: list[Any]) -> None:
    table = seated(asha, "standard-pool-101", 3)
    view = go_on(table, asha, clock, "draw")
    assert view["clock"] is None
    clock.wait(7_200)
    tasks.sweep()
    presence.record_sign_of_life(table_id=table.pk, user_id=asha.pk, connection="asha")
    view = look(table, asha)
    assert "draw" in view["me"]["moves"] and view["seats"][view["me"]["seat"]]["misses"] == 0


def test_computers_hurry_once_the_player_is_out(asha: Player, clock: Clock, sent: list[Any]) -> None:
    table = seated(asha, "standard-points", 4)
    if "drop" not in go_on(table, asha, clock, "drop", "continue")["me"]["moves"]:
        return
    send(table.pk, asha, {"type": "drop"})
    table.refresh_from_db()
    if table.phase == "playing":
        assert table.computer_due_ms is not None and table.computer_due_ms - clock.now <= 3_000 * HURRY


def test_the_first_deal_comes_with_hints_and_no_other(asha: Player, clock: Clock, sent: list[Any]) -> None:
    seating = stakes.first_game(user=asha)
    connections.connect(table_id=seating.table_id, user_id=asha.pk, connection="asha")
    table = seating.table
    assert (table.guided, table.strength) == (True, "gentle")
    assert go_on(table, asha, clock, "draw")["me"]["hint"] == hints.FIRST_DRAW.text
    send(table.pk, asha, {"type": "draw", "pile": "closed"})
    me = look(table, asha)["me"]
    assert me["hint"] in (hints.PURE_FIRST.text, hints.PURE.text, hints.SHOW.text) and set(me["hint_cards"]) <= set(
        me["hand"]
    )
    assert me["guided"] and me["hint_cards"]
    drawn = look(table, asha)["me"]["drawn"]
    send(table.pk, asha, {"type": "discard", "card": drawn})
    go_on(table, asha, clock, "drop", "continue")
    drop(table, asha, clock)
    send(table.pk, asha, {"type": "continue"})
    assert go_on(table, asha, clock, "draw")["me"]["hint"] is None


@pytest.mark.parametrize("strength", Strength)
def test_each_strength_is_offered_and_kept_with_the_table(asha: Player, client: Client, strength: Strength) -> None:
    seating = stakes.practice(user=asha, book_key="standard-points", players=2, strength=strength)
    assert Table.objects.get(pk=seating.table_id).strength == strength
    client.force_login(asha)
    assert f'<option value="{strength}"' in client.get("/").content.decode()


def test_an_unknown_strength_is_refused(asha: Player) -> None:
    with pytest.raises(TableError) as refusal:
        stakes.practice(user=asha, book_key="standard-points", players=2, strength="perfect")
    assert refusal.value.code == "unknown_strength"
    assert not Table.objects.exists()


def send(table: int, user: Player, frame: dict[str, Any]) -> None:
    answer = play.play(table_id=table, user_id=user.pk, connection="asha", frame=protocol.read_frame(frame))
    assert answer["type"] == "ack"


def test_the_same_practice_again_returns_to_the_open_table(asha: Player) -> None:
    first = stakes.practice(user=asha, book_key="standard-pool-101", players=3)
    assert stakes.practice(user=asha, book_key="standard-pool-101", players=3) == first
    for other in (
        {"book_key": "standard-pool-101", "players": 3, "unhurried": True},
        {"book_key": "standard-pool-101", "players": 3, "strength": "sharp"},
    ):
        assert stakes.practice(user=asha, **other).table_id != first.table_id  # type: ignore[arg-type]
    assert Table.objects.filter(practice_for=asha).count() == 3
