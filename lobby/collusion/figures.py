"""The figures of the benchmark, as `manage.py bench collusion --seed 1 --json` printed them: see `benchmark.json`.

They are what is usual among honest players, how rare each deviate is among them, and the line above which a pair
becomes a case.
"""

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rules.collusion import Usual

PLACE = Path(__file__).with_name("benchmark.json")


@cache
def benchmark() -> Mapping[str, Any]:
    """Return the stored figures."""
    return dict(json.loads(PLACE.read_text()))


def usual() -> Usual:
    """Return what is usual among honest simulated players."""
    told = benchmark()["usual"]
    return Usual(told["means"], told["variances"], told["between"])


def line() -> float:
    """Return the evidence above which a pair becomes a case: one in a thousand honest pairs reaches it."""
    return float(benchmark()["line"])


def rarity(kind: str, deviate: float) -> float:
    """Return the part of honest simulated pairs that have so large a deviate of this kind, at least 1 in 1,000."""
    return part_above(benchmark()["honest"].get(kind, []), deviate)


def part_above(quantiles: Sequence[Sequence[float]], value: float) -> float:
    """Return which part lies above the value: that of the highest quantile below it; 1 below all of them."""
    place = bisect_right([quantile for _, quantile in quantiles], value)
    return 1.0 if place == 0 else round(1 - quantiles[place - 1][0], 6)
