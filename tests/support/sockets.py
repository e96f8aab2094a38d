"""Real sockets at a table, and helpers that play there and compare views."""

import asyncio
import contextlib
import json
from collections.abc import Callable, Collection, Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from rest_framework.authtoken.models import Token

from config.asgi import application
from tables.models import Seating, ServerHeartbeat, Table
from tables.play import frames, services as play, store
from tables.play.opening import open_table
from tables.sockets import looks, monitor
from tables.sockets.statuses import PollResult, Statuses
from tests.support.players import signed_up
from tests.support.tables import Client, terms
from wallet.keys.api_tokens import token_text

HOST = (b"host", b"testserver")
#: Seconds after which something within this process counts as never happening: a busy machine computes for long.
PATIENCE = 60


class PatientSocket(WebsocketCommunicator):  # type: ignore[misc]
    """A client's socket whose connecting, receiving and disconnecting may take PATIENCE, not a second."""

    async def receive_output(self, timeout: float = PATIENCE) -> dict[str, Any]:
        return dict(await super().receive_output(PATIENCE))

    async def wait(self, timeout: float = PATIENCE) -> None:
        await super().wait(PATIENCE)


class Seen:
    """One client's socket, read all the time: its state frames, its other frames, and its close code."""

    def __init__(self, table: int, key: str) -> None:
        token = (b"authorization", f"Token {key}".encode())
        self.socket = PatientSocket(application, f"/ws/tables/{table}/", headers=[HOST, token])
        self.full = False
        #: The code with which the server has closed the socket by itself, if it has.
        self.server_code: int | None = None
        self.socket.scope |= {"is_full": lambda: self.full, "close_code": lambda: self.server_code}
        self.states: list[dict[str, Any]] = []
        self.others: list[dict[str, Any]] = []
        self.code: int | None = None

    async def open(self) -> "Seen":
        assert (await self.socket.connect())[0]
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
    """Return the view without values that change with time alone."""
    clock = {name: value for name, value in (view["clock"] or {}).items() if name != "remaining_ms"}
    return {**view, "clock": clock, "result": view["result"] and {**view["result"], "next_in": None}}


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.02)


@sync_to_async
def seated(*names: str, **changes: Any) -> tuple[Table, dict[str, tuple[Any, str]]]:
    table = open_table(terms=terms(seats=max(2, len(names)), **changes), title="Push", currency="FUN")
    users = {}
    for name in names:
        user = signed_up(name)
        play.sit(table_id=table.pk, user=user, amount=800)
        users[name] = user, token_text(Token.objects.create(user=user))
    return table, users


@sync_to_async
def current_view(table: Table, user: Any) -> dict[str, Any]:
    snapshot = store.read_table(table.pk)
    seat = Seating.objects.get(table=table, user=user, freed_at=None).seat
    return dict(json.loads(frames.shown_frame(snapshot, seat).text)["view"])


@sync_to_async
def play_rounds(table: Table, rounds: int) -> None:
    """Play `rounds` turns: the player to move draws and discards the card."""
    clients = {s.seat: Client(table.pk, s.user, s.connection) for s in Seating.objects.filter(table=table)}
    for _ in range(rounds):
        turn = next(iter(clients.values())).view()["deal"]["turn_seat"]
        drawn = clients[turn].send("draw", pile="closed")
        assert drawn["type"] == "ack", drawn
        assert clients[turn].send("discard", card=clients[turn].me["drawn"])["type"] == "ack"


@sync_to_async
def begin(table: Table) -> None:
    """Move the clocks until the first deal is dealt.

    To the heartbeats the leap would be an outage, whose time the clock gets back, so that each leap would put it off.
    """
    while Table.objects.get(pk=table.pk).phase != "playing":
        snapshot = store.read_table(table.pk)
        assert snapshot.state.clock is not None
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store, "now_ms", lambda moment=snapshot.state.clock.deadline: moment)
            ServerHeartbeat.objects.all().delete()
            play.tick(table_id=table.pk)


@contextlib.contextmanager
def looks_at_most(number: int) -> Iterator[None]:
    """Let the monitors of sockets begin so many looks within the block, and the next after it, however busy it is."""
    look, begun, after = monitor.SocketMonitor._poll, list[None](), asyncio.Event()

    async def counted(self: monitor.SocketMonitor) -> None:
        begun.append(None)
        if len(begun) > number:
            await after.wait()
        await look(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(monitor.SocketMonitor, "_poll", counted)
        yield
    after.set()


def read_statuses(found: Statuses, table_ids: Collection[int], recheck: Collection[int] = ()) -> PollResult:
    """Look at these tables; the seats of those to `recheck` are read in any case."""
    return found.found(looks.look(found.expected(table_ids, recheck)))
