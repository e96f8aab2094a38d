"""Daphne, as a place for games needs it: it says who reads too slowly, bounds what waits, and leaves in good order."""

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from autobahn.websocket.types import ConnectionDeny
from daphne import server as daphne
from daphne.ws_protocol import WebSocketProtocol
from twisted.internet import defer
from twisted.internet.tcp import Connection

from config.process import frames
from config.process.http_limits import Channel
from tables.sockets import heartbeat
from tables.sockets.authentication import connections
from tables.sockets.base import POLICY, RESTART, LiveSocket

log = logging.getLogger(__name__)

#: Bytes that the kernel keeps for a socket. What it has no room for is noticed at once.
SEND_BUFFER = 64 * 1024
#: Messages of a client that may wait for their turn.
MOST_UNHEARD = 100
#: Seconds that a client has to answer a close.
CLOSING_TIME = 3
#: On stopping: seconds for what is under way to be answered, and for the clients to take their leave.
LAST_ANSWERS, LAST_GOODBYES = 10.0, 3.0


class Protocol(WebSocketProtocol):  # type: ignore[misc]
    """One socket. Every close code may be sent, and a flood is not kept in memory."""

    #: Empty, or the library sets all of them out for a debug line at every connection: a fifth of what a join costs.
    CONFIG_ATTRS = ()
    #: When bytes came last, in monotonic seconds.
    heard = 0.0
    #: When it was pinged last.
    pinged = 0.0

    def _connectionMade(self) -> None:  # noqa: N802
        for name in WebSocketProtocol.CONFIG_ATTRS:
            if not hasattr(self, name):
                setattr(self, name, getattr(self.factory, name))
        super()._connectionMade()

    def onConnect(self, request: Any) -> Any:  # noqa: N802
        self.transport.getHandle().setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        return super().onConnect(request)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        """Do as the library does, which takes long to find that a client has answered a ping, or said one thing."""
        self.heard = time.monotonic()
        if self.state != self.STATE_OPEN or self.data or self.current_frame is not None or self.inside_message:
            super().dataReceived(data)
        elif (text := frames.whole_text(data, self.maxMessagePayloadSize)) is not None and _is_utf8(text):
            self.onMessage(text, False)
        elif len(data) != frames.PONG_SIZE or not data.startswith(frames.PONG):
            super().dataReceived(data)

    def check_timeouts(self) -> None:
        """Ping who has long been silent, and drop who does not answer; called every two seconds.

        The library sets a timer for each ping, and makes up bytes for it.
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
            self._write(frames.PING)

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N802, N803
        if self.application_queue.qsize() < MOST_UNHEARD:
            super().onMessage(payload, isBinary)
        else:
            self.serverClose(POLICY)

    def handle_reply(self, message: Any) -> None:
        """Reply as the library does, which refuses a handshake with 403 alone."""
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
        """Send, and pass over that a client has just gone: that is no fault of anybody's."""
        if self.state not in (self.STATE_CLOSING, self.STATE_CLOSED):
            super().serverSend(content, binary)

    def sendMessage(self, payload: bytes, isBinary: bool = False, **options: Any) -> None:  # noqa: N802, N803
        """Send the message as one frame.

        The library takes ten times as long, and holds it to the limit for what may come in; a lobby with many tables is
        more.
        """
        if self.state == self.STATE_OPEN:
            self._write(frames.whole_frame(payload, binary=isBinary))

    def send_text(self, *texts: bytes) -> None:
        """Send messages in UTF-8 at once and in this order, past all that stands between an application and here.

        Each of them is sent six times for a move, by way of a dozen calls. Nothing is sent on a line that is not open.
        """
        if self.state == self.STATE_OPEN:
            self._write(b"".join([frames.whole_frame(text) for text in texts]))

    def _write(self, frame: bytes) -> None:
        """Give the kernel what it has room for at once; the transport keeps the rest, and tells what went wrong.

        By itself it would ask the loop for each frame whether there is room: two more system calls, and a round later.
        """
        if _is_idle(self.transport):
            sent = self.transport.writeSomeData(frame)
            frame = frame[sent:] if isinstance(sent, int) else frame
        if frame:
            self.transport.write(frame)

    def serverClose(self, code: int | None = None) -> None:  # noqa: N802
        """Close with a code that the contract has and the library lets no application send: between 1001 and 2999."""
        self.sendCloseFrame(code=1000 if code is None else code, isReply=False)

    def is_full(self) -> bool:
        """Return whether more than the transport's buffer waits to be read by the client."""
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
    """Return whether the transport is a plain socket that is open, and nothing waits in it to be written."""
    if not isinstance(transport, Connection) or transport.TLS:
        return False
    waits = transport.dataBuffer or transport._tempDataBuffer
    return bool(transport.connected) and not transport.disconnecting and not waits


