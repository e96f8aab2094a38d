"""What a contest shows: for each entry means over shoes with their 95 % intervals, as exact JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import ceil
from typing import Any, NamedTuple

from rules.expectations.significance import mean_interval
from tables.simulation.ladder import Ladder, Played, ShoeTally


class MeanInterval(NamedTuple):
    """A mean and the ends of its 95 % interval; the ends are None where one value tells nothing of the spread."""

    mean: float
    low: float | None
    high: float | None


def interval(values: Sequence[float], factor: float = 1) -> MeanInterval:
    """Return the mean of independent values, each times `factor`, rounded to a thousandth."""
    if len(values) < 2:
        return MeanInterval(round(factor * values[0], 3), None, None)
    return MeanInterval(*(round(factor * end, 3) for end in mean_interval(values)))


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the least value that so many percent of the values do not exceed."""
    return sorted(values)[max(0, ceil(len(values) * percent / 100) - 1)]


def results_of(contest: Ladder, played: Played) -> dict[str, Any]:
    """Return the results of a contest. A shoe is one value: its deals are not independent of each other."""
    names = [entry.name for entry in contest.entries]
    return {
        "book": contest.book,
        "seats": contest.seats,
        "seed": contest.seed,
        "shoes": len(played.tallies),
        "deals": len(played.tallies) * contest.deals_a_shoe,
        "players": [{"player": name} | _of_entry(number, contest, played) for number, name in enumerate(names)],
        "differences": [
            {"player": names[later], "less": names[first], "points_a_deal": _apart(played, later, first)}
            for first, later in combinations(range(len(names)), 2)
        ],
        "digest": played.digest,
    }


def _of_entry(number: int, contest: Ladder, played: Played) -> dict[str, Any]:
    shoes, times = [shoe[number] for shoe in played.tallies], played.milliseconds[number]
    return {
        "deals_won_percent": _mean(shoes, lambda tally: tally.won, 100),
        "points_a_deal": _mean(shoes, lambda tally: tally.points),
        "lost_a_deal": _mean(shoes, lambda tally: tally.lost),
        "decisions": len(times),
        "ms": {
            "of": "processor" if contest.entries[number].command is None else "wall",
            "median": round(percentile(times, 50), 3),
            "p99": round(percentile(times, 99), 3),
        },
        "faults": {str(kind): count for kind, count in sorted(played.faults[number].items())},
    }


def _mean(shoes: Sequence[ShoeTally], figure: Callable[[ShoeTally], int], factor: float = 1) -> dict[str, float | None]:
    return _named(interval([figure(tally) / tally.seats for tally in shoes], factor))


def _apart(played: Played, later: int, first: int) -> dict[str, float | None]:
    """Return by how many points a deal one entry is better than another, paired over the shoes."""
    pairs = [(shoe[later], shoe[first]) for shoe in played.tallies]
    return _named(interval([own.points / own.seats - other.points / other.seats for own, other in pairs]))


def _named(found: MeanInterval) -> dict[str, float | None]:
    return {"mean": found.mean, "low": found.low, "high": found.high}
