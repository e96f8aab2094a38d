"""Cards as text: a face is what a card shows ("7H", "10D", "JR"), a card is one physical card ("7H1", "JR3").

Every function takes either form. RULES.md, Cards.
"""

import sys
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import product
from typing import Final, TypeAlias

from rules.errors import BadCard

Face: TypeAlias = str
Card: TypeAlias = str

SUITS: Final = "CDHS"
NO_SUIT: Final = ""
RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
ACE: Final = 1
TEN: Final = 10
JOKER: Final[Face] = "JR"
MAX_PACKS: Final = 3
HAND_SIZE: Final = 13

TOSS_PACK: Final[tuple[Face, ...]] = tuple(rank + suit for suit, rank in product(SUITS, RANKS))
PACK: Final[tuple[Face, ...]] = (*TOSS_PACK, JOKER)


def ordered_shoe(packs: int) -> tuple[Card, ...]:
    """Return the physical cards of `packs` before any shuffle, pack after pack, the joker last in each.

    Of each card there is one text in a process: see `codec`.
    """
    return tuple(sys.intern(f"{face}{pack}") for pack in range(1, packs + 1) for face in PACK)


_FACES: Final[dict[str, Face]] = {face: face for face in PACK} | {card: card[:-1] for card in ordered_shoe(MAX_PACKS)}
_RANKS: Final[dict[str, int]] = {
    text: 0 if face == JOKER else RANKS.index(face[:-1]) + 1 for text, face in _FACES.items()
}
_SUITS: Final[dict[str, str]] = {text: NO_SUIT if face == JOKER else face[-1] for text, face in _FACES.items()}


def parse(text: str) -> Card | Face:
    """Return the text as a face or a physical card. Raises BadCard if it is neither."""
    if text not in _FACES:
        raise BadCard(text)
    return text


def face(card: Card | Face) -> Face:
    """Return the face of a card; a face is returned unchanged."""
    return _FACES[card]


def rank(card: Card | Face) -> int:
    """Return 1 for an ace, 2 for a two, … 13 for a king; 0 for a printed joker."""
    return _RANKS[card]


def suit(card: Card | Face) -> str:
    """Return one of C D H S; a printed joker has NO_SUIT."""
    return _SUITS[card]


def wild_rank(cut: Card | Face) -> int:
    """Return the rank whose cards are all wild: that of the cut joker; aces if a printed joker was cut."""
    return _RANKS[cut] or ACE


def is_joker(card: Card | Face, wild: int) -> bool:
    """Return True for a printed joker and for a wild card."""
    return _RANKS[card] in (0, wild)


def points(card: Card | Face, wild: int) -> int:
    """Return the points of one card in the hand of a loser: jokers 0, A K Q J 10, the others their face."""
    return points_by_card(wild)[card]


@cache
def points_by_card(wild: int) -> Mapping[Card | Face, int]:
    """Return the same of every card and face."""
    return {
        card: 0 if is_joker(card, wild) else TEN if value == ACE else min(value, TEN) for card, value in _RANKS.items()
    }


def total_points(cards: Iterable[Card | Face], wild: int) -> int:
    """Return the sum of these cards' points."""
    return sum(map(points_by_card(wild).__getitem__, cards))
