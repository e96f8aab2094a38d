"""Figures of fairness: what was counted beside what a fair shuffle gives, with interval and significance."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import partial
from math import sqrt
from typing import Final

from rules.books import BOOKS
from rules.cards import HAND_SIZE, PACK
from rules.expectations import hands, tallies
from rules.expectations.hands import NOTHING, Law
from rules.expectations.significance import SIDES_95, adjusted, chi_squared, share_interval, two_sided
from rules.expectations.tallies import ALL_SEATS, Holders, SumKey, Tally

#: Fewer hands, tosses or deals are shown without a verdict.
LEAST: Final = 30
#: A figure is beyond chance if this is still so after the correction for the number of figures.
BEYOND: Final = 0.001


class Measure(StrEnum):
    PRINTED = "printed_jokers"
    WILD = "wild_cards"
    POINTS = "points_as_dealt"
    PURE = "pure_sequences"
    CARDS = "every_card"
    TOSS = "toss"
    EQUAL_WINS = "equal_wins"
    FIRST_WINS = "first_turn_wins"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure: `observed` and `expected` are for each hand, toss or deal, of which `count` were seen.

    `low` and `high` are the 95 % interval of what was observed. `expected` is None where no exact law is known,
    `chance` also where too little was seen; `corrected` is it after Holm's correction over all figures. An empty
    `book` stands for all together.
    """

    measure: Measure
    book: str
    holders: Holders
    seat: int
    count: int
    observed: float
    expected: Fraction | None
    low: float | None
    high: float | None
    chance: float | None = None
    corrected: float | None = None

    @property
    def outside(self) -> bool:
        """Return whether it lies outside the interval that holds 95 of 100 figures of a fair shuffle."""
        return self.chance is not None and self.chance < 0.05

    @property
    def beyond(self) -> bool:
        return self.corrected is not None and self.corrected < BEYOND


@dataclass(frozen=True, slots=True)
class _Asked:
    """How a measure is read: of what there were how many, what was counted, and the law of one deal at a key."""

    of: str
    counted: str
    law: Callable[[SumKey], Law]
    at: Callable[[SumKey], bool] = lambda key: True


def _packs(key: SumKey) -> int:
    return BOOKS[key.book].packs_for(key.players)


def _hands(key: SumKey) -> int:
    return key.hands if key.seat == ALL_SEATS else 1


def _all_equal(key: SumKey) -> bool:
    """Return whether only computer players were there, and a toss began each deal: each seat then wins as often."""
    return (
        key.holders is Holders.COMPUTERS
        and key.hands == key.players
        and key.seat != ALL_SEATS
        and BOOKS[key.book].toss_each_deal
    )


_SUMS: Final[Mapping[Measure, _Asked]] = {
    Measure.PRINTED: _Asked(
        tallies.DEALS, tallies.PRINTED, lambda at: hands.law_of(hands.printed_jokers(_packs(at), _hands(at)))
    ),
    Measure.WILD: _Asked(
        tallies.DEALS, tallies.WILD, lambda at: hands.law_of(hands.wild_cards(_packs(at), _hands(at)))
    ),
    Measure.POINTS: _Asked(tallies.DEALS, tallies.POINTS, lambda at: hands.points_as_dealt(_packs(at), _hands(at))),
    Measure.PURE: _Asked(tallies.DEALS, tallies.PURE, lambda at: hands.pure_sequences(_packs(at), _hands(at))),
    Measure.TOSS: _Asked(
        tallies.TOSSES,
        tallies.TOSSES_WON,
        lambda at: hands.chosen_of(_hands(at), at.players),
        lambda at: _hands(at) < at.players,
    ),
    Measure.EQUAL_WINS: _Asked(tallies.DEALS, tallies.WINS, lambda at: hands.chosen_of(1, at.players), _all_equal),
}
#: Where what is counted is a number of each hand, not of each deal.
_BY_HAND: Final = frozenset({Measure.PRINTED, Measure.WILD, Measure.POINTS, Measure.PURE})


