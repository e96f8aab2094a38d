"""What a stake fixes for the tables that are played by it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """Lengths of the clocks in milliseconds (rules.md, Clocks)."""

    start_two: int = 10_000
    start_more: int = 30_000
    start_full: int = 5_000
    turn: int = 30_000
    extra: int = 30_000
    meld: int = 45_000
    result: int = 15_000
    prompt: int = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a stake fixes for its tables; never changes while the table lives."""

    book: str
    book_version: int
    seats: int
    point_value: int = 0
    entry: int = 0
    fee_percent: int = 0
    minimum: int = 0
    maximum: int | None = None
    clocks: Clocks = field(default_factory=Clocks)
