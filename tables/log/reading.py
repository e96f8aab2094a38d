"""The only reader of the event log, whose events are in their own rows or in packs, and of the states it leads to.

Each event is in exactly one of the two, and moves from its row into a pack in one transaction. Rows are read first, so
an event that is packed meanwhile is then found in the pack.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from itertools import groupby
from operator import or_
from typing import NamedTuple

import orjson
from django.db.models import Q, QuerySet

from rules import game
from rules.game import TableState, codec
from rules.game.events import CardsDealt, DealEnded, Event
from tables.errors import TableError
from tables.log import packs
from tables.log.sealing import EVENTS, SNAPSHOTS
from tables.models import Deal, LoggedEvent, Pack, Table

#: The number of rows, and of packs, in one query.
CHUNK, PACKS = 500, 20
ORDER = ("version", "number", "pk")


class LogEntry(NamedTuple):
    """One event of a log; its content is decrypted only when it is read."""

    deal_id: int | None
    version: int
    number: int
    at_ms: int
    kind: str
    #: Returns the event as `codec` wrote it; raises the errors of unsealing.
    content: Callable[[], bytes]

    def event(self) -> Event:
        """Return the event; any exception means that it cannot be read."""
        return codec.load_event(orjson.loads(self.content()))


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """When the cards of a deal were dealt, and when it had its result: None for one that runs, or never had one."""

    deal_id: int
    began_ms: int
    ended_ms: int | None


def of_table(table: Table) -> Iterator[LogEntry]:
    """Yield all events of the table in order, reading them in parts. BadPack if a pack is damaged."""
    last_version = -1
    while True:
        rows = _rows_after(last_version, table)
        # The rows just read may have been packed meanwhile, so that the next pack begins among them.
        found = list(Pack.objects.filter(table=table, last_version__gt=last_version).order_by("first_version")[:PACKS])
        pack = found[0] if found else None
        if pack is not None and (not rows or pack.first_version <= rows[0].version):
            for pack in found:
                if pack is not found[0] and pack.first_version != last_version + 1:
                    break
                yield from (event for event in of_pack(pack) if event.version > last_version)
                last_version = pack.last_version
            continue
        if not rows:
            return
        before = rows if pack is None else [row for row in rows if row.version < pack.first_version]
        yield from map(of_row, before)
        last_version = before[-1].version


def of_deal(deal: Deal) -> list[LogEntry]:
    """Return the events of the deal in order, including those after its end until the next deal is prepared.

    TableError `no_longer_kept` if they have been pruned.
    """
    check_kept(deal.match.table)
    return _merged(LoggedEvent.objects.filter(deal=deal), Pack.objects.filter(deal=deal))


def of_kinds(*kinds: str, table: Table, deal: Deal | None = None) -> list[LogEntry]:
    """Return the events of these kinds at the table, or in one deal of it, in order."""
    here: dict[str, object] = {"table": table} if deal is None else {"table": table, "deal": deal}
    rows = LoggedEvent.objects.filter(kind__in=kinds, **here)
    return [entry for entry in _merged(rows, Pack.objects.filter(**here)) if entry.kind in kinds]


def since(table: Table, version: int) -> list[LogEntry]:
    """Return the events of the table after that version, up to the version of the given row.

    The version must belong to the current deal, whose events are all still in their own rows.
    """
    return [entry for _, entry in since_each([(table, version)])]


def since_each(tables: Iterable[tuple[Table, int]]) -> Iterator[tuple[int, LogEntry]]:
    """Yield the events of several tables as `since` does, each with the id of its table."""
    wanted = [Q(table=table, version__gt=version, version__lte=table.version) for table, version in tables]
    rows = LoggedEvent.objects.filter(reduce(or_, wanted)) if wanted else LoggedEvent.objects.none()
    return ((row.table_id, of_row(row)) for row in rows.order_by(*ORDER))


def played_lately(table_id: int, most: int) -> list[PlayedDeal]:
    """Return the last `most` deals that were dealt at the table, oldest first, and whose events are not packed yet."""
    kinds = (CardsDealt.name, DealEnded.name)
    rows = LoggedEvent.objects.filter(table=table_id, kind__in=kinds).order_by("-version", "-number")
    began: dict[int | None, int] = {}
    ended: dict[int | None, int] = {}
    for deal_id, kind, at_ms in rows.values_list("deal_id", "kind", "at_ms")[: 2 * most]:
        (began if kind == CardsDealt.name else ended)[deal_id] = at_ms
    deals = [PlayedDeal(deal_id, at_ms, ended.get(deal_id)) for deal_id, at_ms in began.items() if deal_id is not None]
    return deals[most - 1 :: -1]


def latest(table_id: int, most: int) -> list[LogEntry]:
    """Return the last `most` events of the table, newest first."""
    entries = [of_row(row) for row in LoggedEvent.objects.filter(table=table_id).order_by("-version", "-number")[:most]]
    if len(entries) < most:
        for pack in Pack.objects.filter(table=table_id).order_by("-first_version").iterator(chunk_size=1):
            entries = sorted([*entries, *of_pack(pack)], key=_place, reverse=True)[:most]
            if len(entries) == most:
                break
    return entries


def of_row(row: LoggedEvent) -> LogEntry:
    """Return the log entry of an event in its own row."""
    return LogEntry(row.deal_id, row.version, row.number, row.at_ms, row.kind, partial(EVENTS.unseal, row))


def of_pack(pack: Pack) -> Iterator[LogEntry]:
    """Yield the events in the pack, in order. BadPack if it is damaged."""
    for line in packs.lines(pack):
        yield LogEntry(pack.deal_id, line.version, line.number, line.at_ms, line.kind, partial(bytes, line.content))


def _merged(rows: QuerySet[LoggedEvent], packed: QuerySet[Pack]) -> list[LogEntry]:
    alone = [of_row(row) for row in rows.order_by(*ORDER)]
    found = list(packed.order_by("first_version"))
    inside = [entry for pack in found for entry in of_pack(pack)]
    packed_versions = {entry.version for entry in inside}
    alone = [entry for entry in alone if entry.version not in packed_versions]
    return sorted([*inside, *alone], key=_place)


def _place(event: LogEntry) -> tuple[int, int]:
    return event.version, event.number


def _rows_after(version: int, table: Table) -> list[LoggedEvent]:
    """Return the next rows after that version, never only a part of a version."""
    rows = list(LoggedEvent.objects.filter(table=table, version__gt=version).order_by(*ORDER)[:CHUNK])
    if len(rows) < CHUNK:
        return rows
    last = rows[-1].version
    whole = [row for row in rows if row.version < last]
    return whole or list(LoggedEvent.objects.filter(table=table, version=last).order_by(*ORDER))


def check_kept(table: Table) -> None:
    """Raise TableError `no_longer_kept` if the log of the table has been pruned."""
    if table.log_pruned_at is not None:
        message = "This was played so long ago that its moves are no longer kept."
        raise TableError("no_longer_kept", message, status=410)


# --- the states that a log leads to ---


def latest_state(table: Table) -> TableState:
    """Return the state at the version of this row; all code that reads a state uses this function.

    Any exception means that the state cannot be read or belongs to another row.
    """
    if table.snapshot:
        state = codec.load_state(json.loads(SNAPSHOTS.unseal(table)))
        if state.version < table.version:
            state = game.follow(state, _transitions(since(table, state.version)))
    else:
        state = state_of(table)
    if state.version != table.version or len(state.seats) != table.seats:
        raise codec.BadRecord(f"The state is of version {state.version}, table {table.pk} of version {table.version}.")
    return state


def state_of(table: Table) -> TableState:
    """Return the state that the events of the table lead to.

    TableError `no_longer_kept` if they have been pruned; any other exception means that they cannot be read or do not
    follow from each other.
    """
    check_kept(table)
    return game.rebuild(codec.load_terms(table.terms or {}), _transitions(of_table(table)))


def _transitions(entries: Iterable[LogEntry]) -> Iterator[list[Event]]:
    for _, transition in groupby(entries, key=lambda entry: entry.version):
        yield [entry.event() for entry in transition]


def is_told_by_its_log(table: Table) -> bool:
    """Return whether the table's snapshot is exactly the state of its log; False if either cannot be read."""
    try:
        return latest_state(table) == state_of(table)
    except Exception:
        return False
