"""The lobby's socket: the stakes on offer, and every change to them, read once for all the sockets of a loop.

A change is shown to some of them at a time: between two such turns the loop serves others, such as moves at tables.
"""

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

import orjson
from channels.db import database_sync_to_async
from django.db import DatabaseError

from lobby.stakes import selectors
from tables.loop_local import LoopLocal
from tables.play import presence
from tables.play.broadcast import LOBBY_GROUP, user_group
from tables.sockets import hub, standings_push
from tables.sockets.base import TRY_LATER, ListeningSocket
from tables.sockets.batching import Batcher, Take, unhurried

log = logging.getLogger(__name__)

#: Changes within this many seconds are sent together.
GATHER_SECONDS = 0.15
#: Seconds until what could not be read is tried again.
RETRY_SECONDS = 2.0
#: So many who join share a reading: all who have come by then.
MOST_JOINING = 100_000


class StakeViewer(Protocol):
    """A socket that shows the stakes."""

    async def show_changes(self, texts: Sequence[bytes]) -> None:
        """Show these changes, after the stakes as a whole."""


class StakePush:
    """What tells the sockets of one event loop of the stakes; to the hub it is the one listener of them all."""

    def __init__(self) -> None:
        self._sockets: set[StakeViewer] = set()
        self._changed: set[int] = set()
        self._sending: asyncio.Task[None] | None = None
        self._readings = Batcher[None](_read_for_all, most=MOST_JOINING)

    async def add(self, socket: StakeViewer) -> None:
        """Let the socket have each change that happens from now on."""
        self._sockets.add(socket)
        await hub.current().join(self, [LOBBY_GROUP])

    async def discard(self, socket: StakeViewer) -> None:
        """Let the socket have no more changes."""
        self._sockets.discard(socket)
        if not self._sockets:
            if self._sending is not None:
                self._sending.cancel()
                self._sending = None
            await hub.current().leave(self)

    async def whole(self) -> bytes:
        """Return the message of all stakes, from a reading that begins after this call; DatabaseError if it fails."""
        text: bytes = await self._readings.submit(None)
        return text

    def concerns(self, message: Mapping[str, Any]) -> bool:
        return message.get("type") == "lobby.stake"

    async def push(self, message: Mapping[str, Any]) -> None:
        """Note the changed stake; it is sent together with all that change within GATHER_SECONDS."""
        self._changed.add(int(message["stake_id"]))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send_changed())

    async def _send_changed(self) -> None:
        while self._changed:
            await asyncio.sleep(GATHER_SECONDS)
            changed, self._changed = self._changed, set()
            try:
                texts = await database_sync_to_async(_changes, thread_sensitive=False)(changed)
            except DatabaseError:
                log.warning("changed stakes could not be read", exc_info=True)
                self._changed |= changed
                await asyncio.sleep(RETRY_SECONDS)
                continue
            async for socket in unhurried(tuple(self._sockets)):
                try:
                    await socket.show_changes(texts)
                except Exception:
                    log.warning("a socket could not be shown a changed stake", exc_info=True)


async def _read_for_all(take: Take[None]) -> Sequence[bytes]:
    def read() -> list[bytes]:
        # Whoever comes after this waits for the next reading.
        waiting = take()
        return [orjson.dumps({"type": "stakes", "stakes": selectors.offered()})] * len(waiting)

    texts: Sequence[bytes] = await database_sync_to_async(read, thread_sensitive=False)()
    return texts


def _changes(stake_ids: Collection[int]) -> list[bytes]:
    """Return the messages of these stakes as they are now."""
    offered = selectors.offered_among(stake_ids)
    stakes = [offered.get(stake_id) or {"id": stake_id, "active": False} for stake_id in sorted(stake_ids)]
    return [orjson.dumps({"type": "stake", "stake": stake}) for stake in stakes]


#: What tells the sockets of the running loop.
push_of_this_loop = LoopLocal(StakePush)


class LobbyConsumer(ListeningSocket):
    """A connection to the lobby, open to visitors too.

    It pushes `stakes` once, `stake` for each change, `your_turn` for the player's own tables, `news` when their
    friends, requests or invitations have changed, and `tournament_table`, `standings` and `tournament_over`.
    """

    pushes = frozenset({
        *("user.turn", "user.news"),
        *("user.tournament_table", "user.tournament_over", "user.signed_out"),
    })  # fmt: skip

    async def connect(self) -> None:
        #: The changes that wait for the stakes as a whole; None once these have been sent.
        self.held: list[bytes] | None = []
        await super().connect()
        # Groups first: a change between the snapshot and joining the groups would be missed.
        await push_of_this_loop().add(self)
        if self.credential is not None:
            await self.listen(user_group(self.credential.user_id))
        self.join_monitor()
        if self.credential is not None:
            standings_push.of_this_loop().add(self.credential.user_id, self)
        await self.heard()
        try:
            self.held.insert(0, await push_of_this_loop().whole())
        except DatabaseError:
            log.warning("the lobby could not be read", exc_info=True)
            await self.close(TRY_LATER)
        while self.held:
            await self.send_texts((self.held.pop(0),))
        self.held = None

    async def disconnect(self, code: int) -> None:
        if self.credential is not None:
            standings_push.of_this_loop().discard(self.credential.user_id, self)
        await push_of_this_loop().discard(self)

    async def heard(self) -> None:
        """Note that the player is there."""
        if self.credential is not None:
            await _signs_of_life().submit(self.credential.user_id)

    async def show_changes(self, texts: Sequence[bytes]) -> None:
        """Send these changes, or keep them until the stakes as a whole have been sent."""
        if self.held is None:
            await self.send_texts(*((text,) for text in texts))
        else:
            self.held += texts

    async def user_turn(self, message: dict[str, Any]) -> None:
        await self.send_json({"type": "your_turn", "table": message["table"]})


async def _note_alive(take: Take[int]) -> Sequence[None]:
    def note() -> list[None]:
        users = take()
        presence.note_alive(*users)
        return [None] * len(users)

    noted: Sequence[None] = await LobbyConsumer.on_database(note)
    return noted


#: Where the sockets of the running loop note that their players are there: those that come at once share a call.
_signs_of_life: LoopLocal[Batcher[int]] = LoopLocal(lambda: Batcher(_note_alive))
