"""The standings of tournaments, pushed to those who are in them and listen in the lobby.

Each process reads the standings of a tournament at most once a second, for all its sockets (`tables.standings`). What
it pushes has a bounded number of bytes: one's own place and chips, the first few, and a version. Whoever wants to see
more asks for a page of it.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Collection
from typing import Protocol

import orjson
from channels.db import database_sync_to_async
from django.db import DatabaseError

from tables.loop_local import LoopLocal
from tables.models import Tournament
from tables.sockets.batching import unhurried
from tables.standings import Standings, standings_of

log = logging.getLogger(__name__)

#: Seconds between two pushes to a socket.
PUSH_EVERY = 3.0


class PushReceiver(Protocol):
    """A socket that standings are pushed to."""

    async def send_texts(self, *texts: tuple[bytes, ...]) -> None:
        """Send the texts."""


class StandingsPush:
    """What pushes standings to the sockets of one event loop, as long as there are any."""

    def __init__(self) -> None:
        #: The sockets by the id of their user, each with what was pushed to it last, by tournament.
        self._sockets: defaultdict[int, dict[PushReceiver, dict[int, bytes]]] = defaultdict(dict)
        self._running: asyncio.Task[None] | None = None

    def add(self, user_id: int, socket: PushReceiver) -> None:
        self._sockets[user_id][socket] = {}
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())

    def discard(self, user_id: int, socket: PushReceiver) -> None:
        self._sockets[user_id].pop(socket, None)
        if not self._sockets[user_id]:
            del self._sockets[user_id]

    async def _run(self) -> None:
        while self._sockets:
            await asyncio.sleep(PUSH_EVERY)
            try:
                await self.push()
            except DatabaseError:
                log.warning("the standings could not be read", exc_info=True)
            except Exception:
                log.exception("the standings could not be pushed")

    async def push(self) -> None:
        """Push what has changed to those whom it concerns."""
        read = database_sync_to_async(texts_for, thread_sensitive=False)
        for tournament, texts in (await read(tuple(self._sockets))).items():
            async for user_id, text in unhurried(texts.items()):
                for socket, pushed in list(self._sockets.get(user_id, {}).items()):
                    if pushed.get(tournament) != text:
                        pushed[tournament] = text
                        await socket.send_texts((text,))


def texts_for(user_ids: Collection[int]) -> dict[int, dict[int, bytes]]:
    """Return by running tournament, and by user, what is pushed to each of these users who is in it."""
    if not user_ids:
        return {}
    running = Tournament.objects.filter(status=Tournament.Status.RUNNING).order_by("pk")
    found = {pk: standings_of(pk) for pk in running.values_list("pk", flat=True)}
    return {pk: _texts(standings, user_ids) for pk, standings in found.items()}


def _texts(standings: Standings, user_ids: Collection[int]) -> dict[int, bytes]:
    shared = {
        "type": "standings",
        "tournament": standings.tournament.pk,
        "version": standings.version,
        "places": len(standings.order),
        "top": [line._asdict() for line in standings.top()],
    }
    opening = orjson.dumps(shared)[:-1]
    own = standings.by_user
    lines = {user_id: standings.line_of(own[user_id]) for user_id in user_ids if user_id in own}
    return {
        user_id: b'%s,"place":%b,"chips":%d}' % (opening, orjson.dumps(line.place), line.chips)
        for user_id, line in lines.items()
    }


#: What pushes standings to the sockets of the running loop.
of_this_loop = LoopLocal(StandingsPush)
