"""Daphne for a game server: it detects clients that read too slowly, limits its queues, and shuts down cleanly."""

import asyncio
import contextlib
import logging
import socket
import struct
import time
from collections.abc import Callable, Iterable, Sequence
from http import HTTPStatus
from typing import Any

from autobahn.websocket.types import ConnectionDeny
from daphne import server as daphne
from daphne.ws_protocol import WebSocketProtocol
from django.db import DatabaseError
from twisted.internet import defer
from twisted.internet.tcp import Connection

from config.process.http_limits import Channel
from tables import metrics
from tables.play import outages
from tables.sockets import monitor
from tables.sockets.admission import connections
from tables.sockets.base import POLICY, RESTART, TOO_SLOW, LiveSocket

log = logging.getLogger(__name__)

#: Frames of RFC 6455. Section 5.2: the bit of a whole message, two kinds of content, the mask bit beside the size.
WHOLE, TEXT, BINARY, MASKED = 0x80, 1, 2, 0x80
#: Sections 5.5.2 and 5.5.3: a ping of ours; the beginning of a client's pong, before the mask of four bytes; its size.
PING, PONG, PONG_SIZE = b"\x89\x00", b"\x8a\x80", 6
#: The largest size that fits into the second byte; the value 126 there means that the size is in the next two bytes.
SHORT, IN_TWO_BYTES = 125, 126


def head(size: int, *, binary: bool = False) -> bytes:
    """Return the beginning of a server's frame that is a whole message of that many bytes, not masked."""
    opcode = BINARY if binary else TEXT
    if size <= SHORT:
        return struct.pack("!BB", WHOLE | opcode, size)
    if size < 1 << 16:
        return struct.pack("!BBH", WHOLE | opcode, IN_TWO_BYTES, size)
    return struct.pack("!BBQ", WHOLE | opcode, 127, size)


