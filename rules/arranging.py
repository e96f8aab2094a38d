"""The best arrangement of a hand: the one that costs a loser least, and a valid declaration if there is one.

A hand is one number: a hexadecimal digit for each face says how many cards of it are left, dearest faces first,
and above them stand the number of jokers and the discard still to be made. A meld is the number it takes away:
one subtraction plays it, one mask tells whether it fits, and a hand met before is found again in a dict.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

from rules.books import RuleBook, WithoutLives
from rules.cards import ACE, HAND_SIZE, JOKER, RANKS, SUITS, Card, Face, face, is_joker, points, rank, suit
from rules.declaration import LONG_LIFE, judge
from rules.errors import RulesError
from rules.melds import LEAST, WINDOWS, Kind

_DEAREST_FIRST: Final = (ACE, *range(len(RANKS), ACE, -1))
_FACES: Final[tuple[Face, ...]] = tuple(RANKS[value - 1] + letter for value in _DEAREST_FIRST for letter in SUITS)
_UNIT: Final = {shown: 1 << 4 * place for place, shown in enumerate(_FACES)} | {JOKER: 0}
_POINTS: Final = tuple(points(shown, 0) for shown in _FACES)
_END: Final = len(_FACES)
_ONE_JOKER: Final = 1 << 4 * _END
_FACE_DIGITS: Final = _ONE_JOKER - 1
_JOKERS: Final = 0x7F * _ONE_JOKER
_DISCARD: Final = _ONE_JOKER << 8
_GUARD: Final = int("8" * _END, 16) | 0x80 * _ONE_JOKER | 8 * _DISCARD
_IMPOSSIBLE: Final = -1000

_LONGEST: Final = 5
"""Longer runs are two runs as well; where a life must be long, six cards may be needed in one."""


@dataclass(frozen=True, slots=True)
class Best:
    """`points` and `valid` are what `judge` says of these groups; `discard` is None for a hand of 13."""

    groups: tuple[tuple[Card | Face, ...], ...]
    loose: tuple[Card | Face, ...]
    kinds: tuple[Kind, ...]
    points: int
    valid: bool
    discard: Card | Face | None


def best(book: RuleBook, wild: int, cards: Sequence[Card | Face]) -> Best:
    """The arrangement of 13 cards with the fewest points, or of 14 with the best discard, when rank `wild` is wild.

    Exact; a valid declaration if one exists; the very texts that were given, whose order does not matter. The first
    life stands in front. Raises RulesError for another number of cards.
    """
    if len(cards) not in (HAND_SIZE, HAND_SIZE + 1):
        raise RulesError("bad_hand", "A hand has 13 cards, or 14 after a draw")
    choice = _Search(book, wild, cards).choice()
    groups, loose, discard = _laid_out(book, wild, cards, choice)
    judgement = judge(book, wild, groups, loose)
    return Best(groups, loose, judgement.kinds, judgement.points, judgement.valid, discard)


_Groups: TypeAlias = tuple[tuple[Card | Face, ...], ...]


class _Meld(NamedTuple):
    take: int
    """What it takes out of the hand."""
    worth: int
    """The points it frees."""
    life: int = 0
    """0: no sequence; 1: a sequence; 2: a sequence with the four cards that the book wants in one life."""
    pure: bool = False


class _Choice(NamedTuple):
    """`worth` is what melds and discard free together; the discard is a plain face, None for a joker or nothing."""

    worth: int
    melds: list[_Meld]
    discard: Face | None
    both_lives: bool


class _Search:
    """The choice of melds and discard that leaves one hand with the fewest points."""

    def __init__(self, book: RuleBook, wild: int, cards: Sequence[Card | Face]) -> None:
        jokers = sum([is_joker(card, wild) for card in cards])
        wild_digits = 0xFFFF * _UNIT[RANKS[wild - 1] + SUITS[0]]
        self.book = book
        self.hand = sum([_UNIT[face(card)] for card in cards])
        self.hand += jokers * _ONE_JOKER + (len(cards) - HAND_SIZE) * _DISCARD
        self.total = sum([points(card, wild) for card in cards])
        self.plain = _FACE_DIGITS & ~wild_digits
        # Where any number of jokers may stand, a wild card in its own place matters to the first life alone.
        self.needless = wild_digits if book.jokers_per_meld is None else 0
        self.memo: dict[tuple[int, int], tuple[int, _Meld | None]] = {}
        melds = list(_melds(book, wild, self.hand, sorted({face(card) for card in cards} - {JOKER})))
        self.firsts = sorted([meld for meld in melds if meld.pure], key=lambda meld: (-meld.worth, meld.take))
        self.options: list[list[_Meld]] = [[] for _ in range(_END + 1)]
        if self.firsts:
            for meld in melds:
                if not meld.take & self.needless:
                    self.options[self._place(meld.take)].append(meld)

    def _place(self, hand: int) -> int:
        """Where the digit of the dearest plain face stands, or the end."""
        plain = hand & self.plain
        return (plain & -plain).bit_length() - 1 >> 2 if plain else _END

    def choice(self) -> _Choice:
        """The better of the first life alone, and both lives with all other melds."""
        alone, both = self._first_life(), self._both_lives()
        counts = self.book.without_lives is WithoutLives.COUNTS
        return both if both and (both.worth >= alone.worth or not counts) else alone

    def _first_life(self) -> _Choice:
        melds = self.firsts[:1]
        worth = sum(meld.worth for meld in melds)
        hand = self.hand - sum(meld.take for meld in melds)
        place = self._place(hand)
        if not hand & _DISCARD or place == _END:
            return _Choice(worth, melds, None, both_lives=False)
        return _Choice(worth + _POINTS[place], melds, _FACES[place], both_lives=False)

    def _both_lives(self) -> _Choice | None:
        top, start = -1, None
        for first in self.firsts:
            hand = (self.hand - first.take) & ~self.needless
            need = 2 if self.book.four_card_life and first.life < 2 else 1
            worth = first.worth + self._freed(hand, need, self.total - first.worth)
            if worth > top:
                top, start = worth, (first, hand, need)
            if worth == self.total:
                break
        if start is None:
            return None
        first, hand, need = start
        melds, discard = self._followed(hand, need)
        melds.sort(key=lambda meld: -meld.life)
        return _Choice(top, [first, *melds], discard, both_lives=True)

    def _freed(self, hand: int, need: int, left: int) -> int:
        """The most points that melds and discard free of this hand, a sequence of life `need` or more among them.

        `left` is what its cards count together, and so the most there is to gain.
        """
        known = self.memo.get((hand, need))
        if known is not None:
            return known[0]
        place = self._place(hand)
        if place == _END:
            return self._freed_of_jokers(hand, need)
        top, chosen = _IMPOSSIBLE, None
        for meld in self.options[place]:
            if _fits(meld, hand):
                worth = meld.worth + self._freed(hand - meld.take, _still(need, meld), left - meld.worth)
                if worth > top:
                    top, chosen = worth, meld
                if worth == left:
                    break
        if top < left:
            thrown = _POINTS[place] if hand & _DISCARD else 0
            worth = thrown + self._freed(_without(hand, place), need, left - _POINTS[place])
            if worth > top:
                top, chosen = worth, None
        self.memo[hand, need] = top, chosen
        return top

    def _freed_of_jokers(self, hand: int, need: int) -> int:
        """Nothing plain is left: jokers alone may make the missing life, and one of them may be the discard."""
        fitting = (meld for meld in self.options[_END] if meld.life >= need and _fits(meld, hand))
        chosen = next(fitting, None) if need else None
        jokers = hand - chosen.take if chosen else hand
        possible = (chosen or not need) and (jokers & _JOKERS or not jokers & _DISCARD)
        self.memo[hand, need] = 0 if possible else _IMPOSSIBLE, chosen
        return self.memo[hand, need][0]

    def _followed(self, hand: int, need: int) -> tuple[list[_Meld], Face | None]:
        """The melds and the discard by which `_freed` came to its answer."""
        melds, discard = [], None
        while True:
            meld, place = self.memo[hand, need][1], self._place(hand)
            if meld:
                melds.append(meld)
                hand, need = hand - meld.take, _still(need, meld)
            elif place != _END:
                discard = _FACES[place] if hand & _DISCARD else discard
                hand = _without(hand, place)
            if place == _END:
                return melds, discard


def _fits(meld: _Meld, hand: int) -> bool:
    return (hand | _GUARD) - meld.take & _GUARD == _GUARD


def _still(need: int, meld: _Meld) -> int:
    """The life still needed once this meld is made."""
    return 0 if meld.life >= need else need


def _without(hand: int, place: int) -> int:
    """The hand without this card, thrown as the discard if that is still due: none to come is dearer."""
    return hand - (1 << 4 * place) - (hand & _DISCARD)


def _melds(book: RuleBook, wild: int, hand: int, faces: Sequence[Face]) -> Iterator[_Meld]:
    """The melds that this hand can make, save those that are two melds as well."""
    ranks: dict[str, int] = defaultdict(int)
    suits: dict[int, str] = defaultdict(str)
    for shown in faces:
        ranks[suit(shown)] |= 1 << rank(shown)
        suits[rank(shown)] += suit(shown)
    jokers = (hand & _JOKERS) // _ONE_JOKER
    triples = [shown for shown in faces if hand // _UNIT[shown] & 7 >= LEAST] if book.tunnela else []
    if not triples and not any(held & window == window for held in ranks.values() for window in WINDOWS[LEAST]):
        return
    for letter, held in ranks.items():
        yield from _runs(book, letter, held & ~(1 << wild), held & 1 << wild, jokers)
    for value, letters in suits.items():
        if value != wild and len(letters) > 1:
            yield from _sets(value, letters, jokers > 0)
    yield from (_tunnela(shown, wild) for shown in triples)
    if book.jokers_per_meld is None and jokers >= LEAST:
        yield _Meld(LEAST * _ONE_JOKER, 0, life=1)


def _runs(book: RuleBook, letter: str, plain: int, own: int, jokers: int) -> Iterable[_Meld]:
    """The runs that cards of one suit and of these ranks (as bits) can make, each with the fewest jokers.

    `own` is the bit of the wild rank if that card is held: it may stand in its own place.
    """
    limit = book.jokers_per_meld
    found: dict[tuple[int, int], _Meld] = {}
    for length in range(LEAST, _LONGEST + 1 + book.four_card_life):
        life = 2 if book.four_card_life and length >= LONG_LIFE else 1
        for window in WINDOWS[length]:
            ranks = window & (plain | own)
            while ranks & plain:
                standing = length - ranks.bit_count()
                uses = standing + (ranks & own > 0)
                allowed = standing <= limit if limit is not None else not (standing and ranks & own)
                if allowed and uses <= jokers:
                    take = _of_suit(letter, ranks)[0] + uses * _ONE_JOKER
                    meld = _Meld(take, _of_suit(letter, ranks & plain)[1], life, pure=not standing)
                    found[ranks, life] = min(meld, found.get((ranks, life), meld))
                ranks = (ranks - 1) & window & (plain | own)
    return found.values()


@cache
def _of_suit(letter: str, ranks: int) -> tuple[int, int]:
    """What the cards of these ranks take out of a hand, and the points they free if none is wild."""
    shown = [RANKS[value - 1] + letter for value in range(ACE, len(RANKS) + 1) if ranks >> value & 1]
    return sum(_UNIT[card] for card in shown), sum(points(card, 0) for card in shown)


@cache
def _sets(value: int, letters: str, joker: bool) -> tuple[_Meld, ...]:
    """The sets of this rank from cards of these suits; pairs if a joker may stand beside them."""
    return tuple(
        _Meld(
            sum([_UNIT[RANKS[value - 1] + letter] for letter in chosen]) + (size < LEAST) * _ONE_JOKER,
            size * points(RANKS[value - 1] + chosen[0], 0),
        )
        for size in range(LEAST - joker, len(letters) + 1)
        for chosen in combinations(letters, size)
    )


def _tunnela(shown: Face, wild: int) -> _Meld:
    joker = is_joker(shown, wild) * _ONE_JOKER
    return _Meld(LEAST * (_UNIT[shown] + joker), LEAST * points(shown, wild), life=1, pure=True)


def _laid_out(
    book: RuleBook, wild: int, cards: Sequence[Card | Face], choice: _Choice
) -> tuple[_Groups, tuple[Card | Face, ...], Card | Face | None]:
    """Groups, loose cards and discard, with the very cards of the hand; jokers nobody needs join the second life."""
    held = sorted(cards)
    groups = [[_drawn(held, shown) for shown in _faces(meld.take)] for meld in choice.melds]
    discard = _drawn(held, choice.discard) if choice.discard else None
    jokers = [card for card in held if is_joker(card, wild)]
    loose = [card for card in held if not is_joker(card, wild)]
    for group, meld in zip(groups, choice.melds, strict=True):
        in_own_place = sum(is_joker(card, wild) for card in group)
        group += [jokers.pop() for _ in range((meld.take & _JOKERS) // _ONE_JOKER - in_own_place)]
    if len(cards) > HAND_SIZE and discard is None:
        discard = jokers.pop()
    (groups[1] if choice.both_lives and not book.jokers_apart else loose).extend(jokers)
    return tuple(_in_order(group, wild) for group in groups), tuple(loose), discard


def _faces(take: int) -> list[Face]:
    return [shown for shown in _FACES for _ in range(take // _UNIT[shown] & 7)]


def _drawn(held: list[Card | Face], shown: Face) -> Card | Face:
    """A card that shows this face, taken out of those held."""
    card = next(card for card in held if face(card) == shown)
    held.remove(card)
    return card


def _in_order(group: Sequence[Card | Face], wild: int) -> tuple[Card | Face, ...]:
    """The cards of a run as they stand in it, jokers in the gaps; of another meld the jokers last."""
    plain = {rank(card): card for card in group if not is_joker(card, wild)}
    rest = sorted(group, key=lambda card: (is_joker(card, wild), card))
    suits = {suit(card) for card in plain.values()}
    if len(suits) != 1 or len(plain) < sum(not is_joker(card, wild) for card in group):
        return tuple(rest)
    own = {rank(card): card for card in group if suit(card) in suits}
    rows = [[(place - 1) % 13 + 1 for place in range(start, start + len(group))] for start in range(1, 16 - len(group))]
    row = max((row for row in rows if plain.keys() <= set(row)), key=lambda row: (len(own.keys() & row), row[0]))
    for place in own.keys() & row:
        rest.remove(own[place])
    return tuple(own[place] if place in own else rest.pop() for place in row)
