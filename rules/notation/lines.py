"""What an event is called in the notation: the move that it is, if it is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from rules.game import events as e
from rules.game.events import By, Event
from rules.game.moves import Pile
from rules.game.state import DealState, Standing
from rules.notation.shape import Action, MoveLine


def noted(event: Event, deal: DealState) -> MoveLine | None:
    """Return the move that this event of a deal is; `deal` is the deal after it. None for what follows from moves."""
    make = _MOVES.get(type(event))
    return make(event, deal) if make is not None else None


def _drawn(event: e.CardDrawn, deal: DealState) -> MoveLine:
    card = event.card if event.pile is Pile.OPEN else None
    return _move(event, Action.DRAW, pile=event.pile, card=card)


def _shown(event: e.ShowAccepted | e.HandSubmitted, deal: DealState) -> MoveLine:
    hand = deal.hand(event.seat)
    return _move(event, Action.SHOW, groups=hand.groups, loose=hand.loose)


def _refused(event: e.ShowRefused, deal: DealState) -> MoveLine | None:
    """Return the wrong show, unless the declarer makes it by leaving, which comes next."""
    hand = deal.hand(event.seat)
    return None if event.by is By.LEAVING else _move(event, Action.SHOW, groups=hand.groups, loose=hand.loose)


def _left(event: e.PlayerLeft, deal: DealState) -> MoveLine | None:
    """Return the leaving of a player of the deal; after a show their hand counts as it lies, so it is told."""
    if event.points is None:
        return None
    hand = deal.hand(event.seat)
    if deal.winner is None or hand.standing is not Standing.LEFT:
        return MoveLine(seat=event.seat, action=Action.LEAVE)
    return MoveLine(seat=event.seat, action=Action.LEAVE, groups=hand.groups, loose=hand.loose)


def _move(event: Any, action: Action, **what: Any) -> MoveLine:
    return MoveLine(seat=event.seat, action=action, auto=event.by is By.PLATFORM, **what)


_MOVES: Final[Mapping[type[Event], Callable[[Any, DealState], MoveLine | None]]] = {
    e.CardDrawn: _drawn,
    e.CardDiscarded: lambda event, deal: _move(event, Action.DISCARD, card=event.card),
    e.PlayerDropped: lambda event, deal: _move(event, Action.DROP),
    e.FinishPlaced: lambda event, deal: MoveLine(seat=event.seat, action=Action.FINISH, card=event.card),
    e.ShowAccepted: _shown,
    e.ShowRefused: _refused,
    e.HandSubmitted: _shown,
    e.PlayerLeft: _left,
}