def whole_text(data: bytes, most: int) -> bytes | None:
    """Return the message if `data` is exactly one frame of a client, with a whole text of at most `most` bytes.

    None for everything else, which is left to the library.
    """
    if len(data) < 6 or data[0] != WHOLE | TEXT or not data[1] & MASKED:
        return None
    size, start = data[1] & ~MASKED, 2
    if size == IN_TWO_BYTES:
        size, start = int.from_bytes(data[2:4], "big"), 4
    if size > most or len(data) != start + 4 + size or (size > SHORT) != (start > 2):
        return None
    mask = (data[start : start + 4] * (size // 4 + 1))[:size]
    hidden = int.from_bytes(data[start + 4 :], "big")
    return (hidden ^ int.from_bytes(mask, "big")).to_bytes(size, "big")


#: Bytes that the kernel buffers for a socket, so few that a slow reader is noticed at once.
SEND_BUFFER = 64 * 1024
#: The most messages of a client that may wait to be handled.
MOST_UNHEARD = 100
#: Seconds that a client has to answer a close.
CLOSING_TIME = 3
#: Seconds between two looks for connections that have ended: the library goes through all of them each second.
CLEARING = 5.0
#: On stopping: seconds for answering requests under way, and for clients to disconnect.
LAST_ANSWERS, LAST_GOODBYES = 10.0, 3.0


class Protocol(WebSocketProtocol):  # type: ignore[misc]
    """The protocol of one WebSocket. It can send any close code, and does not buffer a flood of messages."""

    #: Empty, or the library formats them for a debug line at each connection, which is a fifth of the cost of a join.
    CONFIG_ATTRS = ()
    #: The last time that bytes arrived, in monotonic seconds.
    heard = 0.0
    #: The last time that the client was pinged.
    pinged = 0.0
    #: The code with which this side has closed, if it has.
    close_code: int | None = None

    def _connectionMade(self) -> None:  # noqa: N802
        for name in WebSocketProtocol.CONFIG_ATTRS:
            if not hasattr(self, name):
                setattr(self, name, getattr(self.factory, name))
        super()._connectionMade()

    def onConnect(self, request: Any) -> Any:  # noqa: N802
        self.transport.getHandle().setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        return super().onConnect(request)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        """Handle the two common cases, a pong and one whole text, faster than the library; leave the others to it."""
        self.heard, began = time.monotonic(), time.thread_time()
        if self.state != self.STATE_OPEN or self.data or self.current_frame is not None or self.inside_message:
            super().dataReceived(data)
        elif (text := whole_text(data, self.maxMessagePayloadSize)) is not None and _is_utf8(text):
            self.onMessage(text, False)
        elif len(data) != PONG_SIZE or not data.startswith(PONG):
            super().dataReceived(data)
        metrics.spend("receiving", began)

    def check_timeouts(self) -> None:
        """Ping a client that has long been silent, and drop one that does not answer; called every two seconds.

        The library would set a timer and draw random bytes for each ping.
        """
        if self.state != self.STATE_OPEN:
            super().check_timeouts()
            return
        now = time.monotonic()
        silent, every = now - self.heard, self.server.ping_interval
        if silent > every + self.server.ping_timeout:
            self.dropConnection(abort=True)
        elif silent > every and now - self.pinged > every:
            self.pinged = now
            self._write([PING])

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N802, N803
        """Queue the message for the application, without the library's lines for a log that is off.

        Who sends more than can be answered, and reads no answers, is a slow reader.
        """
        if self.application_queue.qsize() < MOST_UNHEARD:
            content: dict[str, Any] = {"bytes": payload} if isBinary else {"text": payload.decode()}
            self.application_queue.put_nowait({"type": "websocket.receive", **content})
        elif self.close_code is None:
            self.serverClose(TOO_SLOW if self.is_full() else POLICY)

    def handle_reply(self, message: Any) -> None:
        """Reply as the library does, but refuse a handshake with any status: the library knows only 403."""
        if message.get("type") == "websocket.http.response.start":
            self._refuse(message["status"])
        elif message.get("type") != "websocket.http.response.body":
            super().handle_reply(message)

    def _refuse(self, status: int) -> None:
        if self.state == self.STATE_CONNECTING:
            refusal = ConnectionDeny(code=status, reason=HTTPStatus(status).phrase)  # type: ignore[no-untyped-call]
            self.handshake_deferred.errback(refusal)
            del self.handshake_deferred
            self.server.protocol_disconnected(self)

    def serverSend(self, content: Any, binary: bool = False) -> None:  # noqa: N802
        """Send the content; do nothing if the socket is closing or closed, which is no fault."""
        if self.state not in (self.STATE_CLOSING, self.STATE_CLOSED):
            super().serverSend(content, binary)

    def sendMessage(self, payload: bytes, isBinary: bool = False, **options: Any) -> None:  # noqa: N802, N803
        """Send the message as one frame.

        The library's method takes ten times as long, and applies the limit of incoming messages, which a full lobby
        exceeds.
        """
        if self.state == self.STATE_OPEN:
            self._write([head(len(payload), binary=isBinary), payload])

    def send_text(self, *texts: Sequence[bytes]) -> None:
        """Send messages in UTF-8 at once and in this order, if the socket is open.

        The usual way takes a dozen calls for each message, and a move sends six.
        """
        if self.state == self.STATE_OPEN:
            pieces: list[bytes] = []
            for text in texts:
                pieces += head(sum(map(len, text))), *text
            self._write(pieces)

    def _write(self, pieces: Sequence[bytes]) -> None:
        """Write as much as the kernel has room for at once; the transport buffers the rest, and reports errors.

        The transport alone would wait for the event loop: two more system calls for each frame, and a later write.
        """
        try:
            sent = self.transport.getHandle().sendmsg(pieces) if _is_idle(self.transport) else 0
        except OSError:
            sent = 0
        if sent < sum(map(len, pieces)):
            self.transport.write(b"".join(pieces)[sent:])

    def serverClose(self, code: int | None = None) -> None:  # noqa: N802
        """Close with any code of the contract; the library refuses to send those between 1001 and 2999."""
        self.close_code = 1000 if code is None else code
        self.sendCloseFrame(code=self.close_code, isReply=False)

    def has_spoken(self) -> bool:
        """Return whether the socket is open and messages of the client wait to be handled."""
        return self.state == self.STATE_OPEN and not self.application_queue.empty()

    def is_gone(self) -> bool:
        """Return whether the connection has ended; it may have done so before the client was answered at all."""
        return bool(self.state == self.STATE_CLOSED)

    def is_full(self) -> bool:
        """Return whether more than the transport's buffer waits for the client to read it."""
        return bool(self.transport.producerPaused)


def _is_utf8(text: bytes) -> bool:
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_idle(transport: Any) -> bool:
    """Return whether the transport is an open socket without TLS, and has nothing waiting to be written."""
    if not isinstance(transport, Connection) or transport.TLS:
        return False
    waits = transport.dataBuffer or transport._tempDataBuffer
    return bool(transport.connected) and not transport.disconnecting and not waits


class Server(daphne.Server):  # type: ignore[misc]
    """A server that, on stopping, answers requests under way and closes every socket with 1012 (service restart)."""

    def __init__(self, *arguments: Any, ready_callable: Callable[[], None], **options: Any) -> None:
        super().__init__(*arguments, ready_callable=self._ready, **options)
        self._when_ready = ready_callable
        self._ports: list[Any] = []
        self._cleared_at = 0.0
        #: Why the server cannot listen; empty if it can.
        self.refusal = ""

    def _ready(self) -> None:
        self.http_factory.protocol = Channel
        self.ws_factory.protocol = Protocol
        # So too large a frame is answered with 1009; otherwise the client would only see the connection break.
        self.ws_factory.setProtocolOptions(failByDrop=False, closeHandshakeTimeout=CLOSING_TIME)
        # Sockets wait already: whoever comes back is told of an outage only if it has been recorded.
        with contextlib.suppress(DatabaseError):
            outages.record_heartbeat(starting=True)
        asyncio.get_event_loop().call_soon(lambda: monitor.current().serve())
        self._when_ready()

    def listen_success(self, port: Any) -> None:
        self._ports.append(port)
        super().listen_success(port)

    def listen_error(self, failure: Any) -> None:
        self.refusal = failure.getErrorMessage()
        super().listen_error(failure)

    def create_application(self, protocol: Any, scope: dict[str, Any]) -> Any:
        if scope["type"] == "websocket":
            scope["is_full"], scope["send_text"] = protocol.is_full, protocol.send_text
            scope["has_spoken"], scope["close_code"] = protocol.has_spoken, lambda: protocol.close_code
            scope["is_gone"] = protocol.is_gone
            scope["extensions"] = {"websocket.http.response": {}}
        return super().create_application(protocol, scope)

    def application_checker(self) -> None:
        """Clear away what has ended; called once a second."""
        if time.monotonic() - self._cleared_at < CLEARING:
            daphne.reactor.callLater(1, self.application_checker)
            return
        self._cleared_at = time.monotonic()
        super().application_checker()

    def kill_all_applications(self) -> Any:
        """Stop the server; called once, on SIGTERM or SIGINT."""
        return defer.Deferred.fromFuture(asyncio.ensure_future(self._shut_down()))

    async def _shut_down(self) -> None:
        connections.open = False
        for port in self._ports:
            port.stopListening()
        deadline = time.monotonic() + LAST_ANSWERS
        while await self._close_idle_sockets() and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
        for live_socket in _sockets():
            await live_socket.close(RESTART)
        await _wait_until(lambda: not self._running(), LAST_GOODBYES)
        running = self._running()
        for application in running:
            application.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _running(self, connections: Iterable[Any] | None = None) -> list[Any]:
        """Return the applications of these connections that have not ended; of all connections by default."""
        protocols = list(self.connections if connections is None else connections)
        applications = (self.connections[protocol].get("application_instance") for protocol in protocols)
        return [application for application in applications if application is not None and not application.done()]

    async def _close_idle_sockets(self) -> bool:
        """Close each socket whose client is not waiting for an answer.

        Return whether a page, a call or a move is still under way.
        """
        for live_socket in _sockets():
            if not live_socket.is_working:
                await live_socket.close(RESTART)
        requests = (protocol for protocol in self.connections if not isinstance(protocol, Protocol))
        return bool(self._running(requests)) or any(live_socket.is_working for live_socket in _sockets())


def _sockets() -> list[LiveSocket]:
    return [socket_ for socket_ in monitor.current().sockets if isinstance(socket_, LiveSocket)]


async def _wait_until(condition: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
