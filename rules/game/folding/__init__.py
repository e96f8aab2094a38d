"""What each event does to the state: the only code that makes a new state out of an old one.

The functions trust their events; whether an event may happen is decided before it is emitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules.game.events import Event
from rules.game.folding import deal, match, seats
from rules.game.folding.register import FOLDS
from rules.game.state import TableState, Terms
from rules.game.values import changed

__all__ = ["deal", "fold", "match", "rebuild", "sealed", "seats", "start"]


def start(terms: Terms) -> TableState:
    """An empty table with these terms: waiting, version 0."""
    return TableState(terms=terms, seats=(None,) * terms.seats, seen=(0,) * terms.seats)


def fold(state: TableState, event: Event) -> TableState:
    """The state after one event, the version untouched."""
    return FOLDS[type(event)](state, event)


def sealed(state: TableState, events: Iterable[Event]) -> TableState:
    """The state after a whole transition: one version further, `seen` moved on for each seat that saw something."""
    version = state.version + 1
    seen, unaware = list(state.seen), set(range(len(state.seen)))
    for event in events:
        aware = [seat for seat in unaware if event.visible(seat)]
        for seat in aware:
            seen[seat] = version
        unaware.difference_update(aware)
        if not unaware:
            break
    return changed(state, version=version, seen=tuple(seen))


def rebuild(terms: Terms, transitions: Iterable[Sequence[Event]]) -> TableState:
    """The state after these transitions, each given by its events, from an empty table."""
    state = start(terms)
    for events in transitions:
        for event in events:
            state = fold(state, event)
        state = sealed(state, events)
    return state
