"""Push is a hint: whatever the channel layer loses, doubles, delays or invents, clients end where the table is."""

import asyncio
import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import InMemoryChannelLayer, get_channel_layer
from channels.testing import WebsocketCommunicator
from django.contrib.auth import get_user_model
from django.db import OperationalError
from rest_framework.authtoken.models import Token

from config.asgi import application
from rules.game.terms import Clocks
from tables import broadcast, door, presence, services, store, views, watch
from tables.models import Seating, Table
from tables.sign_in import door as front_door
from tests.tables.conftest import Client, terms
from wallet import nightly
from wallet.services import open_wallet
from wallet.trail.services import PLATFORM

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]

HOST = (b"host", b"testserver")


@pytest.fixture(autouse=True)
def sent() -> None:
    """Here the real channel layer carries the messages (conftest's stand-in is not wanted)."""


class Lossy:
    """Stands before a channel layer: drops 10 %, doubles 5 %, and keeps up to five back to let others pass."""

    def __init__(self, layer: Any, seed: int) -> None:
        self._layer, self._random = layer, random.Random(seed)
        self._kept: list[tuple[str, dict[str, Any]]] = []
        self.lost = self.doubled = self.reordered = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._layer, name)

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        fate = self._random.random()
        self.lost += fate < 0.10
        self.doubled += 0.10 <= fate < 0.15
        for _ in range(0 if fate < 0.10 else 2 if fate < 0.15 else 1):
            self._kept.append((group, message))
        while len(self._kept) > self._random.randint(0, 5):
            place = self._random.randrange(len(self._kept))
            self.reordered += place > 0
            await self._layer.group_send(*self._kept.pop(place))


class Seen:
    """One client's socket, read all the time: every state frame, and how it ended."""

    def __init__(self, table: int, key: str) -> None:
        token = (b"authorization", f"Token {key}".encode())
        self.socket = WebsocketCommunicator(application, f"/ws/tables/{table}/", headers=[HOST, token])
        self.full = False
        self.socket.scope["is_full"] = lambda: self.full
        self.states: list[dict[str, Any]] = []
        self.others: list[dict[str, Any]] = []
        self.code: int | None = None

    async def open(self) -> "Seen":
        assert (await self.socket.connect(timeout=5))[0]
        self.reading = asyncio.create_task(self._read())
        await until(lambda: bool(self.states or self.others))
        return self

    async def _read(self) -> None:
        while self.code is None:
            output = await self.socket.output_queue.get()
            if output["type"] == "websocket.close":
                self.code = output["code"]
                await self.socket.send_input({"type": "websocket.disconnect", "code": self.code})
            else:
                frame = json.loads(output["text"])
                (self.states if frame["type"] == "state" else self.others).append(frame)

    async def close(self) -> None:
        self.reading.cancel()
        if self.code is None:
            await self.socket.disconnect()

    @property
    def versions(self) -> list[int]:
        return [frame["version"] for frame in self.states]

    def equals(self, expected: dict[str, Any]) -> bool:
        return bool(self.states) and settled(self.states[-1]["view"]) == settled(expected)


def settled(view: dict[str, Any]) -> dict[str, Any]:
    """The view without what runs by itself."""
    clock = {name: value for name, value in (view["clock"] or {}).items() if name != "remaining_ms"}
    return {**view, "clock": clock, "result": view["result"] and {**view["result"], "next_in": None}}


async def until(done: Callable[[], Any], seconds: float = 5) -> None:
    async with asyncio.timeout(seconds):
        while not done():
            await asyncio.sleep(0.02)


@sync_to_async
def seated(*names: str, **changes: Any) -> tuple[Table, dict[str, tuple[Any, str]]]:
    table = services.open_table(terms=terms(seats=max(2, len(names)), **changes), title="Push", currency="FUN")
    found = {}
    for name in names:
        user = get_user_model().objects.create_user(username=name, password="a long enough one")
        open_wallet(user)
        services.sit(table_id=table.pk, user=user, amount=800)
        found[name] = user, Token.objects.create(user=user).key
    return table, found


