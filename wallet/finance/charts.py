"""Simple column charts with a scale, as coordinates for SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

WIDTH, HEIGHT = 640, 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    day: date
    amount: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Chart:
    """A column chart. `marks` are the amounts on its scale: the highest, its half, and 0."""

    bars: list[Bar]
    marks: list[int]


def chart(days: Sequence[tuple[date, int]]) -> Chart:
    """Return one column for each day, from left to right, on a scale that ends at a round amount.

    No amount may be below zero.
    """
    top = round_up(max((amount for _, amount in days), default=0))
    slot = WIDTH / max(len(days), 1)
    bars = [
        Bar(
            day=day,
            amount=amount,
            x=round(number * slot + slot * 0.15, 2),
            y=round(HEIGHT - max(HEIGHT * amount / top, 2 if amount else 0), 2),
            width=round(slot * 0.7, 2),
            height=round(max(HEIGHT * amount / top, 2 if amount else 0), 2),
        )
        for number, (day, amount) in enumerate(days)
    ]
    return Chart(bars, [top, top // 2, 0])


def round_up(amount: int) -> int:
    """Return the next amount of the series 2, 4, 10, 20, 40, 100 …, whose halves are whole."""
    step = 1
    while True:
        for digit in (2, 4, 10):
            if amount <= digit * step:
                return digit * step
        step *= 10
