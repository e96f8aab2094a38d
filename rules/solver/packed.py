"""Hands and melds as numbers, so that a search can play thousands of melds in a millisecond.

A hand is one number: a hexadecimal digit for each face counts the cards left of it, dearest faces first, and above
them are the number of jokers and the discard still due. A meld is the number that it subtracts from a hand: one
subtraction plays it, one mask checks whether it fits. A wild card counts in its digit and among the jokers.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

from rules.books import RuleBook
from rules.cards import ACE, HAND_SIZE, JOKER, RANKS, SUITS, Card, Face, face, is_joker, points, rank, suit
from rules.declaration import LONG_LIFE
from rules.melds import LEAST, WINDOWS

Packed: TypeAlias = int

_DEAREST_FIRST: Final = (ACE, *range(len(RANKS), ACE, -1))
FACES: Final[tuple[Face, ...]] = tuple(RANKS[value - 1] + letter for value in _DEAREST_FIRST for letter in SUITS)
POINTS: Final = tuple(points(shown, wild=0) for shown in FACES)
#: The place behind the last face.
END: Final = len(FACES)

_UNIT: Final = {shown: 1 << 4 * place for place, shown in enumerate(FACES)} | {JOKER: 0}
_ONE_JOKER: Final = 1 << 4 * END
FACE_DIGITS: Final[Packed] = _ONE_JOKER - 1
_JOKERS: Final = 0x7F * _ONE_JOKER
DISCARD: Final[Packed] = _ONE_JOKER << 8
#: The highest bit of each digit: what is taken away leaves all of them only if every digit has enough.
_GUARD_BITS: Final = int("8" * END, 16) | 0x80 * _ONE_JOKER | 8 * DISCARD

#: Longer runs are two runs as well; where a life must be long, six cards may be needed in one.
_LONGEST: Final = 5


class Meld(NamedTuple):
    #: What it takes out of the hand.
    take: Packed
    #: The points it frees.
    worth: int
    #: 0: no sequence; 1: a sequence; 2: a sequence with the four cards that the book wants in one life.
    life: int = 0
    pure: bool = False


def pack(cards: Sequence[Card | Face], wild: int) -> Packed:
    """Return the hand of these cards; with 14 a discard is due."""
    jokers = sum([is_joker(card, wild) for card in cards])
    return sum([_UNIT[face(card)] for card in cards]) + jokers * _ONE_JOKER + (len(cards) - HAND_SIZE) * DISCARD


def digits_of_rank(value: int) -> Packed:
    """Return all bits of the four faces of a rank."""
    return 0xFFFF * _UNIT[RANKS[value - 1] + SUITS[0]]


def fits(meld: Meld, hand: Packed) -> bool:
    """Return whether the hand has all cards of the meld."""
    return (hand | _GUARD_BITS) - meld.take & _GUARD_BITS == _GUARD_BITS


def without(hand: Packed, place: int) -> Packed:
    """Return the hand less one card of this face, which is the discard if one is still due."""
    return hand - (1 << 4 * place) - (hand & DISCARD)


def dearest(hand: Packed) -> int:
    """Return the place of the dearest face in a hand that holds one."""
    return (hand & -hand).bit_length() - 1 >> 2


def faces_of(hand: Packed) -> list[Face]:
    """Return the faces in a hand or a meld with repeats, without printed jokers."""
    faces, left = [], hand & FACE_DIGITS
    while left:
        place = dearest(left)
        faces.append(FACES[place])
        left -= 1 << 4 * place
    return faces


def jokers_of(hand: Packed) -> int:
    """Return the number of jokers in a hand or a meld, including wild cards in their own place."""
    return (hand & _JOKERS) // _ONE_JOKER


def melds_of(book: RuleBook, wild: int, hand: Packed) -> Iterator[Meld]:
    """Return the melds that this hand can make, except those that could be two; none without a pure sequence."""
    faces = faces_of(hand)
    ranks: dict[str, int] = defaultdict(int)
    suits: dict[int, str] = defaultdict(str)
    for each in dict.fromkeys(faces):
        ranks[suit(each)] |= 1 << rank(each)
        suits[rank(each)] += suit(each)
    jokers = jokers_of(hand)
    triples = sorted({each for each in faces if faces.count(each) >= LEAST}) if book.tunnela else []
    if not triples and not any(
        ranks_held & window == window for ranks_held in ranks.values() for window in WINDOWS[LEAST]
    ):
        return
    limit, long = book.jokers_per_meld, book.four_card_life
    for letter, ranks_held in ranks.items():
        yield from _runs(limit, long, letter, ranks_held & ~(1 << wild), ranks_held & 1 << wild, jokers)
    for value, letters in suits.items():
        if value != wild and len(letters) > 1:
            yield from _sets(value, letters, jokers > 0)
    yield from (_tunnela(each, wild) for each in triples)
    if book.jokers_per_meld is None and jokers >= LEAST:
        yield Meld(LEAST * _ONE_JOKER, 0, life=1)


# Cached: a draw and a discard leave two suits or three of a hand as they were.
@lru_cache(maxsize=2048)
def _runs(limit: int | None, long: bool, letter: str, plain: int, own: int, jokers: int) -> tuple[Meld, ...]:
    """Return the runs that cards of one suit and of these ranks (as bits) can make, each with the fewest jokers.

    `limit` and `long` are the book's `jokers_per_meld` and `four_card_life`. `own` is the bit of the wild rank if that
    card is held: it may stand in its own place.
    """
    melds: dict[tuple[int, int], Meld] = {}
    for length in range(LEAST, _LONGEST + 1 + long):
        life = 2 if long and length >= LONG_LIFE else 1
        for window in WINDOWS[length]:
            for ranks in _parts(window & plain, window & own):
                standing, in_own_place = length - ranks.bit_count(), ranks & own > 0
                uses = standing + in_own_place
                allowed = standing <= limit if limit is not None else not (standing and in_own_place)
                if allowed and uses <= jokers:
                    take = _of_suit(letter, ranks)[0] + uses * _ONE_JOKER
                    meld = Meld(take, _of_suit(letter, ranks & plain)[1], life, pure=not standing)
                    melds[ranks, life] = min(meld, melds.get((ranks, life), meld))
    return tuple(melds.values())


def _parts(plain: int, own: int) -> Iterator[int]:
    """Yield every non-empty choice of these plain ranks, each without and, if it is held, with the wild rank."""
    ranks = plain
    while ranks:
        yield ranks
        if own:
            yield ranks | own
        ranks = (ranks - 1) & plain


@cache
def _of_suit(letter: str, ranks: int) -> tuple[int, int]:
    """Return the packed cards of these ranks, and the points that they free if none is wild."""
    faces = [RANKS[value - 1] + letter for value in range(ACE, len(RANKS) + 1) if ranks >> value & 1]
    return sum(_UNIT[card] for card in faces), sum(points(card, 0) for card in faces)


@cache
def _sets(value: int, letters: str, joker: bool) -> tuple[Meld, ...]:
    """Return the sets of this rank from cards of these suits; pairs if a joker may stand beside them."""
    return tuple(
        Meld(
            sum([_UNIT[RANKS[value - 1] + letter] for letter in chosen]) + (size < LEAST) * _ONE_JOKER,
            size * points(RANKS[value - 1] + chosen[0], 0),
        )
        for size in range(LEAST - joker, len(letters) + 1)
        for chosen in combinations(letters, size)
    )


def _tunnela(tripled: Face, wild: int) -> Meld:
    joker = is_joker(tripled, wild) * _ONE_JOKER
    return Meld(LEAST * (_UNIT[tripled] + joker), LEAST * points(tripled, wild), life=1, pure=True)
