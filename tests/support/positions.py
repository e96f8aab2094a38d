"""Positions of random matches."""

from functools import cache
from typing import Any

import pytest

from rules.books import BOOKS
from rules.game import events as e
from rules.game.state import TableState
from tables.simulation import run

#: Transitions of a simulated game that are looked at: they reach melding and result.
COUNT = 140


@cache
def positions(key: str, *, players: int, count: int) -> list[tuple[TableState, tuple[e.Event, ...]]]:
    """Return `count` transitions of a simulated game: the state after each, and its events."""
    transitions: list[tuple[TableState, tuple[e.Event, ...]]] = []

    class Enough(Exception):
        pass

    def take(table: Any, transition: Any) -> None:
        original(table, transition)
        transitions.append((transition.after, transition.events))
        if len(transitions) >= count:
            raise Enough

    original = run.SimulatedTable._take
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run.SimulatedTable, "_take", take)
        with pytest.raises(Enough):
            run.run(book=BOOKS[key], players=players, matches=10_000, seed=11)
    return transitions
