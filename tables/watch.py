"""The heartbeat of a process: a few queries for all its sockets find what push has lost and whose pass is void.

Push is a hint. Messages may be dropped, doubled, late or out of order, Redis may be gone, another process may have
changed the table without any word. Every `BEAT` each socket is held against the database: a socket that is behind
twice in a row gets the state as it stands, one whose pass does not hold any more is closed, and clocks that ran out
are seen to: the game needs no worker.
"""

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async
from django.db import DatabaseError

from tables import services, store, timers, views
from tables.errors import TableError
from tables.models import Pulse, Seating, Table
from tables.passes import Pass, still_good
from wallet import condition

log = logging.getLogger(__name__)

#: Seconds between two looks. Two of them and a query are the longest that a client is behind or signed out unnoticed.
BEAT = 0.5
#: What is overdue by more than this, in ms, has not been nudged by Celery.
OVERDUE = 250
#: The sweep has not given a sign of life for so long, in ms: this process gives it.
SILENCE = 3_000
#: What is overdue by more than this, in ms, while settlement is frozen, waits for it.
WAITING = 1_500


@dataclass(frozen=True, slots=True)
class Shown:
    """Which state of a table a client has seen: its version, and the seats whose players are connected."""

    version: int
    connected: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """A table as the database has it."""

    shown: Shown
    frozen: bool
    overdue: bool
    #: It is to be settled, and settlement is frozen: see `wallet.condition`.
    waits: bool
    #: What plays the seat of each user, where anything does; who has left may look on from anywhere.
    playing: dict[int, Seating]


class Watched(Protocol):
    """A socket as the heartbeat sees it."""

    admitted_as: Pass | None
    table_id: int | None

    async def expel(self) -> None:
        """The socket closes: its pass is void."""

    async def compare(self, standing: Standing) -> bool:
        """True if the socket has been behind for more than one beat."""

    async def catch_up(self, shown: Shown, frames: dict[str, str]) -> None:
        """The socket shows this state, unless it shows a newer one by now."""

    async def beat(self) -> None:
        """Whatever else the socket does once a beat."""


class Watch:
    """Looks after the sockets of one event loop for as long as there are any."""

    def __init__(self) -> None:
        self.sockets: set[Watched] = set()
        self._beating: asyncio.Task[None] | None = None
        self._ticking: asyncio.Task[None] | None = None

    def add(self, socket: Watched) -> None:
        """The socket is looked after from now on."""
        self.sockets.add(socket)
        if self._beating is None or self._beating.done():
            self._beating = asyncio.create_task(self._beat_on())

    def discard(self, socket: Watched) -> None:
        """The socket is looked after no longer."""
        self.sockets.discard(socket)

    async def _beat_on(self) -> None:
        while self.sockets:
            await asyncio.sleep(BEAT)
            try:
                await self._look()
            except Exception:
                log.warning("the sockets could not be looked after", exc_info=True)

    async def _look(self) -> None:
        sockets = list(self.sockets)
        passes = {socket.admitted_as for socket in sockets if socket.admitted_as is not None}
        tables = {socket.table_id for socket in sockets if socket.table_id is not None}
        good, standings = await _on_database(_read, passes, tables)
        behind: dict[int, list[Watched]] = defaultdict(list)
        for socket in sockets:
            if socket.admitted_as is not None and socket.admitted_as not in good:
                await socket.expel()
                continue
            await socket.beat()
            standing = standings.get(socket.table_id or 0)
            if standing is not None and await socket.compare(standing):
                behind[socket.table_id or 0].append(socket)
        overdue = [table_id for table_id, standing in standings.items() if standing.overdue]
        if overdue and (self._ticking is None or self._ticking.done()):
            self._ticking = asyncio.create_task(_on_database(_tick, overdue))
        for table_id, late in behind.items():
            await self._catch_up(table_id, late)

    async def _catch_up(self, table_id: int, late: Iterable[Watched]) -> None:
        with contextlib.suppress(TableError):
            shown, frames = await _on_database(state_of, table_id)
            for socket in late:
                await socket.catch_up(shown, frames)


async def _on_database(work: Callable[..., Any], *arguments: Any) -> Any:
    return await database_sync_to_async(work, thread_sensitive=False)(*arguments)


def _tick(tables: Iterable[int]) -> None:
    for table_id in tables:
        try:
            services.tick_or_wait(table_id=table_id)
        except (TableError, DatabaseError):
            log.warning("table %s could not be nudged", table_id, exc_info=True)


def state_of(table_id: int) -> tuple[Shown, dict[str, str]]:
    """The table as it stands, and everybody's `state` frame of it; TableError `not_found`."""
    held = store.look(table_id)
    return shown_by(held), views.frames(held)


def shown_by(held: store.Held) -> Shown:
    """What the frames made from `held` show."""
    connected = (seat for seat, seating in held.seatings.items() if views.is_connected(seating, held.now))
    return Shown(held.state.version, tuple(sorted(connected)))


def _read(passes: set[Pass], tables: set[int]) -> tuple[set[Pass], dict[int, Standing]]:
    return still_good(passes), _standings(tables)


def _standings(tables: set[int]) -> dict[int, Standing]:
    if not tables:
        return {}
    # The tables are read first: a seating may be newer than its table, and then the next beat sees both.
    rows = list(Table.objects.filter(pk__in=tables).only("version", "status", "deadline_ms", "computer_due_ms"))
    seatings: dict[int, list[Seating]] = defaultdict(list)
    current = Seating.objects.filter(table_id__in=tables, freed_at=None)
    for seating in current.only("table_id", "seat", "user_id", "connection", "joined", "seen_ms", "left_at"):
        seatings[seating.table_id].append(seating)
    now = store.now_ms()
    # Here, too, somebody looks at the clocks: without any worker the platform is not away.
    if not Pulse.objects.filter(at_ms__gt=now - SILENCE).exists():
        timers.beat(now)
    late = [row for row in rows if _overdue_by(row, now) >= WAITING]
    waiting = {row.pk for row in late} if late and condition.is_frozen() else set()
    return {row.pk: _standing(row, seatings[row.pk], now, waits=row.pk in waiting) for row in rows}


def _overdue_by(row: Table, now: int) -> int:
    """For how many ms a clock or a computer player at the open table is overdue; below 0 for not at all."""
    due = [moment for moment in (row.deadline_ms, row.computer_due_ms) if moment is not None]
    return now - min(due) if due and row.status == Table.Status.OPEN else -1


def _standing(row: Table, seatings: Iterable[Seating], now: int, *, waits: bool) -> Standing:
    connected = sorted(seating.seat for seating in seatings if views.is_connected(seating, now))
    return Standing(
        shown=Shown(row.version, tuple(connected)),
        frozen=row.status == Table.Status.FROZEN,
        overdue=_overdue_by(row, now) >= OVERDUE,
        waits=waits,
        playing={
            seating.user_id: seating
            for seating in seatings
            if seating.user_id is not None and seating.left_at is None and seating.connection
        },
    )


_watches: WeakKeyDictionary[asyncio.AbstractEventLoop, Watch] = WeakKeyDictionary()


def of_this_loop() -> Watch:
    """The heartbeat of the running loop."""
    loop = asyncio.get_running_loop()
    return _watches.setdefault(loop, Watch())
