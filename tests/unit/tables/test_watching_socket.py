"""The socket of watchers: one timer a table, and frames that tell nothing of the running deal."""

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from rest_framework.authtoken.models import Token

from config.asgi import application
from tables.models import Table
from tables.play import services as play
from tables.sockets.admission import connections
from tables.sockets.base import NO_TABLE, SIGNED_OUT, TRY_LATER
from tables.watching import shows
from tables.watching.pictures import Sight
from tables.watching.shows import WatchConsumer
from tests.fleet.leak.oracle import _cards
from tests.support.clock import Clock
from tests.support.players import signed_up
from tests.support.sockets import HOST, PatientSocket, until
from tests.support.steering import ask, pass_turn, to_move
from tests.support.tables import Client
from wallet.keys.api_tokens import token_text

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


@pytest.fixture(autouse=True)
def looking_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shows, "BEAT", 0.05)
    # Its looks would take each leap of the clock for an outage, for which the clocks of tables are put forward.
    monkeypatch.setattr(WatchConsumer, "join_monitor", lambda socket: None)


@pytest.fixture
def watcher() -> Callable[..., Any]:
    """Return a function that opens the socket of somebody who watches, and returns it with its frames."""

    async def opened(table: int, name: str = "watcher") -> "Watching":
        user = await sync_to_async(signed_up)(name)
        key = token_text(await Token.objects.acreate(user=user))
        return await Watching(table, key).open()

    return opened


class Watching:
    """A watcher's socket, and every frame that has come over it."""

    def __init__(self, table: int, key: str) -> None:
        token = (b"authorization", f"Token {key}".encode())
        self.socket = PatientSocket(application, f"/ws/tables/{table}/watch/", headers=[HOST, token])
        self.texts: list[str] = []
        self.code: int | None = None

    async def open(self) -> "Watching":
        assert (await self.socket.connect())[0]
        return self

    async def next(self, kind: str) -> dict[str, Any]:
        while True:
            frame = await self.any()
            if frame["type"] == kind:
                return frame

    async def any(self) -> dict[str, Any]:
        output = await self.socket.receive_output()
        assert output["type"] == "websocket.send", output
        self.texts.append(output["text"])
        return dict(json.loads(output["text"]))

    async def closed(self) -> int:
        while (output := await self.socket.receive_output())["type"] != "websocket.close":
            self.texts.append(output["text"])
        await self.socket.send_input({"type": "websocket.disconnect", "code": output["code"]})
        await self.socket.wait()
        return int(output["code"])


@contextlib.asynccontextmanager
async def running(clock: Clock) -> AsyncIterator[None]:
    """Let the clock run as it does in life."""

    async def run() -> None:
        while True:
            await asyncio.sleep(0.02)
            clock.wait(0.02)

    task = asyncio.create_task(run())
    yield
    task.cancel()


@sync_to_async
def turns(duel: tuple[Client, Client], clock: Clock, number: int) -> None:
    for _ in range(number):
        clock.wait(0.2)
        pass_turn(to_move(list(duel)))


@sync_to_async
def give_up(duel: tuple[Client, Client], clock: Clock) -> None:
    clock.wait(0.2)
    to_move(list(duel)).send("drop")


@sync_to_async
def begin_next(duel: tuple[Client, Client], clock: Clock) -> None:
    for client in duel:
        ask(client, "continue")
    clock.now = duel[0].view()["clock"]["deadline"]
    play.tick(table_id=duel[0].table)
    assert duel[0].view()["phase"] == "playing"


async def test_a_deal_is_told_once_it_is_over_step_by_step_and_nothing_of_the_next_one(
    duel: tuple[Client, Client], clock: Clock, watcher: Callable[..., Any]
) -> None:
    one = await watcher(duel[0].table)
    assert (await one.next("watch"))["deal"] is None
    await turns(duel, clock, 4)
    assert (await one.next("live"))["live"]["deal"] == 1
    assert not any(map(_cards, one.texts)), "a deal runs, and none is over"
    await give_up(duel, clock)
    while (picture := await one.next("watch"))["deal"] is None:
        pass
    frames, kinds = [], [step["type"] for step in picture["deal"]["steps"]]
    async with running(clock):
        while not frames or frames[-1]["type"] != "result":
            frames.append(await one.any())
    kinds += [frame["step"]["type"] for frame in frames if frame["type"] == "step"]
    assert kinds.count("card_discarded") == 4 and kinds[-1] == "player_dropped"
    assert {row["outcome"] for row in frames[-1]["rows"]} == {"won", "dropped"}
    one.texts.clear()
    await begin_next(duel, clock)
    while (frame := await one.next("live"))["live"]["deal"] != 2:
        pass
    await turns(duel, clock, 2)
    while (frame["live"]["clock"] or {}).get("seat") is None:
        frame = await one.next("live")
    assert not any(map(_cards, one.texts)), "of the second deal nothing is told"
    await one.socket.disconnect()


