"""The best arrangement of a hand: the one that costs a loser least, and a valid declaration if there is one.

Each possible first life is tried in turn; then the remaining cards are placed one by one, dearest first, each in a meld
or loose. A dict remembers the answer for every hand seen before. `packed` describes how a hand is one number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from rules.books import RuleBook, WithoutLives
from rules.cards import HAND_SIZE, Card, Face, face, is_joker, total_points
from rules.declaration import judge
from rules.errors import RulesError
from rules.melds import Kind, in_run
from rules.solver.packed import (
    DISCARD,
    END,
    FACE_DIGITS,
    FACES,
    POINTS,
    Meld,
    Packed,
    dearest,
    digits_of_rank,
    faces_of,
    fits,
    jokers_of,
    melds_of,
    pack,
    without,
)

_IMPOSSIBLE: Final = -1000


@dataclass(frozen=True, slots=True)
class Best:
    """The best arrangement; `points` and `valid` are those of `judge`, and `discard` is None for a hand of 13."""

    groups: tuple[tuple[Card | Face, ...], ...]
    loose: tuple[Card | Face, ...]
    kinds: tuple[Kind, ...]
    points: int
    valid: bool
    discard: Card | Face | None


def best(book: RuleBook, wild: int, cards: Sequence[Card | Face]) -> Best:
    """Return the arrangement of 13 cards with the fewest points, or of 14 with the best discard; rank `wild` is wild.

    Exact; a valid declaration if one exists; the very texts that were given, whose order does not matter. The first
    life stands in front. Raises RulesError for another number of cards.

    >>> from rules.books import BOOKS
    >>> threes_are_wild = 3
    >>> hand = "10S JS QS 4C 5C 6C 8D 9D 10D 2H 3H 3S 3C".split()
    >>> found = best(BOOKS["standard-points"], threes_are_wild, hand)
    >>> for kind, group in zip(found.kinds, found.groups):
    ...     print(kind.value, *group)
    pure 10S JS QS
    impure 8D 9D 10D 3C
    pure 4C 5C 6C
    impure 2H 3H 3S
    >>> found.valid
    True
    """
    if len(cards) not in (HAND_SIZE, HAND_SIZE + 1):
        raise RulesError("bad_hand", f"A hand has {HAND_SIZE} cards, or {HAND_SIZE + 1} after a draw")
    return _best(book, wild, tuple(sorted(cards)))


# Cached: a hand that waits for its turn is looked at again and again, and so is one that is played on in many ways.
@lru_cache(maxsize=1024)
def _best(book: RuleBook, wild: int, cards: tuple[Card | Face, ...]) -> Best:
    choice = _Search(book, wild, cards).choice()
    groups, loose, discard = _laid_out(book, wild, cards, choice)
    judgement = judge(book, wild, groups, loose)
    return Best(groups, loose, judgement.kinds, judgement.points, judgement.valid, discard)


_Groups: TypeAlias = tuple[tuple[Card | Face, ...], ...]


class _Choice(NamedTuple):
    """Melds and a discard, which free `worth` points; the discard is a plain face, None for a joker or none."""

    worth: int
    melds: list[Meld]
    discard: Face | None
    both_lives: bool


class _Search:
    """The choice of melds and discard that leaves one hand with the fewest points."""

    def __init__(self, book: RuleBook, wild: int, cards: Sequence[Card | Face]) -> None:
        wild_digits = digits_of_rank(wild)
        self.book = book
        self.hand = pack(cards, wild)
        self.total = total_points(cards, wild)
        self.plain = FACE_DIGITS & ~wild_digits
        # If any number of jokers may stand, a wild card in its own place matters only to the first life.
        self.needless = wild_digits if book.jokers_per_meld is None else 0
        self.firsts: list[Meld] = []
        self.options: list[list[Meld]] = [[] for _ in range(END + 1)]
        self.memo: dict[tuple[Packed, int], tuple[int, Meld | None]] = {}
        for meld in melds_of(book, wild, self.hand):
            if meld.pure:
                self.firsts.append(meld)
            if not meld.take & self.needless:
                self.options[self._place(meld.take)].append(meld)
        self.firsts.sort(key=lambda meld: (-meld.worth, meld.take))

    def _place(self, hand: Packed) -> int:
        """Return the place of the dearest plain face's digit, or END if there is none."""
        plain = hand & self.plain
        return dearest(plain) if plain else END

    def choice(self) -> _Choice:
        """Return the better of the first life alone, and both lives with all other melds."""
        alone, both = self._first_life(), self._both_lives()
        counts = self.book.without_lives is WithoutLives.COUNTS
        return both if both and (both.worth >= alone.worth or not counts) else alone

    def _first_life(self) -> _Choice:
        melds = self.firsts[:1]
        worth = sum(meld.worth for meld in melds)
        hand = self.hand - sum(meld.take for meld in melds)
        place = self._place(hand)
        if not hand & DISCARD or place == END:
            return _Choice(worth, melds, None, both_lives=False)
        return _Choice(worth + POINTS[place], melds, FACES[place], both_lives=False)

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

    def _freed(self, hand: Packed, need: int, left: int) -> int:
        """Return the most points that melds, including a life of `need` or more, and discard can free in this hand.

        `left` is the sum of its cards' points, and so the most that can be freed.
        """
        remembered = self.memo.get((hand, need))
        if remembered is not None:
            return remembered[0]
        place = self._place(hand)
        if place == END:
            return self._freed_of_jokers(hand, need)
        top, chosen = _IMPOSSIBLE, None
        for meld in self.options[place]:
            if fits(meld, hand):
                worth = meld.worth + self._freed(hand - meld.take, _still(need, meld), left - meld.worth)
                if worth > top:
                    top, chosen = worth, meld
                if worth == left:
                    break
        if top < left:
            thrown = POINTS[place] if hand & DISCARD else 0
            worth = thrown + self._freed(without(hand, place), need, left - POINTS[place])
            if worth > top:
                top, chosen = worth, None
        self.memo[hand, need] = top, chosen
        return top

    def _freed_of_jokers(self, hand: Packed, need: int) -> int:
        """Solve a hand of only jokers: they may make the missing life, and one of them may be the discard."""
        fitting = (meld for meld in self.options[END] if meld.life >= need and fits(meld, hand))
        chosen = next(fitting, None) if need else None
        jokers = hand - chosen.take if chosen else hand
        possible = (chosen or not need) and (jokers_of(jokers) or not jokers & DISCARD)
        self.memo[hand, need] = 0 if possible else _IMPOSSIBLE, chosen
        return self.memo[hand, need][0]

    def _followed(self, hand: Packed, need: int) -> tuple[list[Meld], Face | None]:
        """Return the melds and the discard that lead to the answer of `_freed`."""
        melds, discard = [], None
        while True:
            meld, place = self.memo[hand, need][1], self._place(hand)
            if meld:
                melds.append(meld)
                hand, need = hand - meld.take, _still(need, meld)
            elif place != END:
                discard = FACES[place] if hand & DISCARD else discard
                hand = without(hand, place)
            if place == END:
                return melds, discard