@sync_to_async
def as_it_stands(table: Table, user: Any) -> dict[str, Any]:
    held = store.look(table.pk)
    seat = Seating.objects.get(table=table, user=user, freed_at=None).seat
    return dict(json.loads(views.state_frame(held, seat))["view"])


@sync_to_async
def play_rounds(table: Table, rounds: int) -> None:
    """Whoever's turn it is draws and throws the card away."""
    clients = {s.seat: Client(table.pk, s.user, s.connection) for s in Seating.objects.filter(table=table)}
    for _ in range(rounds):
        turn = next(iter(clients.values())).view()["deal"]["turn_seat"]
        drawn = clients[turn].send("draw", pile="closed")
        assert drawn["type"] == "ack", drawn
        assert clients[turn].send("discard", card=clients[turn].me["drawn"])["type"] == "ack"


@sync_to_async
def begin(table: Table) -> None:
    """The first deal is dealt."""
    while Table.objects.get(pk=table.pk).phase != "playing":
        held = store.look(table.pk)
        assert held.state.clock is not None
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store, "now_ms", lambda moment=held.state.clock.deadline: moment)
            services.tick(table_id=table.pk)


@pytest.fixture
def lossy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lossy]:
    between = Lossy(get_channel_layer(), seed=4)
    monkeypatch.setattr(broadcast, "get_channel_layer", lambda: between)
    yield between


async def test_lost_doubled_and_reordered_pushes_leave_every_client_where_the_table_is(lossy: Lossy) -> None:
    table, people = await seated("asha", "ravi", "tara")
    clients = [await Seen(table.pk, key).open() for _, key in people.values()]
    await begin(table)
    await play_rounds(table, 25)
    views_now = [await as_it_stands(table, user) for user, _ in people.values()]
    began = time.monotonic()
    await until(lambda: all(map(Seen.equals, clients, views_now)))
    assert time.monotonic() - began < 2
    for client in clients:
        assert client.versions == sorted(client.versions), "never an older state after a newer one"
        assert client.code is None
    assert lossy.lost and lossy.doubled and lossy.reordered
    for client in clients:
        await client.close()