class Server(daphne.Server):  # type: ignore[misc]
    """Answer what is under way before it ends, and tell every socket with 1012 to come back."""

    def __init__(self, *arguments: Any, ready_callable: Callable[[], None], **options: Any) -> None:
        super().__init__(*arguments, ready_callable=self._ready, **options)
        self._tell_ready = ready_callable
        self._ports: list[Any] = []
        #: Why nobody can listen there; empty where somebody does.
        self.refusal = ""

    def _ready(self) -> None:
        self.http_factory.protocol = Channel
        self.ws_factory.protocol = Protocol
        # A frame that is too large is answered with 1009; otherwise the client would only see the line cut.
        self.ws_factory.setProtocolOptions(failByDrop=False, closeHandshakeTimeout=CLOSING_TIME)
        asyncio.get_event_loop().call_soon(lambda: heartbeat.of_this_loop().serve())
        self._tell_ready()

    def listen_success(self, port: Any) -> None:
        self._ports.append(port)
        super().listen_success(port)

    def listen_error(self, failure: Any) -> None:
        self.refusal = failure.getErrorMessage()
        super().listen_error(failure)

    def create_application(self, protocol: Any, scope: dict[str, Any]) -> Any:
        if scope["type"] == "websocket":
            scope["is_full"], scope["send_text"] = protocol.is_full, protocol.send_text
            scope["extensions"] = {"websocket.http.response": {}}
        return super().create_application(protocol, scope)

    def kill_all_applications(self) -> Any:
        """Stop the server; called once, on SIGTERM or SIGINT."""
        return defer.Deferred.fromFuture(asyncio.ensure_future(self._leave()))

    async def _leave(self) -> None:
        connections.open = False
        for port in self._ports:
            port.stopListening()
        give_up = time.monotonic() + LAST_ANSWERS
        while await self._dismiss() and time.monotonic() < give_up:
            await asyncio.sleep(0.02)
        for one in _sockets():
            await one.close(RESTART)
        await _until(lambda: not self._running(), LAST_GOODBYES)
        running = self._running()
        for application in running:
            application.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _running(self, connections: Iterable[Any] | None = None) -> list[Any]:
        """Return what has not ended of the applications of these connections, of all by default."""
        asked = list(self.connections if connections is None else connections)
        found = (self.connections[one].get("application_instance") for one in asked)
        return [application for application in found if application is not None and not application.done()]

    async def _dismiss(self) -> bool:
        """Close each socket whose client waits for nothing.

        Return whether a page, a call or a move is still under way.
        """
        for one in _sockets():
            if not one.is_working:
                await one.close(RESTART)
        answering = (one for one in self.connections if not isinstance(one, Protocol))
        return bool(self._running(answering)) or any(one.is_working for one in _sockets())


def _sockets() -> list[LiveSocket]:
    return [one for one in heartbeat.of_this_loop().sockets if isinstance(one, LiveSocket)]


async def _until(done: Callable[[], bool], seconds: float) -> None:
    give_up = time.monotonic() + seconds
    while not done() and time.monotonic() < give_up:
        await asyncio.sleep(0.02)
