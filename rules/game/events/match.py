"""After a deal: results, money, elimination, rejoin, split, prizes."""

from __future__ import annotations

from dataclasses import dataclass

from rules.cards import Card
from rules.game.events.base import By, Event
from rules.game.state import Clock, Row, ShareLine


@dataclass(frozen=True, slots=True, kw_only=True)
class DealVoided(Event):
    """Nothing was left to draw: nobody scores, a new deal follows."""

    public = ("deal_id",)
    deal_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DealEnded(Event):
    """The result, all hands open, and the card in the finish slot."""

    public = ("deal_id", "winner", "finish_card", "rows")
    deal_id: str
    winner: int
    finish_card: Card | None
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DealSettled(Event):
    """Points and blind: `losses` (seat, amount) went to the winner, less the fee."""

    public = ("deal_id", "winner", "losses", "fee")
    deal_id: str
    winner: int
    losses: tuple[tuple[int, int], ...]
    fee: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerEliminated(Event):
    public = ("seat", "total")
    seat: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RejoinOpened(Event):
    public = ("seats", "price", "score", "clock")
    seats: tuple[int, ...]
    price: int
    score: int
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRejoined(Event):
    """`amount` went from the player's balance into the pot; they go on with `total` points."""

    public = ("seat", "amount", "total")
    seat: int
    amount: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RejoinDeclined(Event):
    public = ("seat", "by")
    seat: int
    by: By


@dataclass(frozen=True, slots=True, kw_only=True)
class RejoinClosed(Event):
    """Every rejoin is answered: these seats go on. The table is back at the result."""

    public = ("seats",)
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitOffered(Event):
    public = ("seat", "lines", "clock")
    seat: int
    lines: tuple[ShareLine, ...]
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitAnswered(Event):
    public = ("seat", "accept", "by")
    seat: int
    accept: bool
    by: By


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitEnded(Event):
    public = ("agreed",)
    agreed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PrizeAwarded(Event):
    """The pot is empty: `shares` (seat, amount) and the fee are all of it."""

    public = ("shares", "fee")
    shares: tuple[tuple[int, int], ...]
    fee: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded(Event):
    """Pool and deals: the contest is over and with it the table."""

    public = ("winners",)
    winners: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchCancelled(Event):
    """The table is stopped; `refunds` (seat, amount) empty the pot. Stacks follow as `seat_left`."""

    public = ("reason", "refunds")
    reason: str
    refunds: tuple[tuple[int, int], ...]
