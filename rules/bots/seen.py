"""What a player has seen of the cards: which are unseen, and what the next player holds, wants and shuns."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Final, NamedTuple

from rules.bots.eye import Eye
from rules.bots.plans import BIT, RANK_MASKS, RUNS, Faces, Unseen
from rules.cards import HAND_SIZE, PACK, Card

#: How much less likely a player wants a card whose neighbours they have let go.
_SHUNNED: Final = 0.4


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
    """The next player: how likely they can use a card that is let go."""

    def __init__(self, eye: Eye, seen: SeenCards, unseen: Unseen) -> None:
        after = eye.next_seat()
        self._unseen = unseen
        self._share = (HAND_SIZE - len(seen.next_holds)) / max(1, unseen.total)
        self._holds = _union(seen.next_holds)
        self._shuns = _union(each["card"] for each in eye.deal["discards"] if each["card"] and each["seat"] == after)
        self._chances: dict[Faces, float] = {}

    def wants(self, card: Card) -> float:
        """Return the chance that this card would complete a meld of theirs."""
        useless = 1.0
        for rest, row in _PARTNERS[BIT[card[:-1]]]:
            low = rest & -rest
            chance = self._holding(low) * self._holding(rest ^ low)
            useless *= 1 - chance * (_SHUNNED if row & self._shuns else 1)
        return 1 - useless

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


def _partners(shown: Faces) -> list[tuple[Faces, Faces]]:
    """Return the pairs of faces that make a meld with this one, each with the faces that tell of no wish for it."""
    pairs = [(run ^ shown, run ^ shown) for run, _ in RUNS if run & shown]
    row = next((each for each in RANK_MASKS if each & shown), 0)
    others = [1 << place for place in range(row.bit_length()) if (row ^ shown) >> place & 1]
    return pairs + [(one | other, row) for one, other in combinations(others, 2)]


#: By the face of a card; empty for a printed joker, which nobody may pick.
_PARTNERS: Final = {mask: _partners(mask) if mask else [] for mask in BIT.values()}
