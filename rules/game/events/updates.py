"""Functions that return the same table with one part changed, used by the folds of the events."""

from __future__ import annotations

from typing import Any

from rules.cards import Card
from rules.game.results import Groups
from rules.game.state import DealState, Hand, Phase, Seat, Standing, TableState
from rules.game.values import replace


def assign_seat(state: TableState, seat: int, holder: Seat | None) -> TableState:
    """Return the same table with `holder` in `seat`, or with the seat free."""
    return replace(state, seats=(*state.seats[:seat], holder, *state.seats[seat + 1 :]))


def with_seat(state: TableState, seat: int, **changes: Any) -> TableState:
    """Return the same table with fields of one taken seat changed."""
    return assign_seat(state, seat, replace(state.seat(seat), **changes))


def with_match(state: TableState, **changes: Any) -> TableState:
    """Return the same table with fields of its match changed."""
    assert state.match is not None, "no match is on"
    return replace(state, match=replace(state.match, **changes))


def with_deal(state: TableState, **changes: Any) -> TableState:
    """Return the same table with fields of its deal changed."""
    return replace(state, deal=replace(state.current, **changes))


def with_hand(state: TableState, seat: int, **changes: Any) -> TableState:
    """Return the same table with fields of one hand changed."""
    return with_deal(state, hands=hands_with(state.current, seat, **changes))


def hands_with(deal: DealState, seat: int, **changes: Any) -> tuple[Hand | None, ...]:
    """Return all hands of the deal, with fields of one of them changed."""
    return (*deal.hands[:seat], replace(deal.hand(seat), **changes), *deal.hands[seat + 1 :])


def hands_less(deal: DealState, seat: int, card: Card) -> tuple[Hand | None, ...]:
    """Return all hands of the deal after `card` has gone out of one of them."""
    hand = deal.hand(seat)
    return hands_with(deal, seat, cards=_less(hand.cards, card), groups=_without(hand.groups, card))


def out_of_deal(state: TableState, seat: int, standing: Standing, points: int) -> TableState:
    """Freeze the player's hand; if it was their turn, it is over."""
    turn = state.current.turn
    state = with_hand(state, seat, standing=standing, points=points, auto_drop=False)
    if turn is None or turn.seat != seat:
        return state
    return replace(with_deal(state, turn=None), phase=Phase.PLAYING, clock=None)


def _without(groups: Groups, card: Card) -> Groups:
    """Return the groups after a card has left them; an emptied group is gone."""
    groups_left = [_less(group, card) if card in group else group for group in groups]
    return tuple([group for group in groups_left if group])


def _less(cards: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    return tuple([other for other in cards if other != card])
