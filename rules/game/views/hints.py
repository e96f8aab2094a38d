"""Hints for players in their first deal: one sentence about a move that they may make now, and why."""

from __future__ import annotations

from rules.cards import HAND_SIZE
from rules.game.legality import legal_moves
from rules.game.state import Hand, TableState
from rules.melds import Kind
from rules.said import say
from rules.solver.search import Best, best

DRAW = say(
    "Your turn: take a card. The closed deck always gives one; take the open card only where it completes a group "
    "of yours."
)
PURE_FIRST = say(
    "First of all you need a pure sequence: three or more of one suit in a row, without a joker. Keep neighbours, and "
    "let a high card go that stands alone."
)
LET_GO = say(
    "You have a pure sequence. One more sequence, with a joker or without, and every card in a group: then you may "
    "show. Let go the card that helps least."
)
SHOW = say(
    "Your hand is complete: all but one card fit into groups. Sort it, put the card that is left over into the finish "
    "slot, and show."
)


def hint_for(state: TableState, seat: int, hand: Hand) -> str | None:
    """Return a hint for the player in `seat`; None after the first deal of a table, and while others play."""
    if state.deals > 1 or not hand.cards:
        return None
    moves = legal_moves(state, seat)
    if "draw" in moves:
        return DRAW
    if "discard" not in moves:
        return None
    arrangement = _best(state, hand)
    if arrangement.valid:
        return SHOW
    return LET_GO if Kind.PURE in arrangement.kinds else PURE_FIRST


def _best(state: TableState, hand: Hand) -> Best:
    assert len(hand.cards) == HAND_SIZE + 1, "who may discard has drawn"
    return best(state.book, state.current.wild, hand.cards)
