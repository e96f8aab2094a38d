"""The strongest computer player: each card is weighed by the ways to a valid show that it leaves open.

What is left of a hand is worth more the likelier it is to become a whole show, and the fewer points it would cost now;
a card that the next player may take costs something. All in points, fitted to what hundreds of thousands of hands have
won in the end, and then to whole deals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import exp, log
from typing import Final

from rules.bots.eye import Eye, SeenCards, seen_by, unseen_by
from rules.bots.plans import BIT, RANK_MASKS, RUNS, Faces, Outlook, Unseen
from rules.cards import HAND_SIZE, Card, is_joker
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
#: The logarithm of the odds that a discard is taken, as found in 100,000 of them: without any sign, with each card
#: that the next player has picked and holds, with both partners of a run or of a set, if they have let go of its like,
#: and if they have declined it.
_ODDS, _ODDS_A_PICK, _ODDS_OF_A_RUN, _ODDS_OF_A_SET = -2.2, 0.2, 4.7, 1.3
_ODDS_LET_GO, _ODDS_DECLINED = 2.0, 0.85


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


class Neighbour:
    """The next player: how likely they take a card that is let go."""

    def __init__(self, eye: Eye, seen: SeenCards, unseen: Unseen) -> None:
        after, own, discards = eye.next_seat(), eye.me["seat"], eye.deal["discards"]
        self._unseen = unseen
        self._share = (HAND_SIZE - len(seen.next_holds)) / max(1, unseen.total)
        self._holds = _union(seen.next_holds)
        self._picked = len(seen.next_holds)
        self._let_go = _union(each["card"] for each in discards if each["seat"] == after)
        self._declined = _union(each["card"] for each in discards if each["seat"] == own and "picked_by" not in each)
        self._chances: dict[Faces, float] = {}

    def takes(self, card: Card) -> float:
        """Return the chance that they take this card from the open pile: the melds that it would make for them, and
        what they did with its like."""
        shown = BIT[card[:-1]]
        odds = _ODDS + _ODDS_A_PICK * self._picked
        for one, other, worth in _PARTNERS[shown]:
            odds += worth * self._holding(one) * self._holding(other)
        odds -= _ODDS_LET_GO * (shown & self._let_go > 0) + _ODDS_DECLINED * (shown & self._declined > 0)
        return 1 / (1 + exp(-odds))

    def _holding(self, shown: Faces) -> float:
        """Return the chance that they hold this face."""
        if shown & self._holds:
            return 1.0
        if shown not in self._chances:
            self._chances[shown] = 1 - (1 - self._share) ** self._unseen.copies(shown)
        return self._chances[shown]


def _union(cards: Iterable[Card | None]) -> Faces:
    faces = 0
    for card in cards:
        if card is not None:
            faces |= BIT[card[:-1]]
    return faces


def _partners(shown: Faces) -> list[tuple[Faces, Faces, float]]:
    """Return the pairs of faces that make a meld with this one, and how much each moves the odds."""
    runs = [(run ^ shown) for run, _ in RUNS if run & shown]
    row = next((each for each in RANK_MASKS if each & shown), 0)
    others = [1 << place for place in range(row.bit_length()) if (row ^ shown) >> place & 1]
    pairs = [(rest & -rest, rest & rest - 1, _ODDS_OF_A_RUN) for rest in runs]
    return pairs + [(one, other, _ODDS_OF_A_SET) for one, other in combinations(others, 2)]


#: By the face of a card; empty for a printed joker, which nobody may pick.
_PARTNERS: Final = {mask: _partners(mask) if mask else [] for mask in BIT.values()}
