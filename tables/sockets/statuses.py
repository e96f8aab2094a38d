"""The statuses of the tables whose sockets are here, as the monitor's looks find them.

The seats of a table are read again when its version has changed otherwise than by the fast way, when a socket seems to
have missed something, and otherwise every `SEATS_FRESH_FOR` seconds. A status that has not changed stays the same
object: nobody needs to compare it.
"""

import random
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from rules.game import Phase
from tables.models import Table
from tables.play import clocks
from tables.play.fast import table_cache
from tables.play.seating import connected_seats
from tables.sockets import looks
from wallet.ledger import settlement_freeze

#: Seconds after which a table's seats are read again at the latest; spread, so that not all tables are due at once.
SEATS_FRESH_FOR = 5.0
#: A computer player overdue by more than this, in ms, has not been nudged by Celery.
OVERDUE = 250
#: A clock is looked at this many ms after its end, so that no look is early.
SLACK = 20
#: A table overdue by this, in ms, while settlement is frozen, waits for it.
WAITING = 1_500
#: A clock ends soon when it has at most this many ms left.
ENDING = looks.SOON
#: The phases between two deals.
_BETWEEN_DEALS = frozenset({Phase.RESULT.value, Phase.REJOIN.value, Phase.SPLIT.value})
#: Constants, as a look at an enumeration takes as long as all the rest of a row.
_OPEN, _FROZEN = str(Table.Status.OPEN.value), str(Table.Status.FROZEN.value)


class SeenState(NamedTuple):
    """The state of a table that a client has seen: its version, and the seats whose players are connected."""

    version: int
    connected: tuple[int, ...]


@dataclass(slots=True)
class PlayingSocket:
    """The socket that plays a seat: see `presence.Playing`."""

    connection: str
    connection_number: int


@dataclass(frozen=True, slots=True)
class TableStatus:
    """The status of a table in the database."""

    shown: SeenState
    frozen: bool
    #: Whether the table waits because settlement is frozen: see `wallet.ledger.settlement_freeze`.
    waits: bool
    #: The socket that plays the seat of each user, where one does; users who have left the seat are not in it.
    playing: Mapping[int, PlayingSocket]
    #: Whether somebody there hides their hands: see `presence.may_watch`.
    hidden: bool


@dataclass(frozen=True, slots=True)
class PollResult:
    """The result of one look."""

    #: The database clock, in ms since 1970 UTC.
    now: int
    statuses: Mapping[int, TableStatus]
    #: The open tables that need a tick, if necessary by this process.
    overdue: list[int]
    #: When the next clock ends, in ms from now, if any does within ENDING.
    ends_in: int | None
    #: The tables at which a clock between two deals ends soon.
    ending: Set[int]


class _Row(NamedTuple):
    """A table's row: see `looks.TABLE`."""

    pk: int
    version: int
    status: str
    deadline_ms: int | None
    computer_due_ms: int | None
    last_outage: int
    phase: str


@dataclass(slots=True)
class _Seat:
    """A seat: see `looks.SEAT`."""

    table_id: int
    pk: int
    seat: int
    user_id: int | None
    connection: str
    connection_number: int
    seen_ms: int
    left_at: str | None
    forbids_watching: bool | None

    @property
    def is_computer(self) -> bool:
        return self.user_id is None


@dataclass(slots=True)
class _CachedStatus:
    """A table's status, its seats as last read, and until when, in monotonic seconds, they need not be read again."""

    status: TableStatus
    seats: list[_Seat]
    columns: list[list[Any]]
    until: float


