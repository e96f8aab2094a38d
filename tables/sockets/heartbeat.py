"""The heartbeat of a process: a few queries for all its sockets find lost pushes and credentials that are void.

Push is only a hint: messages may be dropped, duplicated, late or out of order, Redis may be down, and another process
may change the table without notice. Every `BEAT` seconds each socket is compared with the database: one that is behind
twice in a row gets the current state, and one whose credential is void is closed. Overdue clocks are run out, so that
the game needs no worker.
"""

import asyncio
import contextlib
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Set
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async
from django.db import DatabaseError

from tables.errors import TableError
from tables.play import outages, presence, store
from tables.play import services as play
from tables.play.frames import frames as frames_of
from tables.play.seating import connected_seats
from tables.sockets import hub
from tables.sockets.authentication import connections
from tables.sockets.credentials import Credential, StandingPasses
from tables.sockets.statuses import SLACK, Look, SeenState, Statuses, TableStatus

log = logging.getLogger(__name__)

#: Seconds between two looks. A client is behind, or signed out unnoticed, for two of them and a query at most.
BEAT = 0.5
#: Seconds between two looks at least, however many clocks end.
LEAST_PAUSE = 0.05
#: How often, in seconds, live sockets are noted on their seats, and how many in one statement. The web server closes
#: dead sockets.
SIGN_OF_LIFE, NOTED_AT_ONCE = 10, 500
#: Seconds between two looks for clients that read nothing; such a client is given five times as long.
FULL_PAUSE = 2.0
#: For this many seconds the result of a look is used without another query.
ASKED_LATELY = 1.0


class Watched(Protocol):
    """A socket as the heartbeat sees it."""

    admitted_as: Credential | None
    table_id: int | None
    #: The status of its table that the client has seen in full, if any.
    settled: TableStatus | None
    #: When its seat was last noted as alive, in monotonic seconds.
    noted_at: float

    async def revoke(self) -> None:
        """Close the socket: its credential is void."""

    async def is_behind(self, status: TableStatus) -> bool:
        """Return whether the socket has been behind for more than one beat.

        Set `settled` where nothing is left to do.
        """

    async def resync(self, shown: SeenState, frames: dict[str, bytes]) -> None:
        """Show this state, unless the socket shows a newer one by now."""

    def is_stuck(self, now: float) -> bool:
        """Return whether at `now`, in monotonic seconds, the client has read nothing for too long."""

    async def give_up(self) -> None:
        """Close the socket: its client reads nothing."""


@dataclass(frozen=True, slots=True)
class _Here:
    """The sockets of a loop, with their credentials and tables."""

    sockets: frozenset[Watched]
    passes: frozenset[Credential]
    tables: frozenset[int]

    @classmethod
    def of(cls, sockets: Iterable[Watched]) -> "_Here":
        """Return the sockets with what they have at this moment."""
        found = frozenset(sockets)
        return cls(
            found,
            frozenset(each.admitted_as for each in found if each.admitted_as is not None),
            frozenset(each.table_id for each in found if each.table_id is not None),
        )


