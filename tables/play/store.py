"""The one place that reads and writes the state of a table."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import connection

from rules.game import TableState, Transition, codec
from rules.game.events import Event
from tables.errors import FROZEN, TableError
from tables.log import reading, rebuilding
from tables.log.sealing import EVENTS, SNAPSHOTS
from tables.models import Deal, LoggedEvent, Seating, Table
from tables.play import lanes
from wallet.base.among import among
from wallet.base.only import only
from wallet.language import worded

#: How the fault of a table begins that staff have frozen, and no fault of ours.
STOPPED_BY = "Stopped by"


@dataclass(slots=True)
class LockedTable:
    """A table under its row lock for the rest of the transaction, and all that a change needs to know of it."""

    row: Table
    #: The state when the lock was granted, and the state now.
    before: TableState
    state: TableState
    #: Milliseconds since 1970 UTC by the clock of the database, read after the lock was granted.
    now: int
    #: Who holds or held each seat that is not free again.
    seatings: dict[int, Seating]
    #: What happened in this transaction so far.
    events: list[Event] = field(default_factory=list)
    #: Who held the seats of the deal whose result is shown: a seat may have a new holder by now.
    names: dict[int, str] = field(default_factory=dict)
    #: The parts of its views that were encoded last, by place, each beside what it rests on: see `frames`.
    encoded: dict[object, tuple[Any, Any]] = field(default_factory=dict)
    #: Seatings whose columns of who is there have changed, and are not written yet: see `write_presence`.
    came_and_went: dict[int, Seating] = field(default_factory=dict)


def now_ms() -> int:
    """Read the clock of the database, in ms since 1970 UTC: the only clock that deadlines are compared with."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        else:
            cursor.execute("SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)")
        return int(cursor.fetchone()[0])


def version(table_id: int) -> int:
    """Return the version of the table now; 0 where there is no such table."""
    return next(iter(Table.objects.filter(pk=table_id).values_list("version", flat=True)), 0)


def standing(table_id: int) -> tuple[int, int]:
    """Return the clock of the database, in ms, and the version of the table."""
    return now_ms(), version(table_id)


def lock_free_tables(table_ids: Collection[int], known: Mapping[int, LockedTable]) -> dict[int, LockedTable]:
    """Lock those of the tables that nobody else holds and that are not frozen, in the order of their ids.

    It takes four statements for any number of them. The state of one that is `known` as its row says is not read again.
    """
    free = Table.objects.select_for_update(skip_locked=True).exclude(status=Table.Status.FROZEN)
    rows = {row.pk: row for row in free.filter(among("pk", table_ids)).order_by("pk")}
    deals = Deal.objects.select_related("match").in_bulk([row.deal_id for row in rows.values() if row.deal_id])
    seatings: dict[int, dict[int, Seating]] = {pk: {} for pk in rows}
    for seating in Seating.objects.filter(among("table_id", rows), freed_at=None).select_related("user"):
        seatings[seating.table_id][seating.seat] = seating
    now, tables = now_ms(), {}
    for pk, row in rows.items():
        if row.deal_id is not None:
            row.deal = deals[row.deal_id]
        same = known[pk] if pk in known and known[pk].state.version == row.version else None
        state = read_state(row) if same is None else same.state
        tables[pk] = LockedTable(row=row, before=state, state=state, now=now, seatings=seatings[pk])
        if same is not None:
            tables[pk].encoded = same.encoded
    return tables


def lock_table(table_id: int, *, skip_locked: bool = False, frozen: bool = False) -> LockedTable:
    """Lock the table and return it; call inside a transaction. This lock comes before any other, the wallet's included.

    TableError `not_found`; `frozen`, unless `frozen` allows such a table; with `skip_locked`, or for
    who comes again by themselves (`lanes`), also `busy`, where another process holds it.
    """
    skip_locked = skip_locked or lanes.is_impatient()
    row = only(Table.objects.select_for_update(skip_locked=skip_locked).filter(pk=table_id))
    if row is None and skip_locked and Table.objects.filter(pk=table_id).exists():
        raise TableError("busy", worded("The table is being changed at this moment."))
    if row is not None and row.status == Table.Status.FROZEN and not frozen:
        raise TableError("frozen", FROZEN)
    if row is not None:
        fetch_deal(row)
    return _with_state(row)


