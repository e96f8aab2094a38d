"""The strongest computer player: each card is weighed by the ways to a valid show that it leaves open.

What is left of a hand is worth more the likelier it is to become a pure sequence, both lives and a whole show, and the
fewer points it would cost now; a card that the next player may want costs something. All in points, found by playing
against the others.
"""

from __future__ import annotations

from math import log
from typing import Final

from rules.bots.eye import Eye
from rules.bots.plans import BIT, RANK_MASKS, Outlook, Weights
from rules.bots.seen import Neighbour, seen_by, unseen_by
from rules.cards import Card, is_joker, points
from rules.solver.search import best

#: What a pure sequence, both lives and a whole show are worth: for each factor e of their weights, and the weight at
#: which none is in sight.
_PURE, _NO_PURE = 1.5, 0.02
_LIVES, _NO_LIVES = 1.5, 0.01
_SHOW, _NO_SHOW = 3.0, 1e-6
#: What a point costs that a loser would pay now: at first, and more with each turn of one's own.
_POINT, _POINT_A_TURN = 0.15, 0.02
#: The same of a point of the card itself, whatever lies with it.
_CARD_POINT, _CARD_POINT_A_TURN = 0.02, 0.01
#: What it costs to let the next player complete a meld.
_GIVEN = 3.0
#: How much better a card from the open pile must be than what the closed deck gives in the mean.
_SHOWN_HAND = -0.7
#: By how many points a card of the closed deck makes a hand cheaper in the mean.
_LESSENED = 3.0
#: How much better a joker is than the plans that it brings nearer.
_JOKER = 6.0
#: By the wild rank, the faces that are no jokers.
_PLAIN: Final = [
    [shown for shown in BIT.values() if shown and not (wild and shown & RANK_MASKS[wild - 1])] for wild in range(14)
]
#: So many cards, the best at first sight, are looked at closely.
_CLOSELY: Final = 5


def card_to_let_go(eye: Eye) -> Card:
    """Return the card without which the hand is worth most; the hand has a card that is no joker."""
    seen, hand = seen_by(eye), eye.me["hand"]
    unseen = unseen_by(eye, seen.cards)
    outlook, neighbour = Outlook(hand, eye.wild, unseen), Neighbour(eye, seen, unseen)
    turn = _own_turn(eye)
    card_point, point = _CARD_POINT + _CARD_POINT_A_TURN * turn, _POINT + _POINT_A_TURN * turn
    kinds = {card[:-1]: card for card in sorted(hand, reverse=True) if not is_joker(card, eye.wild)}
    at_sight = {}
    for card in kinds.values():
        given = _GIVEN * neighbour.wants(card) if eye.book.open_pile else 0
        at_sight[card] = _worth(outlook.without(card)) - given + card_point * points(card, eye.wild)
    likely = sorted(at_sight, key=lambda card: (-at_sight[card], card))[:_CLOSELY]
    if not likely:
        return min(hand)

    def closely(card: Card) -> float:
        """Return the worth with the points of the whole hand in place of those of the card."""
        left = list(hand)
        left.remove(card)
        of_card = card_point * points(card, eye.wild)
        return at_sight[card] - of_card - point * best(eye.book, eye.wild, left).points

    return max(likely, key=closely)


def wants_top(eye: Eye) -> bool:
    """Return whether the top card of the open pile is worth more than what the closed deck gives in the mean."""
    top = eye.deal["open_top"]
    if top is None or is_joker(top, eye.wild):
        return top is not None
    unseen = unseen_by(eye, seen_by(eye).cards)
    outlook = Outlook(eye.me["hand"], eye.wild, unseen)
    expected = unseen.jokers * (_worth(outlook.with_joker()) + _JOKER)
    count = unseen.jokers
    for shown in _PLAIN[eye.wild]:
        copies = unseen.copies(shown)
        expected += copies * _worth(outlook.with_face(shown)) if copies else 0
        count += copies
    point = _POINT + _POINT_A_TURN * _own_turn(eye)
    lessened = point * (eye.best().points - eye.best(top).points - _LESSENED)
    return count == 0 or _worth(outlook.with_face(BIT[top[:-1]])) + lessened > expected / count + _SHOWN_HAND


def _worth(weights: Weights) -> float:
    return (
        _PURE * log(min(1, weights.pure) + _NO_PURE)
        + _LIVES * log(min(1, weights.lives) + _NO_LIVES)
        + _SHOW * log(weights.show + _NO_SHOW)
    )


def _own_turn(eye: Eye) -> float:
    """Return how many turns of their own each player has had, nearly."""
    return eye.deal["turn_number"] / max(2, sum(seat["cards"] > 0 for seat in eye.view["seats"]))
