"""The web server: the start of a connection, and its end when the server is told to stop."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any

import pytest
from autobahn.twisted.websocket import WebSocketServerFactory
from daphne.ws_protocol import WebSocketProtocol
from twisted.internet.tcp import Connection
from twisted.internet.testing import StringTransport

from config.process import server
from tables.models import Outage, ServerHeartbeat
from tables.play import store
from tables.sockets import monitor
from tables.sockets.admission import connections
from tables.sockets.base import POLICY, RESTART, TOO_SLOW, LiveSocket

#: As a client answers a ping without a word, its mask being four zeros.
PONG = b"\x8a\x80\0\0\0\0"


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
    options = {name: getattr(connection, name) for name in WebSocketProtocol.CONFIG_ATTRS}
    assert options == {name: getattr(factory, name) for name in WebSocketProtocol.CONFIG_ATTRS}
    assert options["maxMessagePayloadSize"] == 1234 and not options["failByDrop"]


@pytest.mark.parametrize("size", [1, 125, 126, 65_535, 65_536])
def test_a_message_is_one_whole_frame_written_at_once(size: int) -> None:
    with _line() as (connection, client):
        connection.sendMessage(b"x" * size)
        assert _messages(_read(client)) == [b"x" * size]


def test_texts_that_are_sent_together_are_whole_frames_in_their_order_and_none_once_it_closes() -> None:
    with _line() as (connection, client):
        connection.send_text((b"st", b"", b"ate"), (b"ack",))
        assert _messages(_read(client)) == [b"state", b"ack"]
        connection.state = connection.STATE_CLOSING
        connection.send_text((b"more",))
        assert _read(client) == b""


def test_unsent_data_follows_in_order() -> None:
    """While a client does not read, unwritten data waits and goes out before anything newer."""
    messages = [bytes([number]) * 9_000 for number in range(100)]
    with _line() as (connection, client):
        for message in messages[:60]:
            connection.sendMessage(message)
        assert connection.transport.dataBuffer or connection.transport._tempDataBuffer
        heard = _read(client)
        for message in messages[60:]:
            connection.sendMessage(message)
        while connection.transport.doWrite() is None and (more := _read(client)):
            heard += more
    assert _messages(heard) == messages


@pytest.mark.parametrize(("slow", "code"), [(False, POLICY), (True, TOO_SLOW)])
def test_who_sends_more_than_can_be_answered_is_closed_once_and_who_reads_nothing_as_too_slow(
    slow: bool, code: int
) -> None:
    with _line() as (connection, _):
        closed = list[int]()
        connection.sendCloseFrame = lambda code, isReply: closed.append(code)  # noqa: N803
        connection.application_queue = asyncio.Queue()
        connection.transport.producerPaused = slow
        for _ in range(server.MOST_UNHEARD + 3):
            connection.onMessage(b"{}", False)
        assert (closed, connection.close_code) == ([code], code)
        assert connection.application_queue.qsize() == server.MOST_UNHEARD


def test_nothing_is_written_to_a_line_that_is_gone() -> None:
    with _line() as (connection, client):
        client.close()
        connection.sendMessage(b"x")
        connection.sendMessage(b"y")
        assert connection.transport._tempDataBuffer, "the transport finds out by itself"


@contextmanager
def _line() -> Iterator[tuple[Any, socket.socket]]:
    """Yield a connection of the server after its handshake, and its client's end; the test drives the loop."""
    factory = WebSocketServerFactory()
    factory.protocol = server.Protocol
    loop = SimpleNamespace(addWriter=id, removeWriter=id)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.setblocking(False)
        connection = factory.buildProtocol(None)
        connection.transport = Connection(ours, connection, loop)  # type: ignore[arg-type]
        connection.transport.connected = True
        connection.state, connection.data, connection.current_frame = connection.STATE_OPEN, b"", None
        connection.inside_message, connection.maxMessagePayloadSize = False, 1_000
        yield connection, theirs


def _read(client: socket.socket) -> bytes:
    received = b""
    with suppress(BlockingIOError):
        while more := client.recv(1 << 20):
            received += more
    return received


def _messages(stream: bytes) -> list[bytes]:
    """Return the messages in a stream of unmasked text frames."""
    messages = []
    while stream:
        first, size, start = stream[0], stream[1], 2
        assert first == 0x81 and size < 128
        if size > 125:
            start += 2 if size == 126 else 8
            size = int.from_bytes(stream[2:start], "big")
        messages.append(stream[start : start + size])
        stream = stream[start + size :]
    return messages


async def _stop() -> None:
    notes: list[tuple[str, dict[str, Any]]] = []

    def table_socket(name: str) -> LiveSocket:
        one = LiveSocket()
        one.working, one.closing = asyncio.Lock(), False
        one.base_send = lambda message: _note(notes, name, message)
        monitor.current().sockets.add(one)  # type: ignore[arg-type]  # as the monitor sees it
        return one

    stopping = server.Server(application=None, endpoints=["unused"], ready_callable=list)
    stopping.connections = {}
    idle, busy = table_socket("idle"), table_socket("busy")
    async with busy.working:
        leaving = asyncio.create_task(stopping._shut_down())
        while not notes:
            await asyncio.sleep(0)
        assert notes == [("idle", {"type": "websocket.close", "code": RESTART})] and not connections.open
        await asyncio.sleep(0.1)
        assert idle.closing and not busy.closing
        await busy.send("the answer")
    await leaving
    assert [name for name, _ in notes] == ["idle", "busy", "busy"]
    assert notes[1][1]["text"] == "the answer" and notes[2][1]["code"] == RESTART


