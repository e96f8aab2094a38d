"""The lobby's socket: what is on offer, and every change of it."""

import asyncio
import time
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer

from lobby.live import fresh_stakes, lobby_snapshot
from tables.broadcast import LOBBY_GROUP, user_group
from tables.rates import TokenBucket

#: Frames a client may send in a burst, and a second for good. The lobby needs none but a `ping` now and then.
BURST, PER_SECOND = 20, 2
LARGEST_FRAME = 8192
#: Changes within so many seconds go out together.
GATHER_SECONDS = 0.15

CLOSE_ABUSE = 1008
CLOSE_SIGNED_OUT = 4003


class LobbyConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """Pushes `stakes` once, `stake` for each change, `your_turn` for the player's own table. Open to visitors."""

    async def connect(self) -> None:
        user = self.scope.get("user")
        self.user_id = user.pk if user is not None and user.is_authenticated else None
        self.bucket = TokenBucket(burst=BURST, per_second=PER_SECOND)
        self.changed: dict[int, float] = {}
        self.sender: asyncio.Task[None] | None = None
        await self.accept()
        # Groups first: a change between the snapshot and the group would be missed.
        await self.channel_layer.group_add(LOBBY_GROUP, self.channel_name)
        if self.user_id is not None:
            await self.channel_layer.group_add(user_group(self.user_id), self.channel_name)
        await self.send_json(
            {"type": "stakes", "stakes": await database_sync_to_async(lobby_snapshot, thread_sensitive=False)()}
        )

    async def disconnect(self, code: int) -> None:
        if self.sender is not None:
            self.sender.cancel()
        await self.channel_layer.group_discard(LOBBY_GROUP, self.channel_name)
        if self.user_id is not None:
            await self.channel_layer.group_discard(user_group(self.user_id), self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **_: Any) -> None:
        """Nothing a client says changes anything; a flood of it ends the connection."""
        too_big = len(text_data or bytes_data or b"") > LARGEST_FRAME
        if too_big or not self.bucket.take(time.monotonic()):
            await self.close(CLOSE_ABUSE)
        elif text_data is not None and text_data.strip() == '{"type":"ping"}':
            await self.send_json({"type": "pong", "now": int(time.time() * 1000)})

    async def lobby_stake(self, message: dict[str, Any]) -> None:
        """A stake has changed: it goes out with all that change within the next moment."""
        self.changed[int(message["stake_id"])] = time.monotonic()
        if self.sender is None or self.sender.done():
            self.sender = asyncio.create_task(self._send_changed())

    async def _send_changed(self) -> None:
        while self.changed:
            await asyncio.sleep(GATHER_SECONDS)
            changed, self.changed = self.changed, {}
            for stake_id, stake in (await fresh_stakes(changed)).items():
                await self.send_json({"type": "stake", "stake": stake or {"id": stake_id, "active": False}})

    async def user_turn(self, message: dict[str, Any]) -> None:
        await self.send_json({"type": "your_turn", "table": message["table"]})

    async def user_signed_out(self, message: dict[str, Any]) -> None:
        session = self.scope.get("session")
        if message.get("session") in (None, getattr(session, "session_key", None)):
            await self.close(CLOSE_SIGNED_OUT)
