"""Means with their 95 % intervals, by the normal distribution: for a few dozen values or more."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from statistics import fmean, stdev
from typing import Final, NamedTuple

#: So many standard errors to both sides hold 95 % of a normal distribution.
_ERRORS: Final = 1.96


class MeanInterval(NamedTuple):
    """A mean and the ends of its 95 % interval; the ends are None where one value tells nothing of the spread."""

    mean: float
    low: float | None
    high: float | None


def interval(values: Sequence[float], factor: float = 1) -> MeanInterval:
    """Return the mean of independent values, each times `factor`, rounded to a thousandth."""
    mean = factor * fmean(values)
    if len(values) < 2:
        return MeanInterval(round(mean, 3), None, None)
    reach = factor * _ERRORS * stdev(values) / sqrt(len(values))
    return MeanInterval(round(mean, 3), round(mean - reach, 3), round(mean + reach, 3))


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the least value that so many percent of the values do not exceed."""
    return sorted(values)[max(0, ceil(len(values) * percent / 100) - 1)]
