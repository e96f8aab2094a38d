"""The statuses of the tables whose sockets are here, as the heartbeat's look reads them.

The seats of a table are read again when its row has changed, when a socket seems to have missed something, and
otherwise every `SEATS_FRESH_FOR` seconds. A status that has not changed stays the same object: nobody needs to compare
it.
"""

import random
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from rules.game import Phase
from tables.models import Seating, Table
from tables.play import clocks, outages, store
from tables.play.fast import live
from tables.play.seating import connected_seats
from wallet.base.queries import among
from wallet.ledger import settlement_freeze

#: Seconds after which a table's seats are read again at the latest; spread, so that not all tables are due at once.
SEATS_FRESH_FOR = 2.0
#: A computer player overdue by more than this, in ms, has not been nudged by Celery.
OVERDUE = 250
#: A clock is looked at this many ms after its end, so that no look is early.
SLACK = 20
#: A table overdue by this, in ms, while settlement is frozen, waits for it.
WAITING = 1_500
#: A clock between two deals ends soon when it has at most this many ms left.
ENDING = 2_500
#: The phases between two deals.
_BETWEEN_DEALS = frozenset({Phase.RESULT.value, Phase.REJOIN.value, Phase.SPLIT.value})


class SeenState(NamedTuple):
    """The state of a table that a client has seen: its version, and the seats whose players are connected."""

    version: int
    connected: tuple[int, ...]


@dataclass(slots=True)
class PlayingSocket:
    """The socket that plays a seat: see `presence.Playing`."""

    connection: str
    joined: int


@dataclass(frozen=True, slots=True)
class TableStatus:
    """The status of a table in the database."""

    shown: SeenState
    frozen: bool
    #: Whether the table waits because settlement is frozen: see `wallet.ledger.settlement_freeze`.
    waits: bool
    #: The socket that plays the seat of each user, where one does; users who have left the seat are not in it.
    playing: Mapping[int, PlayingSocket]


@dataclass(frozen=True, slots=True)
class PollResult:
    """The result of one look."""

    #: The database clock, in ms since 1970 UTC.
    now: int
    statuses: Mapping[int, TableStatus]
    #: The open tables that need a tick, if necessary by this process.
    overdue: list[int]
    #: When the next clock ends, in ms from now, if any runs.
    ends_in: int | None
    #: The tables at which a clock between two deals ends soon.
    ending: Set[int]


class _Row(NamedTuple):
    """The columns of a table's row that a look needs."""

    version: int
    status: str
    deadline_ms: int | None
    computer_due_ms: int | None
    outages_seen: int
    phase: str


@dataclass(slots=True)
class _Seat:
    """The columns of a seating that a look needs."""

    table_id: int
    pk: int
    seat: int
    user_id: int | None
    connection: str
    joined: int
    seen_ms: int
    left_at: datetime | None

    @property
    def is_computer(self) -> bool:
        return self.user_id is None


@dataclass(slots=True)
class _CachedStatus:
    """A table's row and status as last read, and until when, in monotonic seconds, its seats need not be read again."""

    row: _Row
    status: TableStatus
    until: float


class Statuses:
    """The statuses that the last look has found."""

    def __init__(self) -> None:
        self._cache: dict[int, _CachedStatus] = {}

    def read(self, table_ids: Collection[int], recheck: Collection[int] = ()) -> PollResult:
        """Look at these tables; the seats of those to `recheck` are read in any case."""
        # The tables are read first: a seating may be newer than its table, and then the next look sees both.
        rows = _rows(table_ids)
        began = time.monotonic()
        self._cache = {pk: cached for pk, cached in self._cache.items() if pk in rows}
        stale = [pk for pk, row in rows.items() if pk in recheck or self._is_stale(pk, row, began)]
        seats = _seats(stale)
        now = store.now_ms()
        waiting = _waiting(rows, now)
        for pk in stale:
            self._store(pk, rows[pk], _status(rows[pk], seats[pk], now), began)
        for pk, cached in self._cache.items():
            if cached.status.waits != (pk in waiting):
                cached.status = replace(cached.status, waits=pk in waiting)
        last_outage = outages.latest_outage() if rows else 0
        deadlines = [row.deadline_ms for row in rows.values() if row.deadline_ms is not None and _is_open(row)]
        return PollResult(
            now=now,
            statuses={pk: cached.status for pk, cached in self._cache.items()},
            overdue=[pk for pk, row in rows.items() if _is_overdue(row, now, last_outage)],
            ends_in=min((deadline - now for deadline in deadlines if deadline - now > -SLACK), default=None),
            ending={pk for pk, row in rows.items() if _is_ending(row, now)},
        )

    def _is_stale(self, pk: int, row: _Row, moment: float) -> bool:
        cached = self._cache.get(pk)
        return cached is None or cached.row != row or cached.until < moment

    def _store(self, pk: int, row: _Row, status: TableStatus, moment: float) -> None:
        cached = self._cache.get(pk)
        if cached is not None:
            status = replace(status, waits=cached.status.waits)
            status = cached.status if cached.status == status else status
        until = moment + random.uniform(0.5, 1) * SEATS_FRESH_FOR  # noqa: S311  a pause, not a card
        self._cache[pk] = _CachedStatus(row, status, until)


def _rows(table_ids: Collection[int]) -> dict[int, _Row]:
    if not table_ids:
        return {}
    return {
        pk: _Row(*columns)
        for pk, *columns in Table.objects.filter(among("pk", table_ids)).values_list("pk", *_Row._fields)
    }


def _seats(table_ids: Collection[int]) -> Mapping[int, list[_Seat]]:
    """Return the seats of each table, and pass them on to the fast way."""
    seats: defaultdict[int, list[_Seat]] = defaultdict(list)
    if table_ids:
        rows = Seating.objects.filter(among("table_id", table_ids), freed_at=None)
        for values in rows.values_list(*_Seat.__slots__):
            seat = _Seat(*values)
            seats[seat.table_id].append(seat)
    for table_id, seats_of_table in seats.items():
        live.note(table_id, seats_of_table)
    return seats


def _status(row: _Row, seats: Iterable[_Seat], now: int) -> TableStatus:
    return TableStatus(
        shown=SeenState(row.version, tuple(sorted(connected_seats(seats, now)))),
        frozen=row.status == Table.Status.FROZEN,
        waits=False,
        playing={
            seat.user_id: PlayingSocket(seat.connection, seat.joined)
            for seat in seats
            if seat.user_id is not None and seat.left_at is None and seat.connection
        },
    )


def _is_open(row: _Row) -> bool:
    return row.status == Table.Status.OPEN


def _is_ending(row: _Row, now: int) -> bool:
    return row.phase in _BETWEEN_DEALS and 0 < (row.deadline_ms or 0) - now <= ENDING


def _is_overdue(row: _Row, now: int, last_outage: int) -> bool:
    if not _is_open(row):
        return False
    if row.deadline_ms is not None and (row.deadline_ms + SLACK <= now or row.outages_seen < last_outage):
        return True
    return clocks.is_computer_due(row.computer_due_ms, now - OVERDUE)


def _waiting(rows: Mapping[int, _Row], now: int) -> set[int]:
    """Return the tables that wait because settlement is frozen."""
    late = {pk for pk, row in rows.items() if _is_open(row) and now - _due_ms(row, now) >= WAITING}
    return late if late and settlement_freeze.is_frozen() else set()


def _due_ms(row: _Row, now: int) -> int:
    """Return when a clock or a computer player at the table is due, `now` where nothing is."""
    return min((moment for moment in (row.deadline_ms, row.computer_due_ms) if moment is not None), default=now)
