"""The heartbeat of a process: a few queries for all its sockets find what push has lost and whose pass is void.

Push is a hint. Messages may be dropped, doubled, late or out of order, Redis may be gone, another process may have
changed the table without any word. Every `BEAT` each socket is held against the database: a socket that is behind
twice in a row gets the state as it stands, one whose pass does not hold any more is closed, and clocks that ran out
are seen to: the game needs no worker.
"""

import asyncio
import contextlib
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async
from django.db import DatabaseError

from tables.errors import TableError
from tables.models import Seating, Table
from tables.play import clocks, outages, presence, store
from tables.play import services as play
from tables.play.fast import live
from tables.play.frames import frames as frames_of
from tables.play.seating import connected_seats
from tables.sockets import hub
from tables.sockets.authentication import connections
from tables.sockets.credentials import Credential, still_valid
from wallet.audit import freeze

log = logging.getLogger(__name__)

#: Seconds between two looks. Two of them and a query are the longest that a client is behind or signed out unnoticed.
BEAT = 0.5
#: The rows of seats are told that their sockets live every so many seconds, so many in one statement. The web server
#: closes dead ones.
SIGN_OF_LIFE, NOTED_AT_ONCE = 10, 500
#: So long, in seconds, a pass that a look has found good is not asked for again.
ASKED_LATELY = 1.0
#: A computer player overdue by more than this, in ms, has not been nudged by Celery.
OVERDUE = 250
#: So many ms after a clock has run out it is looked at: no look is early.
SLACK = 20
#: What is overdue by more than this, in ms, while settlement is frozen, waits for it.
WAITING = 1_500
#: What a look needs to know of a table.
_COLUMNS = ("version", "status", "deadline_ms", "computer_due_ms", "outages_seen")


@dataclass(frozen=True, slots=True)
class SeenState:
    """Which state of a table a client has seen: its version, and the seats whose players are connected."""

    version: int
    connected: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TableStatus:
    """A table as the database has it."""

    shown: SeenState
    frozen: bool
    overdue: bool
    #: When the running clock ends, in ms from now, if there is one.
    ends_in: int | None
    #: It is to be settled, and settlement is frozen: see `wallet.audit.freeze`.
    waits: bool
    #: What plays the seat of each user, where anything does; who has left may look on from anywhere.
    playing: dict[int, Seating]


class Watched(Protocol):
    """A socket as the heartbeat sees it."""

    admitted_as: Credential | None
    table_id: int | None

    async def revoke(self) -> None:
        """The socket closes: its pass is void."""

    async def is_behind(self, status: TableStatus) -> bool:
        """True if the socket has been behind for more than one beat."""

    async def resync(self, shown: SeenState, frames: dict[str, str]) -> None:
        """The socket shows this state, unless it shows a newer one by now."""

    async def beat(self) -> None:
        """Whatever else the socket does once a beat."""


class SocketHeartbeat:
    """Looks after the sockets of one event loop for as long as there are any; where it serves, without any as well.

    Each look notes that this process serves: see `outages`.
    """

    def __init__(self) -> None:
        self.sockets: set[Watched] = set()
        self._serves = False
        self._starting = True
        #: The sockets whose passes were asked for in the last look, and when it began, in monotonic seconds.
        self._asked: frozenset[Watched] = frozenset()
        self._asked_at = 0.0
        self._noted_at = time.monotonic()
        self._pause = BEAT
        self._beating: asyncio.Task[None] | None = None
        self._ticking: asyncio.Task[None] | None = None

    def has_just_asked(self, socket: Watched) -> bool:
        """Whether the socket's pass was found good within the last second."""
        return time.monotonic() - self._asked_at < ASKED_LATELY and socket in self._asked

    def add(self, socket: Watched) -> None:
        """The socket is looked after from now on."""
        self.sockets.add(socket)
        self._go_on()

    def serve(self) -> None:
        """The process serves from now on, whether or not it has sockets."""
        self._serves, self._pause = True, 0.0
        self._go_on()

    def _go_on(self) -> None:
        if self._beating is None or self._beating.done():
            self._beating = asyncio.create_task(self._beat_on())

    def discard(self, socket: Watched) -> None:
        """The socket is looked after no longer."""
        self.sockets.discard(socket)

    async def _beat_on(self) -> None:
        while self.sockets or (self._serves and connections.open):
            await asyncio.sleep(self._pause)
            self._pause = BEAT
            try:
                await self._look()
            except Exception:
                log.warning("the sockets could not be looked after", exc_info=True)

    async def _look(self) -> None:
        sockets, began = list(self.sockets), time.monotonic()
        passes = {socket.admitted_as for socket in sockets if socket.admitted_as is not None}
        tables = {socket.table_id for socket in sockets if socket.table_id is not None}
        good, statuses = await _on_database(_beat_and_read, passes, tables, self._starting)
        self._starting = False
        self._asked, self._asked_at = frozenset(each for each in sockets if each.admitted_as in good), began
        hub.of_this_loop().refresh()
        self._note_presence(sockets)
        # A clock that runs out before the next look is looked at in time.
        soon = [status.ends_in for status in statuses.values() if status.ends_in is not None]
        self._pause = max(0.0, min([1000 * BEAT, *(left + SLACK for left in soon if left > -SLACK)]) / 1000)
        behind: dict[int, list[Watched]] = defaultdict(list)
        for socket in sockets:
            if socket.admitted_as is not None and socket.admitted_as not in good:
                await socket.revoke()
                continue
            await socket.beat()
            status = statuses.get(socket.table_id or 0)
            if status is not None and await socket.is_behind(status):
                behind[socket.table_id or 0].append(socket)
        overdue = [table_id for table_id, status in statuses.items() if status.overdue]
        if overdue and (self._ticking is None or self._ticking.done()):
            self._ticking = asyncio.create_task(_on_database(_tick, overdue))
        for table_id, late in behind.items():
            await self._resync(table_id, late)

    def _note_presence(self, sockets: Iterable[Any]) -> None:
        """Note for all who are at tables that they are there, every SIGN_OF_LIFE seconds."""
        if time.monotonic() - self._noted_at < SIGN_OF_LIFE:
            return
        self._noted_at = time.monotonic()
        here = [each for each in sockets if each.table_id is not None]
        self._noting = asyncio.create_task(_on_database(_note, here))

    async def _resync(self, table_id: int, late: Iterable[Watched]) -> None:
        with contextlib.suppress(TableError):
            shown, frames = await _on_database(state_of, table_id)
            for socket in late:
                await socket.resync(shown, frames)


