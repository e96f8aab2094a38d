"""The result of a deal, and what may be offered after it: a rejoin, a split."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rules.cards import Card

#: The groups of a hand, without the loose cards.
Groups = tuple[tuple[Card, ...], ...]


class Outcome(StrEnum):
    WON = "won"
    LOST = "lost"
    DROPPED = "dropped"
    WRONG = "wrong"
    LEFT = "left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the result: `amount` in money (the winner's net of fee), `total` None where no match counts it."""

    seat: int
    outcome: Outcome
    groups: Groups
    kinds: tuple[str, ...]
    loose: tuple[Card, ...]
    points: int
    amount: int
    total: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    deal_id: str
    winner: int
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RejoinOffer:
    """The offer to the players who may still rejoin, for `price`, with `score` points."""

    seats: tuple[int, ...]
    price: int
    score: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLine:
    """One survivor's part of a split: `excess` is e = drops - the fewest drops."""

    seat: int
    drops: int
    excess: int
    share: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitOffer:
    """The offer of seat `by`; `accepted` are the seats that agreed, the offerer among them."""

    by: int
    lines: tuple[ShareLine, ...]
    accepted: tuple[int, ...]
