"""Columns of a simple chart, ready to be drawn as SVG."""

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


def columns(days: Sequence[tuple[date, int]]) -> list[Bar]:
    """Return one column for each day, from left to right, the highest as high as the chart.

    Amounts are not below zero.
    """
    top = max((amount for _, amount in days), default=0) or 1
    slot = WIDTH / max(len(days), 1)
    return [
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