async def _on_database(work: Callable[..., Any], *arguments: Any) -> Any:
    return await database_sync_to_async(work, thread_sensitive=False)(*arguments)


def _note(sockets: list[presence.Present]) -> None:
    for start in range(0, len(sockets), NOTED_AT_ONCE):
        try:
            presence.seen_together(sockets[start : start + NOTED_AT_ONCE])
        except (TableError, DatabaseError):
            log.warning("signs of life could not be noted", exc_info=True)


def _tick(tables: Iterable[int]) -> None:
    for table_id in tables:
        try:
            play.tick_or_wait(table_id=table_id)
        except (TableError, DatabaseError):
            log.warning("table %s could not be nudged", table_id, exc_info=True)


def state_of(table_id: int) -> tuple[SeenState, dict[str, str]]:
    """The table as it stands, and everybody's `state` frame of it; TableError `not_found`."""
    table = store.look(table_id)
    return shown_by(table), frames_of(table)


def shown_by(table: store.LockedTable) -> SeenState:
    """What the frames made from `held` show."""
    return SeenState(table.state.version, tuple(sorted(connected_seats(table.seatings.values(), table.now))))


def _beat_and_read(
    passes: set[Credential], tables: set[int], starting: bool
) -> tuple[set[Credential], dict[int, TableStatus]]:
    if connections.open:
        outages.beat(starting=starting)
    return still_valid(passes), _statuses(tables)


def _statuses(tables: set[int]) -> dict[int, TableStatus]:
    if not tables:
        return {}
    # The tables are read first: a seating may be newer than its table, and then the next beat sees both.
    rows = list(Table.objects.filter(pk__in=tables).only(*_COLUMNS))
    seatings: dict[int, list[Seating]] = defaultdict(list)
    current = Seating.objects.filter(table_id__in=tables, freed_at=None)
    for seating in current.only("table_id", "seat", "user_id", "connection", "joined", "seen_ms", "left_at"):
        seatings[seating.table_id].append(seating)
    for table_id, present in seatings.items():
        live.note(table_id, present)
    now = store.now_ms()
    last = outages.latest_outage()
    late = [row for row in rows if _overdue_by(row, now) >= WAITING]
    waiting = {row.pk for row in late} if late and freeze.is_frozen() else set()
    return {row.pk: _status(row, seatings[row.pk], now, last, waits=row.pk in waiting) for row in rows}


def _is_overdue(row: Table, now: int, last_outage: int) -> bool:
    """Whether the open table is to be seen to, by this process if need be."""
    if row.status != Table.Status.OPEN:
        return False
    if row.deadline_ms is not None and (row.deadline_ms + SLACK <= now or row.outages_seen < last_outage):
        return True
    return clocks.is_computer_due(row, now - OVERDUE)


def _overdue_by(row: Table, now: int) -> int:
    """For how many ms a clock or a computer player at the open table is overdue; below 0 for not at all."""
    due = [moment for moment in (row.deadline_ms, row.computer_due_ms) if moment is not None]
    return now - min(due) if due and row.status == Table.Status.OPEN else -1


def _status(row: Table, seatings: Iterable[Seating], now: int, last_outage: int, *, waits: bool) -> TableStatus:
    return TableStatus(
        shown=SeenState(row.version, tuple(sorted(connected_seats(seatings, now)))),
        frozen=row.status == Table.Status.FROZEN,
        overdue=_is_overdue(row, now, last_outage),
        ends_in=row.deadline_ms - now if row.deadline_ms is not None and row.status == Table.Status.OPEN else None,
        waits=waits,
        playing={
            seating.user_id: seating
            for seating in seatings
            if seating.user_id is not None and seating.left_at is None and seating.connection
        },
    )


_watches: WeakKeyDictionary[asyncio.AbstractEventLoop, SocketHeartbeat] = WeakKeyDictionary()


def of_this_loop() -> SocketHeartbeat:
    """The heartbeat of the running loop."""
    loop = asyncio.get_running_loop()
    return _watches.setdefault(loop, SocketHeartbeat())
