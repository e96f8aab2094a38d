"""The events of seats and clocks, and of the time before a deal."""

from __future__ import annotations

from dataclasses import dataclass

from rules.game.events.base import Event, assign_seat, out_of_deal, with_deal, with_hand, with_seat
from rules.game.state import Clock, Phase, Place, Prepared, Seat, Standing, TableState, replace

__all__ = [
    "ChipsAdded",
    "ClientSeedAdded",
    "ClockCredited",
    "ClockSet",
    "DealPrepared",
    "PlayerLeft",
    "SeatContinued",
    "SeatLeft",
    "SeatTaken",
    "StartingBegan",
    "WaitingBegan",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatTaken(Event):
    """Somebody sits down with `stack`: a player, or a computer player."""

    public = ("seat", "stack", "computer")
    seat: int
    stack: int
    computer: bool

    def fold(self, state: TableState) -> TableState:
        return assign_seat(state, self.seat, Seat(stack=self.stack, computer=self.computer))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipsAdded(Event):
    """`amount` moved from the player's balance to their stack."""

    public = ("seat", "amount")
    seat: int
    amount: int

    def fold(self, state: TableState) -> TableState:
        return with_seat(state, self.seat, stack=state.seat(self.seat).stack + self.amount)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLeft(Event):
    """The seat is free; `returned` moved back to the holder's balance."""

    public = ("seat", "returned")
    seat: int
    returned: int

    def fold(self, state: TableState) -> TableState:
        state = assign_seat(state, self.seat, None)
        if state.prepared is None:
            return state
        seeds = tuple(item for item in state.prepared.seeds if item[0] != self.seat)
        return replace(state, prepared=replace(state.prepared, seeds=seeds))


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatContinued(Event):
    """The player is in the next deal."""

    public = ("seat",)
    seat: int

    def fold(self, state: TableState) -> TableState:
        return with_seat(state, self.seat, ready=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLeft(Event):
    """The player has left, their seat stays reserved. `points` are fixed for the running deal (None: not in it);
    `returned` moved back to their balance, their loss stays on the stack until the deal is settled."""

    public = ("seat", "points", "returned")
    seat: int
    points: int | None
    returned: int

    def fold(self, state: TableState) -> TableState:
        stack = state.seat(self.seat).stack - self.returned
        state = with_seat(state, self.seat, stack=stack, place=Place.GONE)
        if self.points is None or state.current.hand(self.seat).standing is not Standing.IN:
            return state
        return out_of_deal(_finish_card_back(state, self.seat), self.seat, Standing.LEFT, self.points)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingBegan(Event):
    """Fewer than two can play; the last deal is off the table."""

    public = ("seats",)
    seats: tuple[int, ...]

    def fold(self, state: TableState) -> TableState:
        return replace(_table_cleared(state), phase=Phase.WAITING, clock=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartingBegan(Event):
    """Enough players are here: the next deal begins when `clock` ends."""

    public = ("clock",)
    clock: Clock

    def fold(self, state: TableState) -> TableState:
        return replace(_table_cleared(state), phase=Phase.STARTING, clock=self.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockSet(Event):
    """The clock of the table runs until another deadline."""

    public = ("clock",)
    clock: Clock

    def fold(self, state: TableState) -> TableState:
        return replace(state, clock=self.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockCredited(Event):
    """Time given back after an outage of the platform."""

    public = ("clock",)
    clock: Clock

    def fold(self, state: TableState) -> TableState:
        return replace(state, clock=self.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class DealPrepared(Event):
    """The next deal's seed is fixed, and its commitment public."""

    public = ("deal_id", "commitment")
    deal_id: str
    seed: str
    commitment: str

    def fold(self, state: TableState) -> TableState:
        prepared = Prepared(deal_id=self.deal_id, seed=self.seed, commitment=self.commitment)
        return replace(state, prepared=prepared)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSeedAdded(Event):
    """The player's own seed is part of the next shuffle."""

    own = ("seat",)
    seat: int
    seed: str

    def fold(self, state: TableState) -> TableState:
        assert state.prepared is not None
        seeds = dict(state.prepared.seeds) | {self.seat: self.seed}
        return replace(state, prepared=replace(state.prepared, seeds=tuple(sorted(seeds.items()))))


def _finish_card_back(state: TableState, seat: int) -> TableState:
    """Put the card back into the hand.

    Only old logs need this: there the card stayed with the hand of a declarer who left; now a wrong show comes first.
    """
    finished = state.current.finished
    if finished is None or finished.seat != seat or finished.card is None:
        return state
    cards = (*state.current.hand(seat).cards, finished.card)
    return with_deal(with_hand(state, seat, cards=cards), finished=None)


def _table_cleared(state: TableState) -> TableState:
    """Take the last deal off the table; a match that a pot is played for goes on."""
    return replace(state, deal=None, result=None, match=None if state.book.per_point else state.match)
