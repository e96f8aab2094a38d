"""The base of the table and lobby sockets: it survives bad clients, a failing Redis and messages of other versions."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import orjson
from channels.db import database_sync_to_async
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer

from tables.metrics import CLOSES
from tables.play.broadcast import TableMessage
from tables.play.frames.encoder import Pieces
from tables.play.protocol import FRAME_LIMIT
from tables.sockets import credentials, hub, monitor
from tables.sockets.admission import TokenBucket, connections
from tables.sockets.statuses import SeenState, TableStatus

log = logging.getLogger(__name__)

TAKEN_OVER, SIGNED_OUT, NO_TABLE, TOO_SLOW = 4001, 4003, 4004, 4008
POLICY, TOO_BIG, RESTART, TRY_LATER = 1008, 1009, 1012, 1013
#: What a socket counts as that ends without a close.
ABNORMAL = 1006
CLOSE_CODES = {
    TAKEN_OVER: "This seat is now played from another connection.",
    SIGNED_OUT: "Not signed in any more, or not admitted to this table.",
    NO_TABLE: "There is no such table.",
    TOO_SLOW: "The client reads too slowly: connect again and take the state as it stands.",
    POLICY: "Too many messages, or too many malformed ones.",
    TOO_BIG: "A message of more than 8 KiB.",
    RESTART: "The server restarts: connect again after a moment.",
    TRY_LATER: "Too many connections, or the platform is not well: connect again in a while.",
}

#: What a table's socket refuses by itself, by the code of the error; all else are refusals by the rules.
OWN_REFUSALS = {
    "bad_frame": "Not a frame as it stands here.",
    "busy": "The table is being changed at this moment: try again.",
    "frozen": "The table stands still because of a fault of the platform: its staff look at it.",
    "insufficient_balance": "The balance is too small for this.",
    "limit_reached": "More than the player's own limit lets them put into play.",
    "locked": "The account is closed or locked.",
    "not_practice": "Only a practice table can be skipped to the end.",
    "rate_limited": "Too many of these: wait a moment.",
    "self_excluded": "The player is excluded from play.",
    "settlement_frozen": "No chips move until the books have been looked at: try again later.",
    "signed_out": "Not signed in any more.",
    "stale": "The table has changed since the version that was sent.",
    "still_in_deal": "The player of the practice table is still in the deal.",
    "table_closed": "The table is closed.",
    "taken_over": "The seat is now played from another connection.",
    "time_limit_reached": "The player's own limit of time is reached.",
    "try_again": "The table is busy: try again.",
    "unknown_type": "No type of frame that stands here.",
}

#: Seconds for which a client may leave its data unread.
SLOW_CLIENT_PATIENCE = 10.0


_departures: set[asyncio.Task[None]] = set()


class LiveSocket(AsyncWebsocketConsumer):  # type: ignore[misc]
    """A consumer that no push, no dead channel layer and no slow reader can bring down.

    The scope's `is_full`, where the server provides one, returns whether sent data still waits to be read, its
    `close_code` with what the server has closed, if it has, and its `is_gone` whether the connection has ended.
    """

    #: Types of messages, each handled by the method of that name with `_` for `.`; others are ignored.
    pushes: ClassVar[frozenset[str]] = frozenset()

    async def __call__(self, scope: dict[str, Any], receive: Callable[[], Any], send: Callable[..., Any]) -> None:
        self.scope, self.base_send = scope, send
        self.credential = credentials.of_scope(scope)
        self.table_id: int | None = None
        self.closing = self.departed = False
        self.working = asyncio.Lock()
        self.settled_status: TableStatus | None = None
        self.noted_at = time.monotonic()
        #: The processor time of the loop's thread when the last message of the client came, in seconds.
        self.received = 0.0
        self._full_since: float | None = None
        try:
            while True:
                await self.dispatch(await receive())
        except StopConsumer:
            pass
        finally:
            monitor.current().discard(self)
            if not self.departed:
                # The server has ended this task, and may do so again: the departure gets one of its own.
                ended = TOO_SLOW if self.is_full else ABNORMAL
                departure = asyncio.create_task(self.depart(ABNORMAL, ended=ended))
                _departures.add(departure)
                departure.add_done_callback(_departures.discard)
            await hub.current().leave(self)

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Handle one message of the client at a time, and none while a push is handled."""
        async with self.working:
            if message["type"] == "websocket.connect":
                await self.connect()
            elif message["type"] == "websocket.receive":
                if not self.closing and self.server_code is None and connections.open:
                    self.received, text, data = time.thread_time(), message.get("text"), message.get("bytes")
                    if len(text or data or b"") > FRAME_LIMIT:
                        await self.close(TOO_BIG)
                    else:
                        await self.receive(text, data)
            elif message["type"] == "websocket.disconnect":
                await self.depart(message["code"])
                raise StopConsumer

    async def depart(self, code: int, *, ended: int | None = None) -> None:
        """Do once what is to be done when the client is gone, even if the server has ended the socket by itself.

        That counts as the code with which the server has closed; if it did not, as `ended`.
        """
        counted = None if self.closing else self.server_code or ended
        self.closing = True
        if not self.departed:
            self.departed = True
            if counted is not None:
                CLOSES.labels(str(counted)).inc()
            await self.disconnect(code)

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        """Close once; whatever the client still sends is ignored."""
        if not self.closing:
            self.closing = True
            CLOSES.labels(str(code or 1000)).inc()
            await super().close(code, reason)

    async def send(self, text_data: str | None = None, bytes_data: bytes | None = None, close: bool = False) -> None:
        """Send as the base class does, but nothing once the socket is closing."""
        if not self.closing:
            await super().send(text_data, bytes_data, close)

    async def send_texts(self, *texts: Pieces) -> None:
        """Send messages in this order: directly by the scope's `send_text`, where the server provides one.

        The usual way through channels and the server took a quarter of the time of a move.
        """
        if self.sends_directly:
            self.send_directly(*texts)
        else:
            for text in texts:
                await self.send(b"".join(text).decode())

    @property
    def sends_directly(self) -> bool:
        """Whether the server takes texts directly, so that nothing needs to wait for it."""
        return "send_text" in self.scope

    def send_directly(self, *texts: Pieces) -> None:
        """Send the texts now; only for a socket that `sends_directly`."""
        if texts and not self.closing:
            self.scope["send_text"](*texts)

    async def send_json(self, content: dict[str, Any], request_id: str | int | None = None) -> None:
        """Send the content, with the id of the client's request if it had one."""
        await self.send_texts((self.as_json(content, request_id),))

    @staticmethod
    def as_json(content: dict[str, Any], request_id: str | int | None = None) -> bytes:
        """Return the bytes that `send_json` sends."""
        numbered = content if request_id is None else {**content, "id": request_id}
        return orjson.dumps(numbered)

    @property
    def is_full(self) -> bool:
        """Whether more data waits to be read than a client that follows the game leaves unread."""
        return bool(self.scope.get("is_full", bool)())

    @property
    def is_gone(self) -> bool:
        """Whether the client has gone, though that has not been handled yet."""
        return bool(self.scope.get("is_gone", bool)())

    @property
    def server_code(self) -> int | None:
        """The code with which the server has closed the socket by itself, if it has."""
        code: int | None = self.scope["close_code"]() if "close_code" in self.scope else None
        return code

    @property
    def is_working(self) -> bool:
        """Whether a message of the client or a push is being handled."""
        return self.working.locked()

    async def revoke(self) -> None:
        await self.close(SIGNED_OUT)

    def is_stuck(self, now: float) -> bool:
        """Return whether the socket has been full for longer than `SLOW_CLIENT_PATIENCE`."""
        if not self.is_full:
            self._full_since = None
        elif self._full_since is None:
            self._full_since = now
        return self._full_since is not None and now - self._full_since > SLOW_CLIENT_PATIENCE

    async def give_up(self) -> None:
        await self.close(TOO_SLOW)

    async def is_behind(self, status: TableStatus) -> bool:
        return False

    async def resync(self, shown: SeenState, frames: dict[str, Pieces]) -> None:
        """Do nothing: there is nothing to catch up with."""

    async def show_table(self, message: TableMessage) -> None:
        """Show the client the table, never an older state after a newer one; here there is nothing to show."""

    def concerns(self, message: Mapping[str, Any]) -> bool:
        """Return whether the message is for this socket, among all that listen to its group."""
        return True

    def try_show(self, message: TableMessage) -> bool:
        """Show the client the table without waiting; return whether that was possible."""
        return True

    def has_shown(self, message: TableMessage) -> bool:
        return True

    async def user_news(self, message: dict[str, Any]) -> None:
        """Notify the client that something waits for the player's answer, at a table or elsewhere."""
        await self.send_json({"type": "news"})

    async def user_tournament_table(self, message: dict[str, Any]) -> None:
        """Call the player to their table of a tournament."""
        named = {key: message[key] for key in ("tournament", "table")}
        await self.send_json({"type": "tournament_table", **named})

    async def user_tournament_over(self, message: dict[str, Any]) -> None:
        """Tell the player how a tournament ended for them."""
        named = {key: message[key] for key in ("tournament", "place", "prize")}
        await self.send_json({"type": "tournament_over", **named})

    async def user_signed_out(self, message: dict[str, Any]) -> None:
        session = self.credential.session if self.credential is not None else None
        if message["session"] in (None, session):
            await self.close(SIGNED_OUT)

    async def listen(self, *groups: str) -> None:
        """Receive the messages of these groups from now on."""
        await hub.current().join(self, groups)

    def join_monitor(self) -> None:
        """Let the monitor compare the socket with the database from now on; call it once joining is stored."""
        if not self.closing:
            monitor.current().add(self)

    async def push(self, message: Mapping[str, Any]) -> None:
        """Handle a push.

        One that this version does not know, or cannot read, is logged and ignored: the monitor makes up for it.
        """
        kind = str(message.get("type", ""))
        if kind not in self.pushes:
            log.warning("a push of an unknown type is ignored: %.80r", kind)
            return
        async with self.working:
            try:
                await getattr(self, kind.replace(".", "_"))(message)
            except (KeyError, TypeError, ValueError, AttributeError):
                log.warning("a push of type %s could not be read", kind, exc_info=True)

    @staticmethod
    async def on_database(service: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Run the service in a thread, and return its answer.

        It is not `thread_sensitive`, or all sockets would queue for one thread.
        """
        return await database_sync_to_async(service, thread_sensitive=False)(*arguments, **keywords)


#: Frames that a client who only listens may send in a burst, and per second.
BURST, PER_SECOND = 20, 2


class ListeningSocket(LiveSocket):
    """The base of the sockets of the lobby and of watchers: the client only listens, and may send a `ping`."""

    async def connect(self) -> None:
        self.bucket = TokenBucket(burst=BURST, per_second=PER_SECOND)
        await self.accept()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Answer a `ping` and ignore other frames; close at a flood of them."""
        if not self.bucket.take(time.monotonic()):
            await self.close(POLICY)
        elif text_data is not None and "".join(text_data.split()) == '{"type":"ping"}':
            await self.send_json({"type": "pong", "now": int(time.time() * 1000)})
            await self.heard()

    async def heard(self) -> None:
        """Do nothing more about a sign of life."""
