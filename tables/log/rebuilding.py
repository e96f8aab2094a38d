"""Rebuilding the state of a table: from its snapshot and the events after it, or from its log alone."""

import json
from collections.abc import Iterable, Iterator
from itertools import groupby

from rules import game
from rules.game import TableState, codec
from rules.game.events import Event
from tables.log import reading
from tables.log.reading import LogEntry
from tables.log.sealing import SNAPSHOTS
from tables.models import Table


def latest_state(table: Table) -> TableState:
    """Return the state at the version of this row; all code that reads a state uses this function.

    Any exception means that the state cannot be read or belongs to another row.
    """
    if table.snapshot:
        state = codec.load_state(json.loads(SNAPSHOTS.unseal(table)))
        if state.version < table.version:
            state = game.follow(state, _transitions(reading.since(table, state.version)))
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
    reading.check_kept(table)
    return game.rebuild(codec.load_terms(table.terms or {}), _transitions(reading.of_table(table)))


def _transitions(entries: Iterable[LogEntry]) -> Iterator[list[Event]]:
    for _, transition in groupby(entries, key=lambda entry: entry.version):
        yield [entry.event() for entry in transition]


def is_told_by_its_log(table: Table) -> bool:
    """Return whether the table's snapshot is exactly the state of its log; False if either cannot be read."""
    try:
        return latest_state(table) == state_of(table)
    except Exception:
        return False
