"""Arranging, sorting and the auto-drop switch: only who does it is told, and nobody else's move is refused."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from rest_framework.authtoken.models import Token

from lobby.models import Player
from rules.game.state import Clocks
from tables.models import Table
from tables.play import broadcast, outages, services
from tables.play.broadcast import TableMessage
from tables.play.fast import moves, table_cache
from tables.sockets import admission, monitor
from tables.sockets.base import TRY_LATER
from tests.support.players import signed_up
from tests.support.sockets import Seen, begin, seated, until
from wallet.keys.api_tokens import token_text

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]

#: Close to the end of a turn every move goes the way with the lock: here no turn ends by itself.
UNHURRIED = Clocks(turn=86_400_000)


@pytest.fixture(autouse=True)
def sent() -> None:
    """Let the real channel layer carry the messages, instead of conftest's replacement."""


@pytest.fixture(autouse=True)
def no_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let neither a pause of the machine nor the clock that `begin` moves be an outage: it sends everybody a frame."""
    for longest in ("OUTAGE_AFTER_MS", "STARTING_AFTER_MS", "AHEAD_MS"):
        monkeypatch.setattr(outages, longest, 3_600_000)


@sync_to_async
def watcher_of(name: str) -> str:
    return token_text(Token.objects.create(user=signed_up(name)))


async def in_a_deal() -> tuple[Table, list[Seen], Seen]:
    """Return a table with a running deal, its players by seat, and somebody who watches."""
    table, people = await seated("asha", "ravi", clocks=UNHURRIED)
    players = [await Seen(table.pk, key).open() for _, key in people.values()]
    watcher = await Seen(table.pk, await watcher_of("tara")).open()
    await begin(table)
    everybody = [*players, watcher]
    await until(lambda: all(seen.states[-1]["view"]["phase"] == "playing" for seen in everybody))
    await until(lambda: len({seen.versions[-1] for seen in everybody}) == 1)
    return table, players, watcher


async def ask(player: Seen, kind: str, **fields: Any) -> dict[str, Any]:
    before = len(player.others)
    await player.socket.send_to(json.dumps({"type": kind, **fields}))
    await until(lambda: len(player.others) > before)
    return player.others[before]


async def looks(number: int) -> None:
    """Wait until the monitor has looked so often."""
    beat = monitor.current()
    for _ in range(number):
        last = beat._polled_at
        await until(lambda last=last: beat._polled_at > last)  # type: ignore[misc]


async def close_all(everybody: Sequence[Seen]) -> None:
    for seen in everybody:
        await seen.close()


def mover_of(players: Sequence[Seen]) -> tuple[Seen, Seen]:
    turn = players[0].states[-1]["view"]["deal"]["turn_seat"]
    return players[turn], players[1 - turn]


async def test_only_who_arranges_is_sent_a_frame_and_nobody_learns_of_it() -> None:
    _, players, watcher = await in_a_deal()
    mover, other = mover_of(players)
    hand = other.states[-1]["view"]["me"]["hand"]
    before, others = len(other.states), [(mover, len(mover.states)), (watcher, len(watcher.states))]
    version = other.versions[-1]
    for number in range(3):
        assert (await ask(other, "arrange", groups=[hand[: 3 + number]]))["type"] == "ack"
    assert (await ask(other, "auto_drop", on=True))["type"] == "ack"
    await until(lambda: other.versions[-1] == version + 4)
    assert len(other.states) - before == 4
    await looks(4)
    for seen, had in others:
        assert len(seen.states) == had
        pong = await ask(seen, "ping")
        assert pong["version"] == version, "another version would make a client ask for the table"
        assert (await ask(seen, "offer_split"))["version"] == version
    drawn = await ask(mover, "draw", pile="closed", version=version, id="first")
    assert drawn["type"] == "ack", "what others arrange makes no move stale"
    await until(lambda: all(seen.versions[-1] == version + 5 for seen in (mover, other, watcher)))
    assert len(watcher.states) == others[1][1] + 1
    assert (await ask(mover, "draw", pile="closed", version=version, id="first")) == drawn
    await close_all([*players, watcher])


async def test_what_another_process_arranged_under_the_lock_is_passed_over_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, players, watcher = await in_a_deal()
    mover, other = mover_of(players)
    monkeypatch.setattr("tables.play.fast.moves.QUICK", frozenset())
    handed_over = broadcast._hand_over

    def as_another_process(news: Sequence[broadcast.Announced]) -> None:
        handed_over([(group, broadcast.from_wire(broadcast.to_wire(message))) for group, message in news])

    monkeypatch.setattr(broadcast, "_hand_over", as_another_process)
    had, version = len(watcher.states), watcher.versions[-1]
    assert (await ask(other, "sort"))["type"] == "ack"
    await until(lambda: other.versions[-1] == version + 1)
    await looks(3)
    assert (len(watcher.states), len(mover.states), mover.versions[-1]) == (had, len(mover.states), version)
    assert (await ask(mover, "draw", pile="closed", version=version))["type"] == "ack"
    await until(lambda: watcher.versions[-1] == version + 2)
    await close_all([*players, watcher])


async def test_a_move_that_the_fast_way_leaves_is_tried_there_once_and_answered_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, players, watcher = await in_a_deal()
    mover, other = mover_of(players)
    tried, locked = [], []
    play_together, play = moves.play_together, services.play
    monkeypatch.setattr(moves, "play_together", lambda each: tried.append(len(each)) or play_together(each))
    monkeypatch.setattr(services, "play", lambda **named: locked.append(named["frame"].type) or play(**named))
    assert (await ask(watcher, "sort"))["code"] == "not_seated"
    assert (tried, locked) == ([], ["sort"]), "who only watches keeps no move of the players waiting"
    assert (await ask(other, "draw", pile="closed", id="early"))["code"] == "not_your_turn"
    assert (tried, locked) == ([1], ["sort", "draw"])
    assert (await ask(mover, "draw", pile="closed", id="now"))["type"] == "ack"
    assert (await ask(other, "leave", id="no fast one"))["type"] == "ack"
    assert locked == ["sort", "draw", "leave"]
    for seen, ids in ((mover, ["now"]), (other, ["early", "no fast one"])):
        assert [frame["id"] for frame in seen.others if "id" in frame] == ids
    await close_all([*players, watcher])


async def test_who_sits_down_after_watching_plays_the_fast_way_once_the_lock_has_given_them_the_seat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, people = await seated("asha", clocks=UNHURRIED)
    key = await watcher_of("ravi")
    player, late = await Seen(table.pk, people["asha"][1]).open(), await Seen(table.pk, key).open()
    user = await Player.objects.aget(username="ravi")
    await sync_to_async(services.sit)(table_id=table.pk, user=user)
    await begin(table)
    await until(lambda: all(seen.states[-1]["view"]["phase"] == "playing" for seen in (player, late)))
    # A look at the table from before the lock would remember the seat without them, and send the next move there too.
    monkeypatch.setattr(table_cache, "update_presence", lambda table_id, seatings: None)
    locked, play = [], services.play
    monkeypatch.setattr(services, "play", lambda **named: locked.append(named["frame"].type) or play(**named))
    hand = late.states[-1]["view"]["me"]["hand"]
    for number in range(3, 6):
        assert (await ask(late, "arrange", groups=[hand[:number]]))["type"] == "ack"
    assert locked == ["arrange"]
    await close_all([player, late])


async def test_who_has_missed_something_passes_over_nothing() -> None:
    _, players, watcher = await in_a_deal()
    socket: Any = next(each for each in monitor.current().sockets if getattr(each, "watches", False))
    version, connected = socket.shown
    message = TableMessage(version + 2, connected, has_events=True, only=[0])
    assert not socket.passes_over(message), "it has not seen the version before"
    message = replace(message, version=version + 1)
    assert not socket.passes_over(replace(message, connected=())), "somebody has come or gone as well"
    assert not socket.passes_over(replace(message, only=[0, socket.user_id]))
    assert not socket.passes_over(replace(message, only=None))
    assert socket.passes_over(message) and socket.shown == (version + 1, connected)
    await close_all([*players, watcher])


async def test_only_so_many_watch_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "WATCHERS", 1)
    table, players, watcher = await in_a_deal()
    late = Seen(table.pk, await watcher_of("meena"))
    assert (await late.socket.connect())[0]
    assert (await late.socket.receive_output()) == {"type": "websocket.close", "code": TRY_LATER}
    await late.socket.disconnect()
    await watcher.close()
    again = await Seen(table.pk, await watcher_of("kiran")).open()
    assert again.code is None and again.states
    await close_all([*players, again])