class SocketHeartbeat:
    """The heartbeat of one event loop: it beats while there are sockets and, after `serve`, without any as well.

    Each look notes that this process serves: see `outages`.
    """

    def __init__(self) -> None:
        self.sockets: set[Watched] = set()
        #: The same, with what they have, from the last look; None once one has come or gone.
        self._here: _Here | None = None
        self._serves = False
        self._starting = True
        self._passes = StandingPasses()
        #: The sockets whose credentials the last look has found valid, and when it began, in monotonic seconds.
        self._asked: Set[Watched] = frozenset()
        self._asked_at = 0.0
        #: When clients that read nothing were last looked for, in monotonic seconds.
        self._full_at = 0.0
        self._statuses = Statuses()
        self._last: Look | None = None
        #: The tables at which somebody seemed to be behind.
        self._doubted: set[int] = set()
        self._pause = BEAT
        self._beating: asyncio.Task[None] | None = None
        self._ticking: asyncio.Task[None] | None = None
        self._noting: asyncio.Task[None] | None = None

    def has_just_asked(self, socket: Watched) -> bool:
        """Return whether the socket's credential was found valid within the last second."""
        return time.monotonic() - self._asked_at < ASKED_LATELY and socket in self._asked

    def known(self, table_id: int) -> tuple[int, int] | None:
        """Return the database clock, in ms, and the table's version, if a look found them within the last second."""
        ago = time.monotonic() - self._asked_at
        if self._last is None or ago >= ASKED_LATELY or table_id not in self._last.statuses:
            return None
        return self._last.now + int(ago * 1000), self._last.statuses[table_id].shown.version

    def add(self, socket: Watched) -> None:
        """Look after the socket from now on."""
        self.sockets.add(socket)
        self._here = None
        self._go_on()

    def serve(self) -> None:
        """Note from now on that the process serves, whether or not it has sockets."""
        self._serves, self._pause = True, 0.0
        self._go_on()

    def _go_on(self) -> None:
        if self._beating is None or self._beating.done():
            self._beating = asyncio.create_task(self._beat_on())

    def discard(self, socket: Watched) -> None:
        """Look after the socket no longer."""
        self.sockets.discard(socket)
        self._here = None

    async def _beat_on(self) -> None:
        while self.sockets or (self._serves and connections.open):
            await asyncio.sleep(self._pause)
            self._pause = BEAT
            try:
                await self._look()
            except Exception:
                log.warning("the sockets could not be looked after", exc_info=True)

    async def _look(self) -> None:
        here, began = self._here or _Here.of(self.sockets), time.monotonic()
        self._here = here
        void, look = await _on_database(self._read, here, frozenset(self._doubted))
        self._starting = False
        self._last, self._asked_at = look, began
        self._asked = {each for each in here.sockets if each.admitted_as not in void} if void else here.sockets
        hub.of_this_loop().refresh()
        self._note_presence(here.sockets)
        self._pause = pause_until(look.ends_in)
        if look.overdue and (self._ticking is None or self._ticking.done()):
            self._ticking = asyncio.create_task(_on_database(_tick, look.overdue))
        for table_id, late in (await self._hold_against(look, here.sockets, void)).items():
            await self._resync(table_id, late)

    def _read(self, here: "_Here", doubted: Collection[int]) -> tuple[Set[Credential], Look]:
        """Note the pulse; return the credentials that are void, and the look at the tables."""
        if connections.open:
            outages.beat(starting=self._starting)
        good = self._passes.good_among(here.passes)
        void = here.passes - good.keys() if len(good) < len(here.passes) else frozenset()
        return void, self._statuses.read(here.tables, doubted)

    async def _hold_against(
        self, look: Look, sockets: Iterable[Watched], void: Collection[Credential | None]
    ) -> dict[int, list[Watched]]:
        """Compare the sockets with the look: close those that may not stay, return those that are behind, by table."""
        behind: dict[int, list[Watched]] = defaultdict(list)
        self._doubted.clear()
        in_doubt = self._asked_at - self._full_at > FULL_PAUSE
        self._full_at = self._asked_at if in_doubt else self._full_at
        for socket in sockets:
            if void and socket.admitted_as in void:
                await socket.revoke()
                continue
            if in_doubt and socket.is_stuck(self._asked_at):
                await socket.give_up()
            status = look.statuses.get(socket.table_id or 0)
            if status is None or socket.settled is status:
                continue
            if await socket.is_behind(status):
                behind[socket.table_id or 0].append(socket)
            if socket.settled is not status:
                self._doubted.add(socket.table_id or 0)
        return behind

    def _note_presence(self, sockets: Iterable[Any]) -> None:
        """Note every SIGN_OF_LIFE seconds that the sockets at tables are alive, including those that are nearly due."""
        now = time.monotonic()
        if self._noting is not None and not self._noting.done():
            return
        here = [each for each in sockets if each.table_id is not None and now - each.noted_at >= SIGN_OF_LIFE / 2]
        if not any(now - each.noted_at >= SIGN_OF_LIFE for each in here):
            return
        here = sorted(here, key=lambda each: each.noted_at)[:NOTED_AT_ONCE]
        for each in here:
            each.noted_at = now
        self._noting = asyncio.create_task(_on_database(_note, here))

    async def _resync(self, table_id: int, late: Iterable[Watched]) -> None:
        with contextlib.suppress(TableError):
            shown, frames = await _on_database(state_of, table_id)
            for socket in late:
                await socket.resync(shown, frames)


def pause_until(ends_in: int | None) -> float:
    """Return the seconds until the next look: BEAT, or less if the next clock ends (in `ends_in` ms) before that.

    Clocks that end shortly after each other share a look, since each look reads all tables.
    """
    return BEAT if ends_in is None else max(LEAST_PAUSE, min(BEAT, (ends_in + SLACK) / 1000))


async def _on_database(work: Callable[..., Any], *arguments: Any) -> Any:
    return await database_sync_to_async(work, thread_sensitive=False)(*arguments)


def _note(sockets: list[presence.Present]) -> None:
    try:
        presence.seen_together(sockets)
    except (TableError, DatabaseError):
        log.warning("signs of life could not be noted", exc_info=True)


def _tick(tables: Iterable[int]) -> None:
    for table_id in tables:
        try:
            play.tick_or_wait(table_id=table_id)
        except (TableError, DatabaseError):
            log.warning("table %s could not be nudged", table_id, exc_info=True)


def state_of(table_id: int) -> tuple[SeenState, dict[str, bytes]]:
    """Return the SeenState of the table now, and everybody's `state` frame; TableError `not_found`."""
    table = store.look(table_id)
    return shown_by(table), frames_of(table)


def shown_by(table: store.LockedTable) -> SeenState:
    """Return the SeenState of a client that was sent frames of this table."""
    return SeenState(table.state.version, tuple(sorted(connected_seats(table.seatings.values(), table.now))))


_watches: WeakKeyDictionary[asyncio.AbstractEventLoop, SocketHeartbeat] = WeakKeyDictionary()


def of_this_loop() -> SocketHeartbeat:
    """Return the heartbeat of the running loop."""
    loop = asyncio.get_running_loop()
    if loop not in _watches:
        _watches[loop] = SocketHeartbeat()
    return _watches[loop]
