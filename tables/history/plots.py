"""Plots as coordinates for SVG; the page stretches them to the available width."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate

WIDTH, HEIGHT = 640, 160


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotColumn:
    """One column of a plot: as high as its `count`, with the `label` below it."""

    label: str
    count: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The curve of a running total over days: `line` and `area` are SVG paths, `zero` is the height of 0.

    The plot spans the values from `bottom` to `top`, which always include 0.
    """

    line: str
    area: str
    zero: float
    top: int
    bottom: int
    days: list[tuple[date, int, int]]
    highest: tuple[date, int]
    lowest: tuple[date, int]

    @property
    def last(self) -> int:
        return self.days[-1][2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """A line through values at equal distances, as an SVG path; the plot spans from `bottom` to `top`."""

    path: str
    top: int
    bottom: int


def line_of(values: Sequence[int]) -> Trend | None:
    """Return the line through these values, from left to right; None for fewer than two."""
    if len(values) < 2:
        return None
    top, bottom = max(values), min(values)
    step, span = WIDTH / (len(values) - 1), (top - bottom) or 1
    points = (f"{step * at:.2f} {HEIGHT * (top - height) / span:.2f}" for at, height in enumerate(values))
    return Trend(path="M" + " L".join(points), top=top, bottom=bottom)


def columns_of(counts: Sequence[tuple[str, int]]) -> list[PlotColumn]:
    """Return one column for each count, from left to right; the highest is as high as the plot."""
    top = max((count for _, count in counts), default=0) or 1
    slot = WIDTH / max(len(counts), 1)
    columns = []
    for number, (label, count) in enumerate(counts):
        height = max(HEIGHT * count / top, 2) if count else 0
        place = {"x": round((number + 0.12) * slot, 2), "y": round(HEIGHT - height, 2)}
        columns.append(
            PlotColumn(label=label, count=count, **place, width=round(slot * 0.76, 2), height=round(height, 2))
        )
    return columns


def curve_of(days: Sequence[tuple[date, int]]) -> Curve | None:
    """Return the curve of the running total of these days' changes; None if there are no days."""
    if not days:
        return None
    sums = list(accumulate(change for _, change in days))
    totals = [(day, change, total) for (day, change), total in zip(days, sums, strict=True)]
    top, bottom = max(0, *sums), min(0, *sums)
    span, first = (top - bottom) or 1, days[0][0].toordinal()
    # The curve starts at 0, a day before the first.
    length = days[-1][0].toordinal() - first + 1
    spots = [(0.0, 0), *((day.toordinal() - first + 1, total) for day, _, total in totals)]
    points = [f"{WIDTH * at / length:.2f} {HEIGHT * (top - total) / span:.2f}" for at, total in spots]
    zero = round(HEIGHT * top / span, 2)
    line = "M" + " L".join(points)
    return Curve(
        line=line,
        area=f"{line} L{WIDTH} {zero} L0 {zero} Z",
        zero=zero,
        top=top,
        bottom=bottom,
        days=totals,
        highest=max(((day, total) for day, _, total in totals), key=lambda spot: spot[1]),
        lowest=min(((day, total) for day, _, total in totals), key=lambda spot: spot[1]),
    )
