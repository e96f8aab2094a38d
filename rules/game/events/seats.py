"""Seats, clocks and what comes before a deal."""

from __future__ import annotations

from dataclasses import dataclass

from rules.game.events.base import Event
from rules.game.state import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatTaken(Event):
    public = ("seat", "stack", "computer")
    seat: int
    stack: int
    computer: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipsAdded(Event):
    public = ("seat", "amount")
    seat: int
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLeft(Event):
    """The seat is free; `returned` went back to the holder's balance."""

    public = ("seat", "returned")
    seat: int
    returned: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatContinued(Event):
    public = ("seat",)
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLeft(Event):
    """The player is gone, their seat stays reserved. `points` are fixed for the running deal (None: they were in none);
    `returned` went back to their balance, what they lost stays on the stack until the deal is settled."""

    public = ("seat", "points", "returned")
    seat: int
    points: int | None
    returned: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingBegan(Event):
    """Fewer than two can play; the last deal is off the table."""

    public = ("seats",)
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartingBegan(Event):
    public = ("clock",)
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockSet(Event):
    public = ("clock",)
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockCredited(Event):
    """Time given back after an outage of the platform."""

    public = ("clock",)
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class DealPrepared(Event):
    public = ("deal_id", "commitment")
    deal_id: str
    seed: str
    commitment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSeedAdded(Event):
    own = ("seat",)
    seat: int
    seed: str