def _still(need: int, meld: Meld) -> int:
    """Return the life still needed once this meld is made."""
    return 0 if meld.life >= need else need


def _laid_out(
    book: RuleBook, wild: int, cards: Sequence[Card | Face], choice: _Choice
) -> tuple[_Groups, tuple[Card | Face, ...], Card | Face | None]:
    """Lay out groups, loose cards and discard with the very cards held; spare jokers join the second life."""
    hand = sorted(cards)
    groups = [[_drawn(hand, each) for each in faces_of(meld.take)] for meld in choice.melds]
    discard = _drawn(hand, choice.discard) if choice.discard else None
    jokers = [card for card in hand if is_joker(card, wild)]
    loose = [card for card in hand if not is_joker(card, wild)]
    for group, meld in zip(groups, choice.melds, strict=True):
        in_own_place = sum(is_joker(card, wild) for card in group)
        group += [jokers.pop() for _ in range(jokers_of(meld.take) - in_own_place)]
    if len(cards) > HAND_SIZE and discard is None:
        discard = jokers.pop()
    (groups[1] if choice.both_lives and not book.jokers_apart else loose).extend(jokers)
    return tuple(_in_order(tuple(group), wild) for group in groups), tuple(loose), discard


def _drawn(hand: list[Card | Face], wanted_face: Face) -> Card | Face:
    """Take a card that shows this face out of those held."""
    card = next(card for card in hand if face(card) == wanted_face)
    hand.remove(card)
    return card


# Cached: melds outlast the draws around them.
@lru_cache(maxsize=1024)
def _in_order(group: tuple[Card | Face, ...], wild: int) -> tuple[Card | Face, ...]:
    """Return the cards of a run as they stand in it; of another meld the jokers last."""
    return in_run(group, wild) or tuple(sorted(group, key=lambda card: (is_joker(card, wild), card)))
