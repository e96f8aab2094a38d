"""The lobby's socket: the stakes on offer, and every change to them."""

import asyncio
import logging
import time
from collections.abc import Mapping
from typing import Any

from channels.db import database_sync_to_async
from django.db import DatabaseError

from lobby.stakes import selectors
from lobby.stakes.schemas import StakeAnswer
from tables.play import presence
from tables.play.broadcast import LOBBY_GROUP, user_group
from tables.sockets import standings_push
from tables.sockets.base import TRY_LATER
from tables.sockets.listening import ListeningSocket

log = logging.getLogger(__name__)

#: Changes within this many seconds are sent together.
GATHER_SECONDS = 0.15
#: Reads running or just done, by (event loop, stake): when each began, and its task.
_reads: dict[tuple[int, int], tuple[float, asyncio.Task[StakeAnswer | None]]] = {}


class LobbyConsumer(ListeningSocket):
    """A connection to the lobby, open to visitors too.

    It pushes `stakes` once, `stake` for each change, `your_turn` for the player's own tables, `news` when their
    friends, requests or invitations have changed, and `tournament_table`, `standings` and `tournament_over`.
    """

    pushes = frozenset({
        *("lobby.stake", "user.turn", "user.news"),
        *("user.tournament_table", "user.tournament_over", "user.signed_out"),
    })  # fmt: skip

    async def connect(self) -> None:
        self.changed: dict[int, float] = {}
        self.sender: asyncio.Task[None] | None = None
        await super().connect()
        own = () if self.credential is None else (user_group(self.credential.user_id),)
        # Groups first: a change between the snapshot and joining the groups would be missed.
        await self.listen(LOBBY_GROUP, *own)
        self.join_monitor()
        if self.credential is not None:
            standings_push.of_this_loop().add(self.credential.user_id, self)
        await self.heard()
        try:
            await self.send_json({"type": "stakes", "stakes": await self.on_database(selectors.offered)})
        except DatabaseError:
            log.warning("the lobby could not be read", exc_info=True)
            await self.close(TRY_LATER)

    async def disconnect(self, code: int) -> None:
        if self.credential is not None:
            standings_push.of_this_loop().discard(self.credential.user_id, self)
        if self.sender is not None:
            self.sender.cancel()

    async def heard(self) -> None:
        """Note that the player is there."""
        if self.credential is not None:
            await self.on_database(presence.note_alive, self.credential.user_id)

    async def lobby_stake(self, message: dict[str, Any]) -> None:
        """Send the changed stake, together with all that change within GATHER_SECONDS."""
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


# --- a change is read once, not once for each visitor -----------------------------------------------------------------


async def fresh_stakes(changed: Mapping[int, float]) -> dict[int, StakeAnswer | None]:
    """Return each stake, read after the moment given for it (`time.monotonic()`); None for one no longer on offer."""
    reads = {stake_id: _read_since(stake_id, since) for stake_id, since in changed.items()}
    # Shielded: another socket may be waiting for the same read when this one closes.
    return {stake_id: await asyncio.shield(read) for stake_id, read in reads.items()}


def _read_since(stake_id: int, since: float) -> asyncio.Task[StakeAnswer | None]:
    key = (id(asyncio.get_running_loop()), stake_id)
    began, read = _reads.get(key, (0.0, None))
    if read is None or began <= since or (read.done() and read.exception() is not None):
        read = asyncio.create_task(database_sync_to_async(_read, thread_sensitive=False)(stake_id))
        _reads[key] = (time.monotonic(), read)
    return read


def _read(stake_id: int) -> StakeAnswer | None:
    return selectors.offered_among([stake_id]).get(stake_id)
