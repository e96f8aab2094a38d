"""How likely it is that chance alone gives a figure at least so far from its exact expectation."""

from collections.abc import Sequence
from math import erfc, exp, lgamma, log, sqrt
from statistics import fmean, stdev
from typing import Final

from rules.expectations.hands import Law

#: Standard deviations on either side that hold 95 % of a normal distribution, as they are usually written.
SIDES_95: Final = 1.96
#: Below this skewness a sum is as good as normal.
_NO_SKEW: Final = 0.01


def two_sided(total: float, law: Law) -> float:
    """Return the chance of a whole number at least as far out as `total`, on the likelier side, doubled.

    The sum is taken as a gamma distribution with its exact mean, variance and skewness (Pearson's type III), which is
    the normal one where it is not skew. 1 where nothing is left to chance.
    """
    spread = sqrt(law.variance)
    if not spread:
        return 1.0
    skew = float(law.third) / spread**3
    middle = float(law.mean)
    above = _upper((total - 0.5 - middle) / spread, skew)
    below = _upper(-(total + 0.5 - middle) / spread, -skew)
    return min(1.0, 2 * min(above, below))


def _upper(deviations: float, skew: float) -> float:
    if abs(skew) < _NO_SKEW:
        return erfc(deviations / sqrt(2)) / 2
    shape = 4 / skew**2
    at = shape + (deviations if skew > 0 else -deviations) * sqrt(shape)
    upper = upper_gamma(shape, at)
    return upper if skew > 0 else 1 - upper


def chi_squared(statistic: float, freedom: int) -> float:
    """Return the chance of at least this statistic with `freedom` degrees of freedom."""
    return upper_gamma(freedom / 2, statistic / 2)


def upper_gamma(shape: float, at: float) -> float:
    """Return the regularized upper incomplete gamma function."""
    if at <= 0:
        return 1.0
    scale = exp(shape * log(at) - at - lgamma(shape))
    return 1 - scale * _series(shape, at) if at < shape + 1 else scale * _fraction(shape, at)


def _series(shape: float, at: float) -> float:
    term = total = 1 / shape
    while term > total * 1e-15:
        shape += 1
        term *= at / shape
        total += term
    return total


def _fraction(shape: float, at: float) -> float:
    """Evaluate the continued fraction by Lentz's method."""
    b = at + 1 - shape
    c, d, n = 1e300, 1 / b, 0
    whole = d
    while True:
        n += 1
        b += 2
        d = 1 / (b - n * (n - shape) * d)
        c = b - n * (n - shape) / c
        whole *= c * d
        if abs(c * d - 1) < 1e-14:
            return whole


def adjusted(chances: Sequence[float]) -> list[float]:
    """Return the chances corrected for their number by Holm's step-down method, in the same order."""
    corrected, largest = [1.0] * len(chances), 0.0
    for place, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        largest = max(largest, min(1.0, (len(chances) - place) * chances[index]))
        corrected[index] = largest
    return corrected


def share_interval(count: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share; everything where nothing was counted."""
    if not of:
        return 0.0, 1.0
    share, z = count / of, SIDES_95
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    reach = z / (1 + z * z / of) * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of two or more independent values with its 95 % interval, by the normal distribution."""
    mean, reach = fmean(values), SIDES_95 * stdev(values) / sqrt(len(values))
    return mean, mean - reach, mean + reach
