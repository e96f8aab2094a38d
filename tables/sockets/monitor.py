"""The monitor of a process: one statement for all its sockets finds lost pushes and credentials that are void.

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
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Protocol

from channels.db import database_sync_to_async
from django.db import DatabaseError

from tables.errors import TableError
from tables.loop_local import LoopLocal
from tables.metrics import spend
from tables.play import heartbeat_requests, outages, presence, services as play, store
from tables.play.executors import OwnThread
from tables.play.fast import clock
from tables.play.frames import frames as frames_of
from tables.play.frames.encoder import Pieces
from tables.play.seating import connected_seats
from tables.sockets import hub, looks
from tables.sockets.admission import connections
from tables.sockets.credentials import Credential, CredentialCache, keys_of
from tables.sockets.statuses import SLACK, PollResult, SeenState, Statuses, TableStatus

log = logging.getLogger(__name__)

#: Seconds between two looks. A client is behind, or signed out unnoticed, for two of them and a query at most.
BEAT = 0.5
#: Seconds between two looks at least, however many clocks end.
LEAST_PAUSE = 0.05
#: How often, in seconds, live sockets are noted on their seats, and how many in one statement. The web server closes
#: dead sockets.
PRESENCE_INTERVAL, MOST_NOTED = 10, 500
#: How often, in seconds, it is noted who is online without a table: to listen is enough, whatever the client sends.
LISTENING_INTERVAL = 20.0
#: Before a clock between two deals ends, sockets are noted once more unless they were within this many seconds: whose
#: web process was silent then keeps their seat, and may still answer (`outages.LAST_NOTE_MS`).
LAST_PAUSE = 2.0
#: Seconds between two looks for clients that read nothing; such a client is given five times as long.
FULL_PAUSE = 2.0
#: For this many seconds the result of a look is used without another query.
FRESH_FOR = 1.0


class MonitoredSocket(Protocol):
    """A socket as the monitor sees it."""

    credential: Credential | None
    table_id: int | None
    #: The status of its table that the client has seen in full, if any.
    settled_status: TableStatus | None
    #: When its seat was last noted as alive, in monotonic seconds.
    noted_at: float

    async def revoke(self) -> None:
        """Close the socket: its credential is void."""

    async def is_behind(self, status: TableStatus) -> bool:
        """Return whether the socket has been behind for more than one beat.

        Set `settled_status` where nothing is left to do.
        """

    async def resync(self, shown: SeenState, frames: dict[str, Pieces]) -> None:
        """Show this state, unless the socket shows a newer one by now."""

    def is_stuck(self, now: float) -> bool:
        """Return whether at `now`, in monotonic seconds, the client has read nothing for too long."""

    async def give_up(self) -> None:
        """Close the socket: its client reads nothing."""


@dataclass(frozen=True, slots=True)
class _Sockets:
    """The sockets of a loop, with their credentials and tables."""

    sockets: frozenset[MonitoredSocket]
    credentials: frozenset[Credential]
    keys: looks.Keys
    tables: Mapping[int, list[MonitoredSocket]]

    @classmethod
    def of(cls, sockets: Iterable[MonitoredSocket]) -> "_Sockets":
        """Return the sockets with what they have at this moment."""
        monitored = frozenset(sockets)
        held = frozenset(socket.credential for socket in monitored if socket.credential is not None)
        tables: defaultdict[int, list[MonitoredSocket]] = defaultdict(list)
        for socket in monitored:
            if socket.table_id is not None:
                tables[socket.table_id].append(socket)
        return cls(monitored, held, keys_of(held), tables)


class SocketMonitor:
    """The monitor of one event loop: it looks while there are sockets and, after `serve`, without any as well.

    Each look notes that this process serves: see `outages`.
    """

    def __init__(self) -> None:
        self.sockets: set[MonitoredSocket] = set()
        #: The same, with what they have, from the last look; None once one has come or gone.
        self._current: _Sockets | None = None
        self._serves = False
        self._starting = True
        self._credentials = CredentialCache()
        #: The sockets whose credentials the last look has found valid, and when it began, in monotonic seconds.
        self._verified: Set[MonitoredSocket] = frozenset()
        self._polled_at = 0.0
        #: When clients that read nothing were last looked for, in monotonic seconds.
        self._full_at = 0.0
        self._statuses = Statuses()
        self._last: PollResult | None = None
        #: The tables at which somebody seemed to be behind.
        self._doubted: set[int] = set()
        #: When the first socket is due to be noted as alive, in monotonic seconds.
        self._note_at = 0.0
        #: When the players whose sockets only listen were last noted, in monotonic seconds.
        self._listeners_at = 0.0
        self._pause = BEAT
        self._beating: asyncio.Task[None] | None = None
        self._ticking: asyncio.Task[None] | None = None
        self._noting: asyncio.Task[None] | None = None
        self._marking: asyncio.Task[None] | None = None
        self._listening: asyncio.Task[None] | None = None

    def is_freshly_verified(self, socket: MonitoredSocket) -> bool:
        """Return whether the socket's credential was found valid within the last second."""
        return time.monotonic() - self._polled_at < FRESH_FOR and socket in self._verified

    def recent_version(self, table_id: int) -> tuple[int, int] | None:
        """Return the database clock, in ms, and the table's version, if a look found them within the last second."""
        ago = time.monotonic() - self._polled_at
        if self._last is None or ago >= FRESH_FOR or table_id not in self._last.statuses:
            return None
        return self._last.now + int(ago * 1000), self._last.statuses[table_id].shown.version

    def add(self, socket: MonitoredSocket) -> None:
        """Look after the socket from now on."""
        self.sockets.add(socket)
        self._current = None
        self._start()

    def serve(self) -> None:
        """Note from now on that the process serves, whether or not it has sockets."""
        self._serves, self._pause = True, 0.0
        self._start()
        self._listening = asyncio.create_task(hub.current().join(self, [heartbeat_requests.GROUP]))

    def _start(self) -> None:
        if self._beating is None or self._beating.done():
            self._beating = asyncio.create_task(self._run())

    def discard(self, socket: MonitoredSocket) -> None:
        """Look after the socket no longer."""
        self.sockets.discard(socket)
        self._current = None

    def concerns(self, message: Mapping[str, Any]) -> bool:
        """Return whether this process answers a request for the heartbeat."""
        return connections.open

    async def push(self, message: Mapping[str, Any]) -> None:
        """Note the heartbeat for a worker that waits for it."""
        await _on_database(
            partial(outages.record_heartbeat, starting=self._starting, since=heartbeat_requests.moment_of(message))
        )

    async def _run(self) -> None:
        while self.sockets or (self._serves and connections.open):
            await asyncio.sleep(self._pause)
            self._pause = BEAT
            try:
                await self._poll()
            except Exception:
                log.warning("the sockets could not be looked after", exc_info=True)
        if self._listening is not None:
            await hub.current().leave(self)

    async def _poll(self) -> None:
        current, began = self._current or _Sockets.of(self.sockets), time.monotonic()
        self._current = current
        invalid, result = await LOOKS.run(self._read, current, frozenset(self._doubted))
        self._starting, working = False, time.thread_time()
        self._last, self._polled_at = result, began
        self._verified = current.sockets
        if invalid:
            self._verified = {socket for socket in current.sockets if socket.credential not in invalid}
        hub.current().refresh()
        self._note_presence(current.tables, result.ending)
        self._note_listeners()
        self._pause = pause_until(result.ends_in)
        if result.overdue and (self._ticking is None or self._ticking.done()):
            self._ticking = asyncio.create_task(_on_database(_tick, result.overdue))
        behind_at = await self._compare(result, current, invalid)
        spend("heartbeat", working)
        for table_id, behind in behind_at.items():
            await self._resync(table_id, behind)

    def _read(self, current: "_Sockets", doubted: Collection[int]) -> tuple[Set[Credential], PollResult]:
        """Look; note the heartbeat; return the credentials that are void, and what is found of the tables."""
        began, asked = time.thread_time(), time.monotonic()
        within = outages.longest_silence(starting=self._starting) if connections.open else 0
        look = looks.look(self._statuses.expected(current.tables, doubted), current.keys, within)
        clock.note_reading(look.now, time.monotonic() - asked)
        if connections.open:
            outages.note_heartbeat(look.heartbeat, look.now, starting=self._starting)
        valid = self._credentials.valid_among(current.credentials, look.digest)
        invalid = current.credentials - valid.keys() if len(valid) < len(current.credentials) else frozenset()
        result = self._statuses.found(look)
        spend("heartbeat", began)
        return invalid, result

    async def _compare(
        self, result: PollResult, current: "_Sockets", invalid: Collection[Credential | None]
    ) -> dict[int, list[MonitoredSocket]]:
        """Compare the sockets with the look: close those that may not stay, return those that are behind, by table."""
        if invalid:
            for socket in [each for each in current.sockets if each.credential in invalid]:
                await socket.revoke()
        if self._polled_at - self._full_at > FULL_PAUSE:
            self._full_at = self._polled_at
            for socket in [each for each in current.sockets if each.is_stuck(self._polled_at)]:
                await socket.give_up()
        behind: dict[int, list[MonitoredSocket]] = defaultdict(list)
        self._doubted.clear()
        for table_id, status in result.statuses.items():
            for socket in [each for each in current.tables[table_id] if each.settled_status is not status]:
                if invalid and socket.credential in invalid:
                    continue
                if await socket.is_behind(status):
                    behind[table_id].append(socket)
                if socket.settled_status is not status:
                    self._doubted.add(table_id)
        return behind

    def _note_presence(self, tables: Mapping[int, Iterable[Any]], ending: Collection[int]) -> None:
        """Note every PRESENCE_INTERVAL seconds that the sockets at tables are alive, those that are nearly due as well.

        Those at the tables where a result clock is `ending` are noted once more.
        """
        now = time.monotonic()
        if self._noting is not None and not self._noting.done():
            return
        due: list[Any] = []
        if now >= self._note_at:
            longest = sorted(chain.from_iterable(tables.values()), key=lambda socket: socket.noted_at)
            if longest and now - longest[0].noted_at >= PRESENCE_INTERVAL:
                due = [socket for socket in longest[:MOST_NOTED] if socket.noted_at <= now - PRESENCE_INTERVAL / 2]
            # A socket that is new counts as just noted.
            self._note_at = PRESENCE_INTERVAL + (longest[len(due)].noted_at if len(due) < len(longest) else now)
        if not due:
            last = chain.from_iterable(tables.get(table_id, ()) for table_id in ending)
            due = [socket for socket in last if now - socket.noted_at >= LAST_PAUSE][:MOST_NOTED]
        if not due:
            return
        for socket in due:
            socket.noted_at = now
        self._noting = asyncio.create_task(_on_database(_note, due))

    def _note_listeners(self) -> None:
        """Note every LISTENING_INTERVAL seconds whose sockets listen, in the lobby or to others: they are online."""
        if self._polled_at - self._listeners_at < LISTENING_INTERVAL:
            return
        self._listeners_at = self._polled_at
        held = [socket.credential for socket in self._verified if socket.table_id is None]
        if users := {credential.user_id for credential in held if credential is not None}:
            self._marking = asyncio.create_task(_on_database(presence.note_alive, *users))

    async def _resync(self, table_id: int, behind: Iterable[MonitoredSocket]) -> None:
        with contextlib.suppress(TableError):
            shown, frames = await _on_database(state_of, table_id)
            for socket in behind:
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
        presence.record_signs_of_life(sockets)
    except (TableError, DatabaseError):
        log.warning("signs of life could not be noted", exc_info=True)


def _tick(tables: Sequence[int]) -> None:
    for table_id in play.deal_or_else(tables, by_server=True):
        try:
            play.tick_or_wait(table_id=table_id, by_server=True)
        except (TableError, DatabaseError):
            log.warning("table %s could not be nudged", table_id, exc_info=True)


def state_of(table_id: int) -> tuple[SeenState, dict[str, Pieces]]:
    """Return the SeenState of the table now, and everybody's `state` frame; TableError `not_found`."""
    table = store.read_table(table_id)
    return seen_state_of(table), frames_of(table)


def seen_state_of(table: store.TableSnapshot) -> SeenState:
    """Return the SeenState of a client that was sent frames of this table."""
    return SeenState(table.state.version, tuple(sorted(connected_seats(table.seatings.values(), table.now))))


#: The thread that looks, as it does twice a second.
LOOKS = OwnThread("looks")
#: The monitor of the running loop.
current = LoopLocal(SocketMonitor)