async def test_one_timer_looks_for_all_watchers_of_a_table_and_ends_with_the_last(
    duel: tuple[Client, Client], clock: Clock, watcher: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    see = shows.see
    monkeypatch.setattr(shows, "see", lambda table, before: looks.append(table) or see(table, before))
    crowd = [await watcher(duel[0].table, f"watcher{number}") for number in range(5)]
    pictures = [await one.next("watch") for one in crowd]
    assert [{**picture, "now": 0} for picture in pictures] == [{**pictures[0], "now": 0}] * 5
    await turns(duel, clock, 1)
    told = [await one.next("live") for one in crowd]
    assert told == [told[0]] * 5
    held = shows.current()
    assert list(held._shows) == [duel[0].table]
    for one in crowd:
        await one.socket.disconnect()
    await until(lambda: not held._shows)
    before = len(looks)
    await turns(duel, clock, 1)
    assert len(looks) <= before + 1


async def test_who_may_no_longer_watch_is_told_why_and_the_socket_is_closed(
    duel: tuple[Client, Client], clock: Clock, watcher: Callable[..., Any]
) -> None:
    one = await watcher(duel[0].table)
    await one.next("watch")
    await type(duel[0].user).objects.filter(pk=duel[0].user.pk).aupdate(forbids_watching=True)
    assert await one.closed() == SIGNED_OUT
    assert json.loads(one.texts[-1])["code"] == "watching_forbidden"
    late = await watcher(duel[0].table, "late")
    assert await late.closed() == SIGNED_OUT


async def test_who_comes_right_after_a_refusal_is_not_shown_what_was_seen_before_it(
    duel: tuple[Client, Client], clock: Clock, watcher: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await watcher(duel[0].table)
    await turns(duel, clock, 2)
    await give_up(duel, clock)
    while (await one.next("watch"))["deal"] is None:
        pass
    monkeypatch.setattr(shows, "BEAT", 1.0)
    await type(duel[0].user).objects.filter(pk=duel[0].user.pk).aupdate(forbids_watching=True)
    while (await one.any())["type"] != "error":
        pass
    # The first watcher has been refused, and their client has not yet hung up.
    late = await watcher(duel[0].table, "late")
    assert await late.closed() == SIGNED_OUT
    assert [json.loads(text)["type"] for text in late.texts] == ["error"] and not any(map(_cards, late.texts))
    assert await one.closed() == SIGNED_OUT


async def test_tables_that_are_not_there_and_crowds_are_turned_away(
    duel: tuple[Client, Client], clock: Clock, watcher: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await (await watcher(999_999)).closed() == NO_TABLE
    assert not connections._watchers
    monkeypatch.setattr("tables.sockets.admission.WATCHERS", 1)
    one = await watcher(duel[0].table, "one")
    await one.next("watch")
    assert await (await watcher(duel[0].table, "two")).closed() == TRY_LATER
    other = await sync_to_async(Table.objects.create)(title="Other", book="standard-points", book_version=1, seats=2)
    monkeypatch.setattr("tables.sockets.admission.WATCHERS_IN_ALL", 1)
    assert await (await watcher(other.pk, "three")).closed() == TRY_LATER
    await one.socket.disconnect()
    await until(lambda: not connections._watchers)


async def test_a_frame_is_in_the_language_of_its_reader(duel: tuple[Client, Client], clock: Clock) -> None:
    user = await sync_to_async(signed_up)("reader")
    key = token_text(await Token.objects.acreate(user=user))
    await give_up(duel, clock)
    one = Watching(duel[0].table, key)
    one.socket.scope["query_string"] = b"language=hi"
    await one.open()
    async with running(clock):
        rows = (await one.next("watch"))["deal"]["result"] or (await one.next("result"))["rows"]
    assert any("ऀ" <= letter <= "ॿ" for letter in str(rows))
    await one.socket.disconnect()


class Crowd:
    """A watcher without a socket, who does something while told."""

    table_watched, language, is_full = 1, "en", False

    def __init__(self, act: Callable[[], None] = lambda: None) -> None:
        self.act, self.kinds = act, []

    async def tell(self, frames: Iterable[bytes]) -> None:
        self.kinds += [json.loads(frame)["type"] for frame in frames]
        self.act()

    async def refuse(self, refusal: Exception) -> None:
        raise AssertionError(refusal)


async def test_who_leaves_or_breaks_while_others_are_told_keeps_nobody_and_is_kept_nowhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    empty = Sight(now=0, row=Table(pk=1), played=[], shown=None, table={}, live={})
    monkeypatch.setattr(shows, "_looked", lambda table, before, languages: (empty, {"en": None}))
    held = shows.current()
    gone, last = Crowd(), Crowd()
    first, broken = Crowd(lambda: held.leave(gone)), Crowd(lambda: 1 / 0)  # type: ignore[func-returns-value]
    for one in (first, broken, gone, last):
        held.join(one)
    await until(lambda: last.kinds)
    assert (first.kinds, gone.kinds, last.kinds) == (["watch"], [], ["watch"])
    assert gone not in held._shows[1]._watchers
    for one in (first, broken, last):
        held.leave(one)
    assert not held._shows


async def test_who_reads_nothing_gets_a_whole_picture_once_they_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sights = itertools.count()

    def looked(table: int, before: Any, languages: Any) -> Any:
        return Sight(0, Table(pk=1), [], None, {}, {"deal": next(sights)}), {"en": None}

    monkeypatch.setattr(shows, "_looked", looked)
    held, slow = shows.current(), Crowd()
    held.join(slow)
    await until(lambda: "live" in slow.kinds)
    slow.is_full = True
    slow.kinds.clear()
    seen = next(sights)
    await until(lambda: next(sights) > seen + 4)
    assert slow.kinds == []
    slow.is_full = False
    await until(lambda: "live" in slow.kinds)
    assert slow.kinds[0] == "watch"
    held.leave(slow)
