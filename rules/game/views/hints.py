"""Hints for players in their first deal: what they may do now, why, and the cards that are meant.

They are made of the player's own hand and the solver's best arrangement of it, so they tell of no hidden card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from rules.cards import HAND_SIZE, Card, is_joker, points_by_card, rank, suit
from rules.game.legality import legal_moves
from rules.game.results import Groups
from rules.game.state import Hand, TableState
from rules.melds import Kind
from rules.solver.search import Best, best
from rules.text import message


class Lesson(NamedTuple):
    """What to do now, in few words, and why, with the words of the game explained."""

    text: str
    why: str


FIRST_DRAW = Lesson(
    message("Take a card."),
    message(
        "The closed deck always gives one; the open card is worth it only where it completes a group of yours. Cards "
        "with the joker’s mark are wild: they may stand for any other card. To drop gives the deal up for few points: "
        "only for a hopeless hand."
    ),
)
DRAW = Lesson(
    message("Take a card."),
    message("The closed deck always gives one; take the open card only where it completes a group of yours."),
)
PURE_FIRST = Lesson(
    message("Tap the lifted card, and press Discard."),
    message(
        "First of all you need a pure sequence: three or more of one suit in a row, without a joker. Keep neighbours; "
        "the lifted card helps least."
    ),
)
PURE = Lesson(
    message("The lifted cards are a pure sequence."),
    message(
        "That is one suit in a row, without a joker. You need one more sequence, with a joker or without, and every "
        "card in a group. “Show me” lays what you have; then discard a card that is left over."
    ),
)
LET_GO = Lesson(
    message("Tap the lifted card, and press Discard."),
    message(
        "Your groups lie as well as they can. You need two sequences, one of them pure, and every card in a group. The "
        "lifted card helps least."
    ),
)
SHOW = Lesson(
    message("Your hand is complete."),
    message(
        "Every card but one fits into a group. “Show me” lays it; then put the card that is left over into the finish "
        "slot."
    ),
)
FINISH = Lesson(
    message("Tap the lifted card, and press Finish."),
    message("Your hand is complete, and lies as it must: with the lifted card in the finish slot you show it."),
)


@dataclass(frozen=True, slots=True)
class Hint:
    """A lesson, the `cards` that it speaks of, and the `groups` to be laid; no groups where they lie already."""

    lesson: Lesson
    cards: tuple[Card, ...] = ()
    groups: Groups = ()


def is_guided(state: TableState, hand: Hand) -> bool:
    """Return whether this is a deal with hints at a guided table: the first one, while the player has cards."""
    return state.deals <= 1 and bool(hand.cards)


def hint_for(state: TableState, seat: int, hand: Hand) -> Hint | None:
    """Return a hint for the player in `seat`; None after the first deal of a table, and while others play."""
    if not is_guided(state, hand):
        return None
    moves = legal_moves(state, seat)
    if "draw" in moves:
        return Hint(FIRST_DRAW if hand.draws == 0 else DRAW)
    return _after_the_draw(hand, _best(state, hand), state.current.wild) if "discard" in moves else None


def _after_the_draw(hand: Hand, arrangement: Best, wild: int) -> Hint:
    lies = {frozenset(group) for group in hand.groups} == {frozenset(group) for group in arrangement.groups}
    if arrangement.valid:
        left_over = (arrangement.discard,) if arrangement.discard is not None else ()
        return Hint(FINISH, left_over) if lies else Hint(SHOW, left_over, arrangement.groups)
    if Kind.PURE not in arrangement.kinds:
        return Hint(PURE_FIRST, _least(hand, arrangement, wild))
    if lies:
        return Hint(LET_GO, _least(hand, arrangement, wild))
    return Hint(PURE, arrangement.groups[arrangement.kinds.index(Kind.PURE)], arrangement.groups)


def _least(hand: Hand, arrangement: Best, wild: int) -> tuple[Card, ...]:
    """Return the dearest card in no group that has no neighbour, else the solver's discard."""
    grouped = {card for group in arrangement.groups for card in group}
    plain = [card for card in hand.cards if not is_joker(card, wild)]
    alone = [card for card in plain if card not in grouped and not any(_near(card, other) for other in plain)]
    points = points_by_card(wild)
    return (max(alone, key=points.__getitem__, default=arrangement.discard or plain[0]),)


def _near(card: Card, other: Card) -> bool:
    """Return whether the two may become parts of one pure sequence with one more card; an ace is low or high."""
    if card == other or suit(card) != suit(other):
        return False
    ranks = [{rank(each), rank(each) + 13} if rank(each) == 1 else {rank(each)} for each in (card, other)]
    return any(0 < abs(one - two) <= 2 for one in ranks[0] for two in ranks[1])


def _best(state: TableState, hand: Hand) -> Best:
    assert len(hand.cards) == HAND_SIZE + 1, "who may discard has drawn"
    return best(state.book, state.current.wild, hand.cards)