async def test_a_deaf_socket_hears_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The layer has forgotten the groups, as after their expiry."""
    monkeypatch.setattr("tables.sockets.GROUPS_PAUSE", 0)
    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()
    layer = get_channel_layer()
    assert isinstance(layer, InMemoryChannelLayer)
    layer.groups.clear()
    await begin(table)
    expected = await as_it_stands(table, people["asha"][0])
    await until(lambda: one.equals(expected))
    await until(lambda: broadcast.table_group(table.pk) in layer.groups)
    await one.close()


async def test_a_change_by_another_process_is_seen_without_any_push(monkeypatch: pytest.MonkeyPatch) -> None:
    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()
    monkeypatch.setattr(broadcast, "send", lambda group, message: None)
    await begin(table)
    expected = await as_it_stands(table, people["asha"][0])
    began = time.monotonic()
    await until(lambda: one.equals(expected))
    assert time.monotonic() - began < 2
    await sync_to_async(services.freeze_table)(table_id=table.pk, reason="a look", actor=PLATFORM)
    await until(lambda: any(frame["code"] == "frozen" for frame in one.others))
    await one.close()


async def test_each_who_looks_at_a_table_that_waits_for_settlement_is_told_once() -> None:
    def told(seen: Seen) -> list[str]:
        return [frame["message"] for frame in seen.others if frame["code"] == "settlement_frozen"]

    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()
    await Table.objects.filter(pk=table.pk).aupdate(deadline_ms=1)
    await sync_to_async(nightly.freeze)("for a reason")
    await until(lambda: told(one))
    two = await Seen(table.pk, people["ravi"][1]).open()
    await until(lambda: told(two))
    assert told(one) == told(two) == [broadcast.WAITS]
    await one.close()
    await two.close()


async def test_who_is_connected_is_told_though_no_push_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()
    monkeypatch.setattr(broadcast, "send", lambda group, message: None)
    two = await Seen(table.pk, people["ravi"][1]).open()
    await until(lambda: one.states[-1]["view"]["seats"][1]["connected"])
    await two.close()
    await until(lambda: not one.states[-1]["view"]["seats"][1]["connected"])
    await one.close()


async def test_a_seat_played_from_elsewhere_is_told_though_no_push_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcast, "send", lambda group, message: None)
    table, people = await seated("asha")
    tabs = [await Seen(table.pk, people["asha"][1]).open() for _ in range(3)]
    await until(lambda: [tab.code for tab in tabs] == [4001, 4001, None])
    await tabs[-1].close()


async def test_a_tab_that_is_slow_to_join_is_not_taken_for_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The heartbeat looks twice while the new tab joins, and the seat is still the old tab's."""
    table, people = await seated("asha")
    looks: list[None] = []
    look, join = watch.Watch._look, presence.connect

    async def counted(heartbeat: watch.Watch) -> None:
        await look(heartbeat)
        looks.append(None)

    def slow(**arguments: Any) -> Any:
        before = len(looks)
        while len(looks) < before + 2:
            time.sleep(0.02)
        return join(**arguments)

    monkeypatch.setattr(watch.Watch, "_look", counted)
    first = await Seen(table.pk, people["asha"][1]).open()
    monkeypatch.setattr(presence, "connect", slow)
    second = await Seen(table.pk, people["asha"][1]).open()
    joined = len(looks)
    await until(lambda: len(looks) > joined + 2 and first.code == 4001)
    assert (second.code, len(second.states) > 0) == (None, True)
    await second.close()


async def test_who_has_left_in_the_middle_of_a_deal_looks_on_from_a_new_tab(monkeypatch: pytest.MonkeyPatch) -> None:
    """His seat is not free before the deal is over, and names the tab from which he left."""
    table, people = await seated("asha", "ravi", "meera")
    await begin(table)
    first = await Seen(table.pk, people["asha"][1]).open()
    await first.socket.send_to('{"type":"leave","id":"x"}')
    await until(lambda: any(frame["type"] == "ack" for frame in first.others))
    assert await sync_to_async(Seating.objects.filter(user=people["asha"][0], freed_at=None).count)() == 1
    await first.close()
    looks: list[None] = []
    look = watch.Watch._look

    async def counted(heartbeat: watch.Watch) -> None:
        await look(heartbeat)
        looks.append(None)

    monkeypatch.setattr(watch.Watch, "_look", counted)
    second = await Seen(table.pk, people["asha"][1]).open()
    await until(lambda: len(looks) > 2)
    assert second.code is None
    await second.close()


async def test_thirty_changes_of_tab_leave_exactly_one_that_plays() -> None:
    table, people = await seated("asha")
    tabs = [await Seen(table.pk, people["asha"][1]).open() for _ in range(31)]
    await until(lambda: all(tab.code == 4001 for tab in tabs[:-1]))
    assert tabs[-1].code is None
    await tabs[-1].socket.send_to('{"type":"leave","id":"x"}')
    await until(lambda: any(frame["type"] == "ack" for frame in tabs[-1].others))
    for tab in tabs:
        await tab.close()