class Statuses:
    """The statuses that the last look has found."""

    def __init__(self) -> None:
        self._cache: dict[int, _CachedStatus] = {}

    def expected(self, table_ids: Collection[int], recheck: Collection[int] = ()) -> dict[int, int]:
        """Return for each of the tables the version at which its seats need not be read; UNKNOWN where they must be.

        It is the version found last, or where the fast way, which changes no seat, has led since.
        """
        moment, versions = time.monotonic(), dict.fromkeys(table_ids, looks.UNKNOWN)
        for pk, cached in self._cache.items():
            if pk in versions and pk not in recheck and cached.until >= moment:
                table, found = table_cache.get(pk), cached.status.shown.version
                versions[pk] = found if table is None else max(found, table.state.version)
        return versions

    def found(self, look: looks.Look) -> PollResult:
        """Return what the look at the `expected` tables has found."""
        began, rows = time.monotonic(), {columns[0]: _Row(*columns) for columns in look.tables}
        seats: defaultdict[int, list[list[Any]]] = defaultdict(list)
        for columns in look.seats:
            seats[columns[0]].append(columns)
        soon = [row for row in rows.values() if _is_soon(row, look)]
        waiting = _waiting(soon, look.now)
        known, self._cache = self._cache, {}
        for pk, version in look.expected.items():
            cached, row, frozen = known.get(pk), rows.get(pk), False
            if row is not None:
                if cached is None or row.version != version:
                    cached = _with_seats(cached, row, seats[pk], look.now, began)
                version, frozen = row.version, row.status == _FROZEN
            elif cached is None or version == looks.UNKNOWN:
                continue  # there is no such table
            status, waits = cached.status, pk in waiting
            if status.shown.version != version or status.frozen != frozen or status.waits != waits:
                shown = status.shown._replace(version=version)
                cached.status = replace(status, shown=shown, frozen=frozen, waits=waits)
            self._cache[pk] = cached
        return PollResult(
            now=look.now,
            statuses={pk: cached.status for pk, cached in self._cache.items()},
            overdue=[row.pk for row in soon if _is_overdue(row, look.now, look.last_outage)],
            ends_in=_next_end(soon, look.now),
            ending={row.pk for row in soon if _is_ending(row, look.now)},
        )


def _with_seats(
    cached: _CachedStatus | None, row: _Row, columns: list[list[Any]], now: int, moment: float
) -> _CachedStatus:
    """Return the status with seats that were just read, and pass these on to the fast way."""
    is_known = cached is not None and cached.columns == columns
    seats = cached.seats if cached is not None and is_known else [_Seat(*each) for each in columns]
    table_cache.update_presence(row.pk, seats)
    connected = tuple(sorted(connected_seats(seats, now)))
    until = moment + random.uniform(0.5, 1) * SEATS_FRESH_FOR  # noqa: S311  a pause, not a card
    status = TableStatus(
        shown=SeenState(row.version, connected),
        frozen=cached is not None and cached.status.frozen,
        waits=cached is not None and cached.status.waits,
        playing={
            seat.user_id: PlayingSocket(seat.connection, seat.connection_number)
            for seat in seats
            if seat.user_id is not None and seat.left_at is None and seat.connection
        },
        hidden=any(seat.forbids_watching for seat in seats),
    )
    same = cached.status if cached is not None and cached.status == status else status
    return _CachedStatus(same, seats, columns, until)


def _is_soon(row: _Row, look: looks.Look) -> bool:
    """Return whether anything at the table is due within ENDING, or an outage has moved its clock."""
    if row.computer_due_ms is not None or row.last_outage < look.last_outage:
        return True
    return row.deadline_ms is not None and row.deadline_ms - look.now <= ENDING


def _is_open(row: _Row) -> bool:
    return row.status == _OPEN


def _is_ending(row: _Row, now: int) -> bool:
    return row.phase in _BETWEEN_DEALS and 0 < (row.deadline_ms or 0) - now <= ENDING


def _is_overdue(row: _Row, now: int, last_outage: int) -> bool:
    if not _is_open(row):
        return False
    if row.deadline_ms is not None and (row.deadline_ms + SLACK <= now or row.last_outage < last_outage):
        return True
    return clocks.is_computer_due(row.computer_due_ms, now - OVERDUE)


def _next_end(rows: Iterable[_Row], now: int) -> int | None:
    """Return when the next of these clocks ends, in ms from now; None where none runs."""
    deadlines = [row.deadline_ms - now for row in rows if row.deadline_ms is not None and _is_open(row)]
    return min((left for left in deadlines if left > -SLACK), default=None)


def _waiting(rows: Iterable[_Row], now: int) -> set[int]:
    """Return the tables that wait because settlement is frozen."""
    late = {row.pk for row in rows if now - _due_ms(row, now) >= WAITING and _is_open(row)}
    return late if late and settlement_freeze.is_frozen() else set()


def _due_ms(row: _Row, now: int) -> int:
    """Return when a clock or a computer player at the table is due, `now` where nothing is."""
    due = now if row.deadline_ms is None else row.deadline_ms
    return due if row.computer_due_ms is None else min(due, row.computer_due_ms)