async def _note(notes: list[tuple[str, dict[str, Any]]], name: str, message: dict[str, Any]) -> None:
    notes.append((name, message))


def test_a_silent_client_is_pinged_and_dropped_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=1_000.0)
    monkeypatch.setattr(server.time, "monotonic", lambda: clock.now)
    with _line() as (connection, client):
        connection.server = SimpleNamespace(ping_interval=10, ping_timeout=20)
        dropped: list[bool] = []
        connection.dropConnection = lambda abort: dropped.append(abort)
        connection.dataReceived(PONG)
        for clock.now in (1_009.0, 1_011.0, 1_013.0):
            connection.check_timeouts()
        assert _read(client) == b"\x89\x00", "one ping, and none before it is time"
        connection.dataReceived(PONG)
        clock.now = 1_042.0
        connection.check_timeouts()
        assert not dropped and _read(client) == b"\x89\x00"
        clock.now = 1_044.0
        connection.check_timeouts()
        assert dropped == [True]


@pytest.mark.django_db
def test_an_outage_is_recorded_before_the_first_socket_is_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever joins before that is not told of it."""
    # Its thread would note heartbeats on a connection of its own, after this test as well.
    monkeypatch.setattr("tables.sockets.monitor.current", lambda: SimpleNamespace(serve=lambda: None))
    died = store.now_ms() - 60_000
    ServerHeartbeat.objects.create(pk=1, at_ms=died)
    known: list[int] = []
    starting = server.Server(
        application=None, endpoints=["unused"], ready_callable=lambda: known.extend(_begins_of_outages())
    )
    starting.http_factory, starting.ws_factory = SimpleNamespace(), WebSocketServerFactory()
    with asyncio.Runner() as loop:
        asyncio.set_event_loop(loop.get_loop())
        starting._ready()
    assert known == [died]


def _begins_of_outages() -> list[int]:
    return list(Outage.objects.values_list("began_ms", flat=True))


def test_a_client_has_spoken_who_is_still_there_and_whose_word_waits() -> None:
    with _line() as (connection, _):
        connection.application_queue = asyncio.Queue()
        assert not connection.has_spoken()
        connection.application_queue.put_nowait({"type": "websocket.receive", "text": "{}"})
        assert connection.has_spoken() and not connection.is_gone()
        connection.state = connection.STATE_CLOSED
        assert not connection.has_spoken() and connection.is_gone()


def test_an_answer_to_a_ping_in_the_middle_of_a_message_is_part_of_it() -> None:
    """Only a whole frame between two others is an answer."""
    with _line() as (connection, _):
        messages: list[bytes] = []
        connection._dataReceived = messages.append
        connection.data = b"\x81"
        connection.dataReceived(PONG)
        connection.data, connection.current_frame = b"", object()
        connection.dataReceived(PONG)
        assert messages == [PONG, PONG]


def _masked(text: bytes, *, first: int = 0x81, mask: bytes = b"\x01\x02\x03\xff") -> bytes:
    """Return the text as a client's frame."""
    size = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
    return bytes([first]) + size + mask + bytes(each ^ mask[at % 4] for at, each in enumerate(text))


@pytest.mark.parametrize("text", [b"", b"x", b'{"type":"ping"}', b"x" * 125, b"y" * 126, "नमस्ते".encode() * 30])
def test_a_whole_text_of_a_client_is_read_past_the_library(text: bytes) -> None:
    with _line() as (connection, _):
        messages: list[tuple[bytes, bool]] = []
        connection.onMessage = lambda payload, binary: messages.append((payload, binary))
        connection.dataReceived(_masked(text))
        assert messages == [(text, False)]


ODD = {
    "half of a frame": _masked(b"hello")[:-1],
    "two frames": _masked(b"hello") * 2,
    "the first piece of a message": _masked(b"hello", first=0x01),
    "not text": _masked(b"hello", first=0x82),
    "reserved bits": _masked(b"hello", first=0xC1),
    "not masked": b"\x81\x05hello",
    "no UTF-8": _masked(b"\xff\xfe"),
    "larger than may come": _masked(b"x" * 1_001),
    "a size in more bytes than it needs": b"\x81\xfe\x00\x05\0\0\0\0hello",
    "a size in eight bytes": b"\x81\xff" + (200).to_bytes(8, "big") + bytes(204),
}


@pytest.mark.parametrize("case", ODD)
def test_other_frames_are_left_to_the_library(case: str) -> None:
    with _line() as (connection, _):
        messages: list[bytes] = []
        connection._dataReceived = messages.append
        connection.onMessage = lambda payload, binary: messages.append(b"read past it")
        connection.dataReceived(ODD[case])
        assert messages == [ODD[case]]
