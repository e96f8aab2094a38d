"""Where the functions that fold events are kept, and the changes they share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rules.game.events import Event
from rules.game.state import Phase, Standing, TableState
from rules.game.values import changed

E = TypeVar("E", bound=Event)
FOLDS: dict[type[Event], Callable[[TableState, Any], TableState]] = {}


def folds(kind: type[E]) -> Callable[[Callable[[TableState, E], TableState]], Callable[[TableState, E], TableState]]:
    """The decorated function makes the state after an event of this kind."""

    def register(function: Callable[[TableState, E], TableState]) -> Callable[[TableState, E], TableState]:
        FOLDS[kind] = function
        return function

    return register


def with_match(state: TableState, **changes: Any) -> TableState:
    """The same table with fields of its match changed."""
    assert state.match is not None
    return changed(state, match=changed(state.match, **changes))


def out_of_deal(state: TableState, seat: int, standing: Standing, points: int) -> TableState:
    """The player's hand is frozen, and if it was their turn it is over."""
    turn = state.current.turn
    state = state.with_hand(seat, standing=standing, points=points, auto_drop=False)
    if turn is None or turn.seat != seat:
        return state
    return changed(state.with_deal(turn=None), phase=Phase.PLAYING, clock=None)
