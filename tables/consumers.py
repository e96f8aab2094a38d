"""The table socket: frames in, one service call each, frames out. It holds no state of the game."""

import asyncio
import contextlib
import json
import logging
import uuid
from collections.abc import Callable
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError

from tables import broadcast, presence, protocol, services, store
from tables.errors import TableError
from tables.rates import TokenBucket

log = logging.getLogger(__name__)

#: Frames a socket may send in a burst, and how many a second for good.
BURST, PER_SECOND = 40, 8
#: Malformed frames in a row after which the socket is closed with 1008.
PATIENCE = 20
#: An open socket tells its seat's row that it lives every so many seconds. The web server closes dead ones.
SIGN_OF_LIFE = 10

TAKEN_OVER, SIGNED_OUT, POLICY, TOO_BIG, NO_TABLE = 4001, 4003, 1008, 1009, 4004
CLOSE_CODES = {
    TAKEN_OVER: "This seat is now played from another connection.",
    SIGNED_OUT: "Not signed in any more, or not admitted to this table.",
    NO_TABLE: "There is no such table.",
    POLICY: "Too many messages, or too many malformed ones.",
    TOO_BIG: "A message of more than 8 KiB.",
    1012: "The server restarts: connect again after a moment.",
}


class TableConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]
    """One player or watcher at one table."""

    async def connect(self) -> None:
        self.table_id = int(self.scope["url_route"]["kwargs"]["table_id"])
        self.user = self.scope.get("user")
        self.connection = uuid.uuid4().hex
        self.bucket = TokenBucket(burst=BURST, per_second=PER_SECOND)
        self.offences = 0
        self.nudge: asyncio.TimerHandle | None = None
        self.heartbeat: asyncio.Task[None] | None = None
        await self.accept()
        if self.user is None or not self.user.is_authenticated:
            await self.close(SIGNED_OUT)
            return
        await self._join()

    async def _join(self) -> None:
        await self.channel_layer.group_add(broadcast.table_group(self.table_id), self.channel_name)
        await self.channel_layer.group_add(broadcast.user_group(self.user.pk), self.channel_name)
        try:
            frame = await self._call(presence.connect)
        except TableError as error:
            await self._error(error, None)
            if error.code != "frozen":
                await self.close(NO_TABLE if error.code == "not_found" else SIGNED_OUT)
                return
            frame = None
        self.heartbeat = asyncio.create_task(self._keep_alive())
        if frame is not None:
            await self.send(frame)
            if await self._on_database(store.is_frozen, self.table_id):
                await self._error(TableError("frozen", broadcast.FROZEN), None)
        self._nudge_in(0)

    async def disconnect(self, code: int) -> None:
        if self.nudge is not None:
            self.nudge.cancel()
        if self.heartbeat is None:
            return
        self.heartbeat.cancel()
        await self.channel_layer.group_discard(broadcast.table_group(self.table_id), self.channel_name)
        await self.channel_layer.group_discard(broadcast.user_group(self.user.pk), self.channel_name)
        if code != TAKEN_OVER:
            with contextlib.suppress(TableError):
                await self._call(presence.disconnect)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self.heartbeat is None:
            return
        if len(bytes_data or b"") > protocol.FRAME_LIMIT or len(text_data or "") > protocol.FRAME_LIMIT:
            await self.close(TOO_BIG)
            return
        if not self.bucket.take(asyncio.get_running_loop().time()):
            await self._offend(TableError("rate_limited", "Too many messages at once. Wait a moment."), None)
            return
        try:
            frame = protocol.parse(text_data if text_data is not None else "")
        except TableError as error:
            await self._offend(error, protocol.request_id(text_data or ""))
            return
        self.offences = 0
        await self._answer(frame)

    async def _answer(self, frame: protocol.Frame) -> None:
        try:
            if frame.type == "ping":
                await self._send_json(await self._on_database(self._pong), frame.id)
            elif frame.type == "sync":
                await self.send(await self._call(presence.current_frame, connection=False))
            else:
                await self._send_json(await self._call(services.play, frame=frame), frame.id)
        except TableError as error:
            await self._error(error, frame.id)
            if error.code == "taken_over":
                await self.close(TAKEN_OVER)
        except DatabaseError:
            log.exception("a frame could not be handled")
            await self._error(TableError("try_again", "The table is busy. Please try again."), frame.id)

    def _pong(self) -> dict[str, Any]:
        return {"type": "pong", "now": store.now_ms(), "version": store.version(self.table_id)}

    async def _offend(self, error: TableError, request_id: str | int | None) -> None:
        self.offences += 1
        await self._error(error, request_id)
        if self.offences > PATIENCE:
            await self.close(POLICY)

    async def _error(self, error: TableError, request_id: str | int | None) -> None:
        version = await self._on_database(store.version, self.table_id)
        content = {"type": "error", "code": error.code, "message": error.message, "version": version}
        await self._send_json(content, request_id)

    async def _send_json(self, content: dict[str, Any], request_id: str | int | None) -> None:
        if request_id is not None:
            content = {**content, "id": request_id}
        await self.send(json.dumps(content, separators=(",", ":")))

    async def _call(self, service: Callable[..., Any], *, connection: bool = True, **arguments: Any) -> Any:
        if connection:
            arguments["connection"] = self.connection
        return await self._on_database(service, table_id=self.table_id, user_id=self.user.pk, **arguments)

    @staticmethod
    async def _on_database(service: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        # Not thread-sensitive: otherwise every socket of this process would queue behind one thread.
        return await database_sync_to_async(service, thread_sensitive=False)(*arguments, **named)

    async def _keep_alive(self) -> None:
        while True:
            await asyncio.sleep(SIGN_OF_LIFE)
            try:
                await self._call(presence.seen)
            except DatabaseError:
                log.warning("a sign of life could not be noted", exc_info=True)

    # --- from the channel layer ---

    async def table_state(self, message: dict[str, Any]) -> None:
        frames = message["frames"]
        await self.send(frames.get(str(self.user.pk), frames["watch"]))
        if message["due_in_ms"] is not None:
            self._nudge_in(message["due_in_ms"] / 1000)

    async def table_notice(self, message: dict[str, Any]) -> None:
        """The table stands still."""
        await self._error(TableError(message["code"], message["message"]), None)

    async def table_taken_over(self, message: dict[str, Any]) -> None:
        if message["user"] == self.user.pk and message["connection"] != self.connection:
            await self.close(TAKEN_OVER)

    async def user_turn(self, message: dict[str, Any]) -> None:
        """For the lobby; the table's own frame says it here."""

    async def user_signed_out(self, message: dict[str, Any]) -> None:
        session = self.scope.get("session")
        if message["session"] is None or (session is not None and session.session_key == message["session"]):
            await self.close(SIGNED_OUT)

    def _nudge_in(self, seconds: float) -> None:
        """The socket looks at the clock as well, a little later than Celery should have: the game needs no worker."""
        if self.nudge is not None:
            self.nudge.cancel()
        loop = asyncio.get_running_loop()
        self.nudge = loop.call_later(seconds + 0.3, lambda: loop.create_task(self._tick()))

    async def _tick(self) -> None:
        try:
            await self._on_database(services.tick, table_id=self.table_id)
        except (TableError, DatabaseError):
            log.warning("a nudge from a socket failed", exc_info=True)
