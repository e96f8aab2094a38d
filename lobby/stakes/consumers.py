"""The lobby's socket: the stakes on offer, and every change to them."""

import logging
from collections.abc import Sequence
from typing import Any

from django.db import DatabaseError

from lobby.stakes import push
from tables.loop_local import LoopLocal
from tables.play import presence
from tables.play.broadcast import user_group
from tables.sockets import standings_push
from tables.sockets.base import TRY_LATER
from tables.sockets.batching import Batcher, Take
from tables.sockets.listening import ListeningSocket

log = logging.getLogger(__name__)


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
        await push.of_this_loop().add(self)
        if self.credential is not None:
            await self.listen(user_group(self.credential.user_id))
        self.join_monitor()
        if self.credential is not None:
            standings_push.of_this_loop().add(self.credential.user_id, self)
        await self.heard()
        try:
            self.held.insert(0, await push.of_this_loop().whole())
        except DatabaseError:
            log.warning("the lobby could not be read", exc_info=True)
            await self.close(TRY_LATER)
        while self.held:
            await self.send_texts((self.held.pop(0),))
        self.held = None

    async def disconnect(self, code: int) -> None:
        if self.credential is not None:
            standings_push.of_this_loop().discard(self.credential.user_id, self)
        await push.of_this_loop().discard(self)

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
