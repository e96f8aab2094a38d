"""The server: what a connection begins with, and how it ends when the server is told to stop."""

import asyncio
from typing import Any

import pytest
from autobahn.twisted.websocket import WebSocketServerFactory
from daphne.ws_protocol import WebSocketProtocol
from twisted.internet.testing import StringTransport

from config.process import server
from tables.sockets import heartbeat
from tables.sockets.authentication import connections
from tables.sockets.base import RESTART, LiveSocket


def test_who_waits_for_nothing_is_sent_away_at_once_and_who_waits_with_their_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "open", True)
    monkeypatch.setattr(server, "LAST_ANSWERS", 30.0)
    asyncio.run(_stop())


def test_every_option_of_the_factory_holds_for_a_connection() -> None:
    factory = WebSocketServerFactory()
    factory.protocol = server.Protocol
    factory.setProtocolOptions(maxMessagePayloadSize=1234, autoPingInterval=7, failByDrop=False)
    connection = factory.buildProtocol(None)
    connection.makeConnection(StringTransport())
    told = {name: getattr(connection, name) for name in WebSocketProtocol.CONFIG_ATTRS}
    assert told == {name: getattr(factory, name) for name in WebSocketProtocol.CONFIG_ATTRS}
    assert told["maxMessagePayloadSize"] == 1234 and not told["failByDrop"]


async def _stop() -> None:
    told: list[tuple[str, dict[str, Any]]] = []

    def socket(name: str) -> LiveSocket:
        one = LiveSocket()
        one.working, one.closing = asyncio.Lock(), False
        one.base_send = lambda message: _note(told, name, message)
        heartbeat.of_this_loop().sockets.add(one)  # type: ignore[arg-type]  # as the heartbeat sees it
        return one

    stopping = server.Server(application=None, endpoints=["unused"], ready_callable=list)
    stopping.connections = {}
    idle, busy = socket("idle"), socket("busy")
    async with busy.working:
        leaving = asyncio.create_task(stopping._leave())
        while not told:
            await asyncio.sleep(0)
        assert told == [("idle", {"type": "websocket.close", "code": RESTART})] and not connections.open
        await asyncio.sleep(0.1)
        assert idle.closing and not busy.closing
        await busy.send("the answer")
    await leaving
    assert [name for name, _ in told] == ["idle", "busy", "busy"]
    assert told[1][1]["text"] == "the answer" and told[2][1]["code"] == RESTART


async def _note(told: list[tuple[str, dict[str, Any]]], name: str, message: dict[str, Any]) -> None:
    told.append((name, message))
