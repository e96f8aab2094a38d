"""Reading, locking and saving tables: their states, seatings and events."""

import logging
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, TypeVar

import orjson
from django.db import DatabaseError, connection

from rules.game import TableState, Transition, codec
from rules.game.events import Event
from tables.errors import FROZEN, TableError, no_such_table
from tables.log import reading
from tables.log.sealing import EVENTS, SNAPSHOTS
from tables.models import Deal, LoggedEvent, Seating, Table
from tables.play import executors
from wallet.base.queries import in_list, one_or_none, update_each
from wallet.language import gettext as _

log = logging.getLogger(__name__)

#: The beginning of a table's fault where staff have frozen it, as opposed to a fault of ours.
STOPPED_BY = "Stopped by"
#: What ended so long ago has been committed.
SETTLED = timedelta(seconds=10)


@dataclass(slots=True)
class TableSnapshot:
    """A table as it was read, with all that its views and a move that only moves cards depend on."""

    row: Table
    #: The state when the table was read, and the state now.
    before: TableState
    state: TableState
    #: Milliseconds since 1970 UTC by the database clock, read after any lock was granted.
    now: int
    #: The seating of each seat that is not free; its player may have left.
    seatings: dict[int, Seating]
    #: The events of this transaction so far.
    events: list[Event] = field(default_factory=list)
    #: The names of the players in the deal whose result is shown: a seat may have a new holder by now.
    names: dict[int, str] = field(default_factory=dict)
    #: The parts of its views encoded last, by language and place, each after what it depends on: see `frames`.
    encoded: dict[str, dict[object, tuple[Any, ...]]] = field(default_factory=dict)


@dataclass(slots=True)
class LockedTable(TableSnapshot):
    """A table under its row lock, which a transaction may change."""

    #: Seatings whose columns of presence have changed and are not written yet: see `write_presence`.
    presence_changes: dict[int, Seating] = field(default_factory=dict)


Kind = TypeVar("Kind", bound=TableSnapshot)


