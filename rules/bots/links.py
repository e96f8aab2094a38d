"""Which cards may lie in one meld, and which would complete one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from rules.cards import ACE, RANKS, SUITS, Card, is_joker, rank, suit
from rules.melds import ACE_HIGH, ranks_apart

_NEIGHBOURS: Final = {1: 5, 2: 3}
_SAME_RANK: Final = 3


@cache
def completing(card: Card, other: Card) -> tuple[str, ...]:
    """Return the faces that complete a meld of two linked cards."""
    low, high = sorted((rank(card), rank(other)))
    if low == high:
        return tuple(f"{card[:-2]}{each}" for each in SUITS if each not in (suit(card), suit(other)))
    if low == ACE and high >= ACE_HIGH - 2:
        low, high = high, ACE_HIGH
    missing_ranks = (low + 1,) if high - low == 2 else (low - 1, high + 1)
    return tuple(f"{RANKS[(each - 1) % len(RANKS)]}{suit(card)}" for each in missing_ranks if ACE <= each <= ACE_HIGH)


def hope(card: Card, hand: Sequence[Card], wild: int) -> int:
    """Return how well a card may still meld with the rest of the hand; a second copy of any card adds nothing."""
    others = {other[:-1]: other for other in hand if other[:-1] != card[:-1] and not is_joker(other, wild)}
    return sum(linked(card, other) for other in others.values())


@cache
def linked(card: Card, other: Card) -> int:
    """Return how well two cards may lie in one meld, 0: not at all."""
    if rank(card) == rank(other):
        return _SAME_RANK
    return _NEIGHBOURS.get(ranks_apart(card, other), 0) if suit(card) == suit(other) else 0


def near(card: Card, other: Card) -> bool:
    return card[:-1] != other[:-1] and linked(card, other) > 0