def fetch_deal(row: Table) -> None:
    """Fetch the deal and the match of the locked row, as they are now.

    They are asked for only once the lock is held. In a join PostgreSQL answers with the row as it is after the wait
    for the lock, and beside it the deal of before: another one, or none.
    """
    if row.deal_id is not None:
        row.deal = Deal.objects.select_related("match").get(pk=row.deal_id)


def look(table_id: int) -> LockedTable:
    """Return the table as it stands, without a lock: to show it, never to change it. TableError `not_found`."""
    return _with_state(only(Table.objects.select_related("deal__match").filter(pk=table_id)))


def _with_state(row: Table | None) -> LockedTable:
    if row is None:
        raise TableError("not_found", worded("There is no such table."), status=404)
    state = read_state(row)
    return LockedTable(row=row, before=state, state=state, now=now_ms(), seatings=current_seatings(row.pk))


def read_state(row: Table) -> TableState:
    """Return the state of the table. Whatever it raises says that it cannot be read, or is not this row's."""
    return rebuilding.latest_state(row)


def write_state(row: Table, state: TableState, *, snapshot_after: int = 0) -> None:
    """Put the state and the columns that mirror it on the row, unsaved.

    With `snapshot_after` a new snapshot is taken only once that of the row is so many versions old.
    """
    row.version = state.version
    row.former_snapshot = b""
    if not (snapshot_after and row.snapshot) or row.version - row.snapshot_version >= snapshot_after:
        row.snapshot_version = row.version
        row.snapshot = SNAPSHOTS.seal(row, codec.canonical(codec.dump_state(state)))
    row.phase = state.phase.value
    row.deadline_ms = state.clock.deadline if state.clock else None


def current_seatings(table_id: int) -> dict[int, Seating]:
    """Return who holds each seat of the table that is not free."""
    found = Seating.objects.filter(table_id=table_id, freed_at=None).select_related("user")
    return {seating.seat: seating for seating in found}


def write_presence(tables: Collection[LockedTable]) -> None:
    """Write which sockets play the seats of these tables, where that has changed: one statement's work for all."""
    changed = [each for table in tables for each in table.came_and_went.values()]
    if changed:
        sql = "UPDATE tables_seating SET connection = %s, joined = %s, joins = %s, seen_ms = %s WHERE id = %s"
        rows = [(each.connection, each.joined, each.joins, each.seen_ms, each.pk) for each in _in_order(changed)]
        with connection.cursor() as cursor:
            cursor.executemany(sql, rows)
    for table in tables:
        table.came_and_went.clear()


def _in_order(seatings: Iterable[Seating]) -> list[Seating]:
    return sorted(seatings, key=lambda seating: seating.pk)


def append(table: LockedTable, transition: Transition, deal: Deal | None) -> None:
    """Store the transition's events, and make its state the table's; `save` saves the row."""
    rows = event_rows(table, transition, deal)
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


def event_rows(table: LockedTable, transition: Transition, deal: Deal | None) -> list[EventRow]:
    """Return the rows of the transition's events."""
    pk, version = table.row.pk, transition.after.version
    deal_id = deal.pk if deal is not None else None
    return [
        EventRow(
            pk, deal_id, version, number, event.name, table.now,
            EVENTS.seal_at(codec.canonical(codec.dump_event(event)), pk, version, number),
        )
        for number, event in enumerate(transition.events)
    ]  # fmt: skip


def events_after(table: LockedTable, version: int) -> list[Event]:
    """Return what happened at the table after that version, up to the state at hand."""
    return [entry.event() for entry in reading.since(table.row, version)]


def read_event(row: LoggedEvent) -> Event:
    """Return the event in the row."""
    return codec.load_event(json.loads(EVENTS.unseal(row)))


def save(table: LockedTable) -> None:
    """Make the row of the table agree with the state."""
    write_state(table.row, table.state)
    table.row.seated = sum(1 for seating in table.seatings.values() if seating.left_at is None)
    table.row.save()