def now_ms() -> int:
    """Read the clock of the database, in ms since 1970 UTC: the only clock that deadlines are compared with."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {clock_in_sql()}")
        return int(cursor.fetchone()[0])


def clock_in_sql() -> str:
    """Return that clock as an expression in SQL."""
    if connection.vendor == "postgresql":
        return "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    return "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)"


def moment(ms: int) -> datetime:
    """Return the ms since 1970 UTC as a datetime."""
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=ms)


def settled() -> datetime:
    """Return the moment up to which all that ended is there: later nothing comes that would belong before it."""
    return moment(now_ms()) - SETTLED


def version(table_id: int) -> int:
    """Return the version of the table now; 0 where there is no such table."""
    return next(iter(Table.objects.filter(pk=table_id).values_list("version", flat=True)), 0)


def clock_and_version(table_id: int) -> tuple[int, int]:
    """Return the database clock, in ms since 1970 UTC, and the version of the table."""
    return now_ms(), version(table_id)


def lock_free_tables(table_ids: Collection[int], known: Mapping[int, TableSnapshot]) -> dict[int, LockedTable]:
    """Lock those of the tables that are neither locked nor frozen, in the order of their ids.

    It takes three statements for any number of them. Only the states of tables that are not `known` in the version of
    their row are read besides.
    """
    free = Table.objects.select_for_update(skip_locked=True).exclude(status=Table.Status.FROZEN)
    rows = {row.pk: row for row in free.filter(in_list("pk", table_ids)).order_by("pk")}
    seatings, now, tables = _seatings_at(rows), now_ms(), {}
    for pk, row in rows.items():
        remembered = known[pk] if pk in known and known[pk].state.version == row.version else None
        state = reading.latest_state(row) if remembered is None else remembered.state
        tables[pk] = LockedTable(row=row, before=state, state=state, now=now, seatings=seatings[pk])
        if remembered is not None:
            tables[pk].encoded = remembered.encoded
    return tables


def _seatings_at(table_ids: Collection[int]) -> dict[int, dict[int, Seating]]:
    """Return the seatings of these tables by table and seat, without those whose seat is free again."""
    seatings: dict[int, dict[int, Seating]] = {pk: {} for pk in table_ids}
    for seating in Seating.objects.filter(in_list("table_id", table_ids), freed_at=None).select_related("user"):
        seatings[seating.table_id][seating.seat] = seating
    return seatings


def lock_table(table_id: int, *, skip_locked: bool = False, frozen: bool = False) -> LockedTable:
    """Lock the table and return it; call inside a transaction. This lock comes before any other, the wallet's included.

    TableError `not_found`; `frozen`, unless `frozen` allows such a table and its state can be read; `busy` where the
    row is locked, but only with `skip_locked` or for a nowait caller (`executors`).
    """
    skip_locked = skip_locked or executors.is_nowait()
    row = one_or_none(Table.objects.select_for_update(skip_locked=skip_locked).filter(pk=table_id))
    if row is None and skip_locked and Table.objects.filter(pk=table_id).exists():
        raise TableError("busy", _("The table is being changed at this moment."))
    if row is not None and row.status == Table.Status.FROZEN and not frozen:
        raise TableError("frozen", FROZEN)
    return _with_state(row, LockedTable)


def current_deal(row: Table) -> Deal | None:
    """Return the deal and the match of the locked row, read once for each lock and only where something needs them.

    This takes a query of its own, after the lock. A join that waits for the lock gets the row from after the wait in
    PostgreSQL, but the deal from before it: another one, or none.
    """
    if row.deal_id is not None and not Table.deal.is_cached(row):
        row.deal = Deal.objects.select_related("match").get(pk=row.deal_id)
    return row.deal


def read_table(table_id: int) -> TableSnapshot:
    """Return the current table without a lock, to show it or for the fast way.

    TableError `not_found`; `frozen` where it is, and its state cannot be read.
    """
    return _with_state(one_or_none(Table.objects.filter(pk=table_id)), TableSnapshot)


def read_tables(table_ids: Collection[int]) -> Iterator[TableSnapshot]:
    """Yield these tables as `read_table` does, without those that do not exist or cannot be read."""
    rows, seatings, now = list(Table.objects.filter(in_list("pk", table_ids))), _seatings_at(table_ids), now_ms()
    for row in rows:
        try:
            state = reading.latest_state(row)
        except DatabaseError:
            raise
        except Exception:
            log.warning("table %s could not be read", row.pk, exc_info=True)
        else:
            yield TableSnapshot(row=row, before=state, state=state, now=now, seatings=seatings[row.pk])


def _with_state(row: Table | None, kind: type[Kind]) -> Kind:
    if row is None:
        raise no_such_table()
    try:
        state = reading.latest_state(row)
    except Exception as fault:
        if row.status != Table.Status.FROZEN:
            raise
        # By now staff may have rebuilt and resumed the table, and a fault would freeze it once more.
        raise TableError("frozen", FROZEN) from fault
    return kind(row=row, before=state, state=state, now=now_ms(), seatings=current_seatings(row.pk))


#: The columns of a table that play changes.
CHANGED = (
    *("status", "phase", "seated", "version", "snapshot", "snapshot_version", "deadline_ms", "computer_due_ms"),
    *("last_outage", "deal", "closed_at"),
)


def write_state(row: Table, state: TableState, *, snapshot_after: int = 0) -> None:
    """Set the state and the columns that mirror it on the row, which is not saved.

    With `snapshot_after` a new snapshot is taken only once that of the row is that many versions old.
    """
    row.version = state.version
    if not (snapshot_after and row.snapshot) or row.version - row.snapshot_version >= snapshot_after:
        row.snapshot_version = row.version
        row.snapshot = SNAPSHOTS.seal(row, _stored(codec.dump_state(state)))
    row.phase = state.phase.value
    row.deadline_ms = state.clock.deadline if state.clock else None


def _stored(record: Mapping[str, Any]) -> bytes:
    """Return the bytes of `codec.canonical`, in a fifth of its time."""
    return orjson.dumps(record, option=orjson.OPT_SORT_KEYS)


def current_seatings(table_id: int) -> dict[int, Seating]:
    """Return the seatings of the table by seat, without those whose seat is free again."""
    seatings = Seating.objects.filter(table_id=table_id, freed_at=None).select_related("user")
    return {seating.seat: seating for seating in seatings}


def write_presence(tables: Collection[LockedTable]) -> None:
    """Write which sockets play the seats of these tables, where that has changed, in one batch for all."""
    changed = [seating for table in tables for seating in table.presence_changes.values()]
    update_each(changed, ("connection", "connection_number", "connection_count", "seen_ms"))
    for table in tables:
        table.presence_changes.clear()


def append(table: LockedTable, transition: Transition) -> None:
    """Store the transition's events, and make its state the table's; `save` saves the row."""
    rows = event_rows(table, transition)
    LoggedEvent.objects.bulk_create([LoggedEvent(**row._asdict()) for row in rows])
    table.state = transition.after
    table.events.extend(transition.events)


class EventRow(NamedTuple):
    """The columns of an event's row, by the names of LoggedEvent; the payload is sealed."""

    table_id: int
    deal_id: int | None
    version: int
    number: int
    kind: str
    at_ms: int
    payload: bytes


def event_rows(table: TableSnapshot, transition: Transition) -> list[EventRow]:
    """Return the rows of the transition's events."""
    pk, deal_id, version = table.row.pk, table.row.deal_id, transition.after.version
    return [
        EventRow(
            pk, deal_id, version, number, event.name, table.now,
            EVENTS.seal_at(_stored(codec.dump_event(event)), pk, version, number, table.now),
        )
        for number, event in enumerate(transition.events)
    ]  # fmt: skip


def events_after(tables: Mapping[int, TableSnapshot], versions: Mapping[int, int]) -> dict[int, list[Event]]:
    """Return the events of each of the tables after its version, up to the state at hand."""
    happened: dict[int, list[Event]] = {pk: [] for pk in tables}
    rows = [(table.row, versions[pk]) for pk, table in tables.items()]
    for pk, entry in reading.since_each(rows):
        happened[pk].append(entry.event())
    return happened


def save(table: LockedTable) -> None:
    """Save the row of the table with its state and its number of players."""
    write_state(table.row, table.state)
    table.row.seated = sum(1 for seating in table.seatings.values() if seating.left_at is None)
    update_each([table.row], CHANGED)
