"""Exact laws of first hands and tosses, when every order of the shoe is equally likely. Nothing here is simulated.

A law is that of a sum over `hands` of one deal: these are dealt from one shoe, so they are not independent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb, factorial
from typing import Final, TypeAlias

from rules.cards import HAND_SIZE, PACK, RANKS, SUITS, points, rank

#: How likely each number is.
Spread: TypeAlias = Mapping[int, Fraction]
#: The coefficient of x^i y^j is the number of ways to give i cards to one hand and j to the other.
Polynomial: TypeAlias = Counter[tuple[int, int]]
#: Of one hand: whether it has the ace, and how many of the ranks up to here it has in a row.
_Row: TypeAlias = tuple[bool, int]

#: So many cards of a suit make a run.
RUN: Final = 3
_EMPTY: _Row = (False, 0)


@dataclass(frozen=True, slots=True)
class Law:
    """Mean, variance and third central moment of a sum; `third` is 0 where the sum is as good as symmetric."""

    mean: Fraction
    variance: Fraction
    third: Fraction = Fraction(0)

    def __add__(self, other: Law) -> Law:
        """Return the law of the sum of two that do not depend on each other."""
        return Law(self.mean + other.mean, self.variance + other.variance, self.third + other.third)

    def times(self, count: int) -> Law:
        """Return the law of the sum of `count` that do not depend on each other."""
        return Law(self.mean * count, self.variance * count, self.third * count)


NOTHING: Final = Law(Fraction(0), Fraction(0))


def law_of(spread: Spread) -> Law:
    """Return the moments of these numbers."""
    mean = sum((number * chance for number, chance in spread.items()), Fraction(0))
    second, third = (
        sum(((number - mean) ** power * chance for number, chance in spread.items()), Fraction(0)) for power in (2, 3)
    )
    return Law(mean, second, third)


def hypergeometric(cards: int, marked: int, taken: int) -> dict[int, Fraction]:
    """Return how likely each number of `marked` cards is among the `taken` (hypergeometric)."""
    least, most = max(0, taken - (cards - marked)), min(marked, taken)
    ways = comb(cards, taken)
    return {k: Fraction(comb(marked, k) * comb(cards - marked, taken - k), ways) for k in range(least, most + 1)}


@cache
def printed_jokers(packs: int, hands: int = 1) -> Spread:
    """Return how likely each number of printed jokers is."""
    return hypergeometric(len(PACK) * packs, packs, HAND_SIZE * hands)


@cache
def wild_cards(packs: int, hands: int = 1) -> Spread:
    """Return how likely each number of cards of the wild rank is, printed jokers not counted.

    The cut joker itself is in no hand. Where it is a printed one, all aces are wild (RULES.md, Words).
    """
    cards, wild = len(PACK) * packs, len(SUITS) * packs
    after_rank = hypergeometric(cards - 1, wild - 1, HAND_SIZE * hands)
    after_joker = hypergeometric(cards - 1, wild, HAND_SIZE * hands)
    joker = Fraction(1, len(PACK))
    return {k: (1 - joker) * after_rank.get(k, Fraction(0)) + joker * chance for k, chance in after_joker.items()}


@cache
def points_as_dealt(packs: int, hands: int = 1) -> Law:
    """Return mean and variance of the points of all cards, before any of them is melded, jokers 0, without a cap.

    The cut joker is worth 0 itself, so that the cards without it have the same sum. The sum is taken as symmetric.
    """
    cards, taken = len(PACK) * packs - 1, HAND_SIZE * hands
    means, variances, chances = [], [], []
    for face in PACK:  # the cut joker: each face is as likely
        wild = rank(face) or 1
        values = [points(card, wild) for card in PACK]
        mean = Fraction(packs * sum(values), cards)
        square = Fraction(packs * sum(value * value for value in values), cards)
        means.append(taken * mean)
        variances.append(taken * Fraction(cards - taken, cards - 1) * (square - mean * mean))
        chances.append(Fraction(1, len(PACK)))
    whole = sum((chance * mean for chance, mean in zip(chances, means, strict=True)), Fraction(0))
    between = sum((chance * (mean - whole) ** 2 for chance, mean in zip(chances, means, strict=True)), Fraction(0))
    within = sum((chance * each for chance, each in zip(chances, variances, strict=True)), Fraction(0))
    return Law(whole, within + between)


@cache
def pure_sequences(packs: int, hands: int = 1) -> Law:
    """Return the law of the number of hands with at least one run of three cards of a suit."""
    none, neither = chance_without_runs(packs)
    chance, together = 1 - none, neither - none * none
    one = law_of({1: chance, 0: none})
    return Law(hands * chance, hands * one.variance + hands * (hands - 1) * together, hands * one.third)


@cache
def chosen_of(part: int, players: int) -> Law:
    """Return the law of 1 if the winner of a toss among `players` is one of `part`, else 0: a toss has no ties."""
    chance = Fraction(part, players)
    return law_of({1: chance, 0: 1 - chance})


def cards_spread(packs: int, hands: int) -> Fraction:
    """Return the variance of the number of cards of one face in the hands, divided by 1 - 1/53.

    With it the counts of all 53 faces give a chi-squared statistic (multivariate hypergeometric).
    """
    cards, taken = len(PACK) * packs, HAND_SIZE * hands
    return Fraction(taken * (cards - taken), (cards - 1) * len(PACK))


@cache
def chance_without_runs(packs: int) -> tuple[Fraction, Fraction]:
    """Return the exact chance that a hand has no run, and that two hands of one deal have none."""
    return without_runs(packs, len(RANKS), len(SUITS), HAND_SIZE)


def without_runs(packs: int, ranks: int, suits: int, size: int) -> tuple[Fraction, Fraction]:
    """Return the same for hands of `size` cards from packs of these `ranks` and `suits`, with a joker each.

    Hands are counted suit by suit, so that neither has a run; the product over all suits, and over the printed jokers,
    counts whole hands.
    """
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
