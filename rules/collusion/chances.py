"""Chances: the tail of a normal and of a negative binomial distribution, and what belongs to which."""

from math import atan, erfc, exp, lgamma, log, log1p, pi, sqrt, tan
from statistics import NormalDist
from typing import Final

#: No chance is reckoned smaller than this, which also bounds what one signal alone can say.
LEAST: Final = 1e-12
#: A signal that points the other way says no more than this, so that it hides none beside it.
_NOTHING: Final = 0.9
_NORMAL: Final = NormalDist()


def chance_above(z: float) -> float:
    """Return the chance that a normal deviate is at least `z`, at least LEAST and less than 1.

    >>> round(chance_above(1.96), 3)
    0.025
    """
    return min(max(0.5 * erfc(z / sqrt(2)), LEAST), 1 - 1e-9)


def deviate(chance: float) -> float:
    """Return the normal deviate that is reached with that chance.

    >>> round(deviate(0.025), 2)
    1.96
    """
    return -_NORMAL.inv_cdf(min(max(chance, LEAST), 1 - 1e-9))


def chance_of_count(count: int, expected: float, shape: float) -> float:
    """Return the chance of at least `count` rare cases where `expected` are expected.

    Their rate differs from one to the next by a gamma distribution of that shape, so that they are negative binomial.

    >>> round(chance_of_count(1, 1.0, 1e9), 3)
    0.632
    """
    if count <= 0 or expected <= 0:
        return 1 - 1e-9
    part = expected / (shape + expected)
    below = sum(
        exp(lgamma(shape + k) - lgamma(shape) - lgamma(k + 1) + shape * log1p(-part) + k * log(part))
        for k in range(count)
    )
    return min(max(1 - below, LEAST), 1 - 1e-9)


def combined_chance(chances: list[float]) -> float:
    """Return one chance of several that may depend on each other: the Cauchy combination.

    The smallest of them counts most, and it is right in the tail whatever their dependence.
    Source: Liu and Xie, Journal of the American Statistical Association 115 (2020).

    >>> round(combined_chance([0.01, 0.01]), 3)
    0.01
    """
    if not chances:
        return 1.0
    mean = sum(tan((0.5 - min(chance, _NOTHING)) * pi) for chance in chances) / len(chances)
    # Where the mean is large, the difference of 0.5 and the arc would lose all its digits.
    return 1 / (pi * mean) if mean > 1e6 else 0.5 - atan(mean) / pi
