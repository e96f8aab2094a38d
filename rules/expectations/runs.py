"""The exact chance that a hand, or two hands of one deal, are dealt no run of three cards of a suit.

Hands are counted suit by suit: a polynomial in x and y has, as the coefficient of x^i y^j, the number of ways to give i
cards of the suit to one hand and j to the other so that neither has a run. The product over four suits, and over the
printed jokers, counts whole hands.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from math import comb, factorial
from typing import TypeAlias

from rules.cards import HAND_SIZE, RANKS, SUITS

Polynomial: TypeAlias = Counter[tuple[int, int]]
#: Of one hand: whether it has the ace, and how many of the ranks up to here it has in a row.
_Row: TypeAlias = tuple[bool, int]

RUN = 3
_EMPTY: _Row = (False, 0)


@cache
def chance_without_runs(packs: int) -> tuple[Fraction, Fraction]:
    """Return the chance that a hand has no run, and that two hands of one deal have none."""
    return without_runs(packs, len(RANKS), len(SUITS), HAND_SIZE)


def without_runs(packs: int, ranks: int, suits: int, size: int) -> tuple[Fraction, Fraction]:
    """Return the same for hands of `size` cards from packs of these `ranks` and `suits`, with a joker each."""
    whole = _others(packs, size)
    for _ in range(suits):
        whole = _product(whole, _suit(packs, ranks, size), size)
    cards = packs * (ranks * suits + 1)
    one = comb(cards, size)
    return Fraction(whole[size, 0], one), Fraction(whole[size, size], one * comb(cards - size, size))


def _suit(packs: int, ranks: int, size: int) -> Polynomial:
    ways: dict[tuple[_Row, _Row], Polynomial] = {(_EMPTY, _EMPTY): Counter({(0, 0): 1})}
    for place in range(ranks):
        following: dict[tuple[_Row, _Row], Polynomial] = {}
        for (one, other), terms in ways.items():
            for (i, j), often in _others(packs, size).items():
                rows = _grown(one, i > 0, place), _grown(other, j > 0, place)
                if all(length < RUN for _, length in rows):
                    _add(following.setdefault(rows, Counter()), terms, (i, j), often, size)
        ways = following
    whole: Polynomial = Counter()
    for (one, other), terms in ways.items():
        if not (_ends_high(one) or _ends_high(other)):
            whole.update(terms)
    return whole


def _grown(row: _Row, has: bool, place: int) -> _Row:
    ace, length = row
    return (has if place == 0 else ace, length + 1 if has else 0)


def _ends_high(row: _Row) -> bool:
    """Return whether the ace is the third card above two others: queen, king, ace."""
    ace, length = row
    return ace and length == RUN - 1


def _others(copies: int, size: int) -> Polynomial:
    """Return the ways to give some of these copies of a card to two hands."""
    return Counter(
        {
            (i, j): factorial(copies) // (factorial(i) * factorial(j) * factorial(copies - i - j))
            for i in range(min(copies, size) + 1)
            for j in range(min(copies - i, size) + 1)
        }
    )


def _product(one: Polynomial, other: Polynomial, size: int) -> Polynomial:
    whole: Polynomial = Counter()
    for shift, often in one.items():
        _add(whole, other, shift, often, size)
    return whole


def _add(into: Polynomial, terms: Polynomial, shift: tuple[int, int], often: int, size: int) -> None:
    for (i, j), count in terms.items():
        if i + shift[0] <= size and j + shift[1] <= size:
            into[i + shift[0], j + shift[1]] += count * often