def all_figures(sums: Mapping[SumKey, Tally]) -> list[Figure]:
    """Return all figures of these sums: of all books together and of each, people and computers apart, by seat.

    Places whose book is not known any more are left out.
    """
    groups: defaultdict[tuple[str, Holders, int], list[tuple[SumKey, Tally]]] = defaultdict(list)
    for key, tally in sorted(sums.items()):
        if key.book in BOOKS and key.holders is not Holders.VOID:
            groups["", key.holders, key.seat].append((key, tally))
            groups[key.book, key.holders, key.seat].append((key, tally))
    found = [figure for key in sorted(groups, key=_order) for figure in _of_group(*key, groups[key])]
    return _corrected(found)


def _order(key: tuple[str, Holders, int]) -> tuple[int, int, int]:
    book, holders, seat = key
    return (list(BOOKS).index(book) if book else -1, list(Holders).index(holders), seat)


def _corrected(found: Sequence[Figure]) -> list[Figure]:
    tested = [figure.chance for figure in found if figure.chance is not None]
    corrected = iter(adjusted(tested))
    return [figure if figure.chance is None else replace(figure, corrected=next(corrected)) for figure in found]


def _of_group(book: str, holders: Holders, seat: int, keyed: Sequence[tuple[SumKey, Tally]]) -> Iterator[Figure]:
    begun = partial(Figure, book=book, holders=holders, seat=seat)
    for measure, asked in _SUMS.items():
        yield from _sum_figure(partial(begun, measure=measure), asked, keyed)
    if seat == ALL_SEATS:
        yield from _cards_figure(partial(begun, measure=Measure.CARDS), keyed)
    yield from _first_figure(partial(begun, measure=Measure.FIRST_WINS), keyed)


def _sum_figure(begun: partial[Figure], asked: _Asked, keyed: Sequence[tuple[SumKey, Tally]]) -> Iterator[Figure]:
    law, units, total = NOTHING, 0, 0
    for key, tally in keyed:
        if tally[asked.of] and asked.at(key):
            law += asked.law(key).times(tally[asked.of])
            units += tally[asked.of] * (_hands(key) if begun.keywords["measure"] in _BY_HAND else 1)
            total += tally[asked.counted]
    if units:
        reach = SIDES_95 * sqrt(law.variance)
        yield begun(
            count=units,
            observed=total / units,
            expected=law.mean / units,
            low=max(0.0, (total - reach) / units),
            high=(total + reach) / units,
            chance=two_sided(total, law) if units >= LEAST else None,
        )


def _cards_figure(begun: partial[Figure], keyed: Sequence[tuple[SumKey, Tally]]) -> Iterator[Figure]:
    """Tell how unevenly the faces came, as a chi-squared statistic: by chance it is one less than there are faces."""
    counts, dealt, spread = Counter[str](), 0, Fraction(0)
    for key, tally in keyed:
        counts.update({face: tally[face] for face in PACK})
        dealt += tally[tallies.DEALS] * key.hands
        spread += tally[tallies.DEALS] * hands.cards_spread(_packs(key), key.hands)
    if dealt:
        often = dealt * HAND_SIZE / len(PACK)
        statistic = sum((counts[face] - often) ** 2 for face in PACK) / float(spread)
        yield begun(
            count=dealt,
            observed=statistic,
            expected=Fraction(len(PACK) - 1),
            low=None,
            high=None,
            chance=chi_squared(statistic, len(PACK) - 1) if dealt >= LEAST else None,
        )


def _first_figure(begun: partial[Figure], keyed: Sequence[tuple[SumKey, Tally]]) -> Iterator[Figure]:
    firsts = sum(tally[tallies.FIRSTS] for _, tally in keyed)
    won = sum(tally[tallies.FIRST_WINS] for _, tally in keyed)
    if firsts:
        low, high = share_interval(won, firsts)
        yield begun(count=firsts, observed=won / firsts, expected=None, low=low, high=high)