@pytest.mark.parametrize(
    "message",
    [
        {"type": "table.state"},
        {"type": "table.state", "version": 10**9, "connected": [], "events": True, "frames": {}},
        {"type": "table.state", "version": "x", "connected": None, "events": 1, "frames": None},
        {"type": "table.emoji", "who": 3},
        {"type": "websocket.disconnect", "code": 1000},
        {"type": "websocket.receive", "text": '{"type":"leave"}'},
        {"type": "dispatch"},
        {"type": "_hear"},
        {"type": "close"},
        {"type": "expel"},
        {"type": ""},
        {"type": 7},
        {},
    ],
)
async def test_a_push_of_another_version_of_the_platform_does_no_harm(message: dict[str, Any]) -> None:
    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()
    await get_channel_layer().group_send(broadcast.table_group(table.pk), message)
    await one.socket.send_to('{"type":"ping","id":"p"}')
    await until(lambda: any(frame["type"] == "pong" for frame in one.others))
    await begin(table)
    expected = await as_it_stands(table, people["asha"][0])
    await until(lambda: one.equals(expected))
    assert one.code is None
    await one.close()


async def test_a_client_without_channel_layer_joins_and_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: Any) -> None:
        raise ConnectionError("the layer is gone")

    monkeypatch.setattr("tables.sockets.HEARING_WAIT", 0.1)
    monkeypatch.setattr(get_channel_layer(), "new_channel", fails)
    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()
    await begin(table)
    expected = await as_it_stands(table, people["asha"][0])
    await until(lambda: one.equals(expected))
    await one.close()


async def test_a_clock_runs_out_without_worker_and_without_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcast, "send", lambda group, message: None)
    table, people = await seated("asha", "ravi", clocks=Clocks(start_two=1_000))
    one = await Seen(table.pk, people["asha"][1]).open()
    await until(lambda: one.states[-1]["view"]["phase"] == "playing", seconds=10)
    await one.close()


async def test_a_slow_reader_gets_only_the_newest_state_and_is_closed_with_4008(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tables.sockets.PATIENCE_WITH_SLOW", 1)
    table, people = await seated("asha", "ravi")
    slow, quick = [await Seen(table.pk, key).open() for _, key in people.values()]
    slow.full = True
    before = len(slow.states)
    await begin(table)
    expected = await as_it_stands(table, people["ravi"][0])
    await until(lambda: quick.equals(expected))
    assert len(slow.states) == before
    slow.full = False
    await until(lambda: slow.versions[-1] == quick.versions[-1])
    assert len(slow.states) == before + 1
    slow.full = True
    await until(lambda: slow.code == 4008)
    assert quick.code is None
    await quick.close()
    await slow.close()


async def test_one_user_and_one_address_have_only_so_many_sockets(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    table, people = await seated("asha", "ravi")
    key = people["asha"][1].encode()
    lobbies = [lobby(key) for _ in range(door.PER_USER)]
    for one in lobbies:
        assert (await one.connect())[0]
    ninth = lobby(key)
    assert (await ninth.connect())[0]
    assert (await ninth.receive_output())["code"] == 1013
    other = await Seen(table.pk, people["ravi"][1]).open()
    await lobbies.pop().disconnect()
    again = lobby(key)
    assert (await again.connect())[0]
    settings.SOCKETS_PER_ADDRESS = 9
    refused = lobby(people["ravi"][1].encode())
    assert not (await refused.connect())[0]
    for one in (*lobbies, again):
        await one.disconnect()
    await other.close()
    await until(lambda: not front_door._addresses and not front_door._users)


def lobby(key: bytes) -> WebsocketCommunicator:
    return WebsocketCommunicator(application, "/ws/lobby/", headers=[HOST, (b"authorization", b"Token " + key)])


async def test_a_database_that_fails_once_costs_an_answer_not_the_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()

    def fails(**_: Any) -> None:
        raise OperationalError("the connection is closed")

    with monkeypatch.context() as patch:
        patch.setattr(services, "play", fails)
        await one.socket.send_to('{"type":"leave","id":"a"}')
        await until(lambda: any(frame.get("code") == "try_again" for frame in one.others))
    await one.socket.send_to('{"type":"leave","id":"a"}')
    await until(lambda: any(frame["type"] == "ack" for frame in one.others))
    await one.close()
