"""The log of a table: its transitions, each the events of one move, from which every state is rebuilt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules.game.events import Event
from rules.game.state import TableState, Terms
from rules.game.values import replace


def start(terms: Terms) -> TableState:
    """Return an empty table with these terms: waiting, version 0."""
    return TableState(terms=terms, seats=(None,) * terms.seats, view_version=(0,) * terms.seats)


def commit_version(state: TableState, events: Iterable[Event]) -> TableState:
    """Return the state after a whole transition: one version further, and the view of each seat that saw it."""
    version = state.version + 1
    versions, unaware = list(state.view_version), set(range(len(state.seats)))
    for event in events:
        aware = [seat for seat in unaware if event.visible(seat)]
        for seat in aware:
            versions[seat] = version
        unaware.difference_update(aware)
        if not unaware:
            break
    return replace(state, version=version, view_version=tuple(versions))


def rebuild(terms: Terms, transitions: Iterable[Sequence[Event]]) -> TableState:
    """Return the state after these transitions, each given by its events, from an empty table."""
    state = start(terms)
    for events in transitions:
        for event in events:
            state = event.fold(state)
        state = commit_version(state, events)
    return state
