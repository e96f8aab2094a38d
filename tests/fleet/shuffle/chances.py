"""Probabilities of the counts when every order of the cards is equally likely. Standard library only."""

from collections.abc import Mapping
from functools import cache
from math import comb, erfc, factorial, sqrt

from rules.expectations.significance import chi_squared

#: Kinds of outcome that are expected less often are counted together.
LEAST_EXPECTED = 8


def of_mean(total: float, count: int, mean: float, variance: float) -> float:
    """Return the one-sided probability of a mean at least this far above, so that both tails count alike."""
    return erfc((total - count * mean) / sqrt(2 * count * variance)) / 2


def of_fit(counts: Mapping[object, int], expected: Mapping[object, float]) -> float:
    """Return the probability of counts that fit `expected` at most as well; `expected` sums to the number of counts."""
    statistic, kinds, pooled_counts, pooled = 0.0, 0, 0.0, 0.0
    for kind, often in expected.items():
        if often < LEAST_EXPECTED:
            pooled, pooled_counts = pooled + often, pooled_counts + counts.get(kind, 0)
        else:
            statistic, kinds = statistic + (counts.get(kind, 0) - often) ** 2 / often, kinds + 1
    if pooled >= 1:
        statistic, kinds = statistic + (pooled_counts - pooled) ** 2 / pooled, kinds + 1
    elif pooled_counts > LEAST_EXPECTED:
        return 0.0
    return chi_squared(statistic, kinds - 1)


def fixed_points(cards: int) -> dict[object, float]:
    """Return the distribution of the number of cards that stay in place."""
    none = [sum((-1) ** k / factorial(k) for k in range(n + 1)) for n in range(cards + 1)]
    return {k: none[cards - k] / factorial(k) for k in range(min(cards, 20) + 1)}


@cache
def cycles(cards: int) -> dict[object, float]:
    """Return the distribution of the number of cycles of an order, by Stirling's numbers."""
    chances = [1.0]
    for n in range(1, cards + 1):
        grown = [0.0, *(each / n for each in chances)]
        chances = [each + (stays * (n - 1) / n) for each, stays in zip(grown, [*chances, 0.0], strict=True)]
    return dict(enumerate(chances))


def gaps(cards: int) -> dict[object, float]:
    """Return the distribution of the distance from one card to another."""
    all_pairs = cards * (cards - 1)
    return {far: (cards - abs(far)) / all_pairs for far in range(1 - cards, cards) if far}


def drawn(cards: int, marked: int, taken: int) -> dict[object, float]:
    """Return the distribution of the number of marked cards among `taken` cards."""
    most = min(marked, taken)
    return {k: comb(marked, k) * comb(cards - marked, taken - k) / comb(cards, taken) for k in range(most + 1)}
