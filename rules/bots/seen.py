"""What a player has seen of the cards: which are unseen, and what the next player holds, wants and shuns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from math import exp
from typing import Final, NamedTuple

from rules.bots.eye import Eye
from rules.bots.plans import BIT, RANK_MASKS, RUNS, Faces, Unseen
from rules.cards import HAND_SIZE, PACK, Card

#: The logarithm of the odds that a discard is taken, as found in 100,000 of them: without any sign, with each card
#: that the next player has picked and holds, with both partners of a run or of a set, if they have let go of its like,
#: and if they have declined it.
_ODDS, _ODDS_A_PICK, _ODDS_OF_A_RUN, _ODDS_OF_A_SET = -2.2, 0.2, 4.7, 1.3
_ODDS_LET_GO, _ODDS_DECLINED = 2.0, 0.85


class SeenCards(NamedTuple):
    """The cards whose place is known, and those of them that the next player has picked and holds."""

    cards: frozenset[Card]
    next_holds: frozenset[Card]


def seen_by(eye: Eye) -> SeenCards:
    """Return what the player has seen in the deal so far."""
    lying: set[Card] = set()
    held: dict[Card, int] = {}
    for number, entry in enumerate(eye.deal["discards"]):
        card = entry["card"]
        if card is None:
            continue
        held.pop(card, None)
        if "picked_by" in entry:
            held[card] = entry["picked_by"]
        elif number >= eye.deal["reshuffled_count"]:
            lying.add(card)
    cut = eye.deal["cut_joker"]
    cards = {*eye.me["hand"], *lying, *held, *([cut] if cut else [])}
    after = eye.next_seat()
    return SeenCards(frozenset(cards), frozenset(card for card, seat in held.items() if seat == after))


def cards_gone(eye: Eye) -> Counter[str]:
    """Count by face the cards that nobody can draw any more, as far as this player has seen: each once."""
    return Counter(card[:-1] for card in seen_by(eye).cards)


def unseen_by(eye: Eye, seen: Iterable[Card]) -> Unseen:
    """Return which cards may still come, if these have been seen."""
    left = {mask: eye.packs for mask in BIT.values() if mask}
    printed, count = eye.packs, len(PACK) * eye.packs
    for card in seen:
        count -= 1
        if mask := BIT[card[:-1]]:
            left[mask] -= 1
        else:
            printed -= 1
    wild = RANK_MASKS[eye.wild - 1]
    once, twice, thrice = (sum(mask for mask, copies in left.items() if copies >= number) for number in (1, 2, 3))
    return Unseen(once, twice, thrice, printed + sum(left[mask] for mask in left if mask & wild), count)


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
