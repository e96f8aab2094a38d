"""Glicko-2: what one answer says of a player's skill at puzzles, and of how hard the puzzle is.

Pure. Source: M. E. Glickman, Example of the Glicko-2 system (2022), whose steps the comments name and whose worked
example is a test. Written out here, since the packages that there are take the rating for the deviation in step 5
(glicko2), or are not kept. Every answer is a rating period of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, pi, sqrt
from typing import Final

#: Of whom nothing is known, on the scale that people read.
RATING: Final = 1500.0
DEVIATION: Final = 350.0
VOLATILITY: Final = 0.06
#: A rating that may be so far off is still uncertain.
UNCERTAIN: Final = 110.0
#: Nobody is known better than this, so that who improves is seen to.
LEAST_DEVIATION: Final = 45.0

#: From that scale to the one on which Glicko-2 reckons (step 2).
_SCALE: Final = 173.7178
#: How far the volatility may move (step 1), and when its search ends (step 5).
_TAU: Final = 0.5
_CLOSE: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Glicko:
    """A rating, how far off it may be, and how erratic the results are."""

    rating: float = RATING
    deviation: float = DEVIATION
    volatility: float = VOLATILITY


def after_try(one: Glicko, other: Glicko, *, won: bool) -> Glicko:
    """Return the standing of one after one result against the other."""
    found = after_period(one, [(other, float(won))])
    return Glicko(found.rating, max(LEAST_DEVIATION, found.deviation), found.volatility)


def after_period(one: Glicko, results: Sequence[tuple[Glicko, float]]) -> Glicko:
    """Return the standing after the results of a period, one at least: opponents with the score from 0 to 1."""
    mu, phi = (one.rating - RATING) / _SCALE, one.deviation / _SCALE
    variance, gained = 0.0, 0.0
    for other, score in results:
        weight = 1 / sqrt(1 + 3 * (other.deviation / _SCALE / pi) ** 2)
        expected = 1 / (1 + exp(-weight * (mu - (other.rating - RATING) / _SCALE)))
        variance += weight**2 * expected * (1 - expected)
        gained += weight * (score - expected)
    # Steps 3 and 4.
    variance = 1 / variance
    volatility = _volatility(one.volatility, phi, variance, variance * gained)
    # Steps 6 to 8.
    phi = 1 / sqrt(1 / (phi**2 + volatility**2) + 1 / variance)
    return Glicko(RATING + _SCALE * (mu + phi**2 * gained), _SCALE * phi, volatility)


def _volatility(sigma: float, phi: float, variance: float, delta: float) -> float:
    """Return the new volatility: step 5, by the Illinois method."""
    start = log(sigma**2)

    def slope(x: float) -> float:
        spread = phi**2 + variance + exp(x)
        return exp(x) * (delta**2 - spread) / (2 * spread**2) - (x - start) / _TAU**2

    beyond = delta**2 - phi**2 - variance
    steps = 1
    while beyond <= 0 and slope(start - steps * _TAU) < 0:
        steps += 1
    low, high = start, log(beyond) if beyond > 0 else start - steps * _TAU
    at_low, at_high = slope(low), slope(high)
    while abs(high - low) > _CLOSE:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = slope(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return exp(low / 2)
