"""The strongest computer player: each card is weighed by the ways to a valid show that it leaves open.

What is left of a hand is worth more the likelier it is to become a whole show, and the fewer points it would cost now;
a card that the next player may take costs something. All in points, fitted to what hundreds of thousands of hands have
won in the end, and then to whole deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Final

from rules.bots.eye import Eye
from rules.bots.plans import Outlook, Unseen
from rules.bots.seen import Neighbour, seen_by, unseen_by
from rules.cards import Card, is_joker
from rules.solver.search import best

#: What a whole show is worth for each factor e of its weight, at first and more with each turn of one's own; and the
#: weight at which none is in sight.
_SHOW, _SHOW_A_TURN, _NO_SHOW = 4.0, -0.2, 1e-6
_LEAST_SHOW: Final = 0.3
#: What a point costs that a loser would pay now: at first, and more with each turn.
_POINT, _POINT_A_TURN = 0.3, 0.04
#: What it costs if the next player takes the card.
_TAKEN = 10.0
#: By how much a card from the open pile must make the hand better: the closed deck may give more, and tells nothing.
_SHOWN: Final = 8.0


def card_to_let_go(eye: Eye) -> Card:
    """Return the card without which the hand is worth most, less what it costs to give it away."""
    hand, seen = eye.me["hand"], seen_by(eye)
    unseen = unseen_by(eye, seen.cards)
    neighbour, worth = Neighbour(eye, seen, unseen), _worth_without(eye, hand, unseen)
    if eye.book.open_pile:
        worth = {card: value - _TAKEN * neighbour.takes(card) for card, value in worth.items()}
    return max(worth, key=lambda card: (worth[card], card), default=min(hand))


def wants_top(eye: Eye) -> bool:
    """Return whether the top card of the open pile makes the hand enough better."""
    top = eye.deal["open_top"]
    if top is None or is_joker(top, eye.wild) or eye.best(top).valid:
        return top is not None
    worth = _worth_without(eye, [top, *eye.me["hand"]], unseen_by(eye, seen_by(eye).cards))
    as_it_is = worth.pop(top)
    return bool(worth) and max(worth.values()) > as_it_is + _SHOWN


def _worth_without(eye: Eye, hand: Sequence[Card], unseen: Unseen) -> dict[Card, float]:
    """Return what 14 cards are worth without each that is no joker, of two alike the first."""
    outlook = Outlook(hand, eye.wild, unseen)
    worth: dict[Card, float] = {}
    turn = eye.deal["turn_number"] / max(2, sum(seat["cards"] > 0 for seat in eye.view["seats"]))
    show, point = max(_LEAST_SHOW, _SHOW + _SHOW_A_TURN * turn), _POINT + _POINT_A_TURN * turn
    for number, card in enumerate(hand):
        if is_joker(card, eye.wild) or card[:-1] in {other[:-1] for other in worth}:
            continue
        left = best(eye.book, eye.wild, [*hand[:number], *hand[number + 1 :]])
        worth[card] = show * log(outlook.without(card).show + _NO_SHOW) - point * left.points
    return worth
