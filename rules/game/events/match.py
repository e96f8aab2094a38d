"""The events after a deal: results, money, elimination, rejoin, split, prizes."""

from __future__ import annotations

from dataclasses import dataclass

from rules.cards import Card
from rules.game.events.base import By, Event, with_deal, with_match, with_seat
from rules.game.results import RejoinOffer, Result, Row, ShareLine, SplitOffer
from rules.game.state import Clock, Phase, Place, TableState, replace

__all__ = [
    "DealEnded",
    "DealSettled",
    "DealVoided",
    "MatchCancelled",
    "MatchEnded",
    "PlayerEliminated",
    "PlayerRejoined",
    "PrizeAwarded",
    "RejoinClosed",
    "RejoinDeclined",
    "RejoinOpened",
    "SplitAnswered",
    "SplitEnded",
    "SplitOffered",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DealVoided(Event):
    """Nothing was left to draw: nobody scores, a new deal follows."""

    public = ("deal_id",)
    deal_id: str

    def fold(self, state: TableState) -> TableState:
        """Leave the cards on the table until the next phase clears it."""
        return replace(with_deal(state, turn=None), phase=Phase.RESULT, clock=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DealEnded(Event):
    """The result, all hands open, and the card in the finish slot."""

    public = ("deal_id", "winner", "finish_card", "rows")
    deal_id: str
    winner: int
    finish_card: Card | None
    rows: tuple[Row, ...]

    def fold(self, state: TableState) -> TableState:
        for row in self.rows:
            if row.total is not None:
                state = with_seat(state, row.seat, total=row.total)
        assert state.match is not None
        state = with_match(with_deal(state, turn=None, winner=self.winner), deals=state.match.deals + 1)
        result = Result(deal_id=self.deal_id, winner=self.winner, rows=self.rows)
        return replace(state, phase=Phase.RESULT, clock=None, result=result)


@dataclass(frozen=True, slots=True, kw_only=True)
class DealSettled(Event):
    """Points and blind: the winner has received `losses` (seat, amount), less the fee."""

    public = ("deal_id", "winner", "losses", "fee")
    deal_id: str
    winner: int
    losses: tuple[tuple[int, int], ...]
    fee: int

    def fold(self, state: TableState) -> TableState:
        for seat, amount in self.losses:
            state = with_seat(state, seat, stack=state.seat(seat).stack - amount)
        won = sum(amount for _, amount in self.losses) - self.fee
        return with_seat(state, self.winner, stack=state.seat(self.winner).stack + won)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerEliminated(Event):
    """The player is out: at the limit of a pool, unless they rejoin, or behind those who have tied for the match."""

    public = ("seat", "total")
    seat: int
    total: int

    def fold(self, state: TableState) -> TableState:
        return with_seat(state, self.seat, place=Place.OUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class RejoinOpened(Event):
    """The players of these seats may come back for `price`, with `score` points, until `clock` ends."""

    public = ("seats", "price", "score", "clock")
    seats: tuple[int, ...]
    price: int
    score: int
    clock: Clock

    def fold(self, state: TableState) -> TableState:
        offer = RejoinOffer(seats=self.seats, price=self.price, score=self.score)
        return replace(state, phase=Phase.REJOIN, rejoin=offer, clock=self.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRejoined(Event):
    """`amount` moved from the player's balance into the pot; they continue with `total` points."""

    public = ("seat", "amount", "total")
    seat: int
    amount: int
    total: int

    def fold(self, state: TableState) -> TableState:
        assert state.match is not None
        pot, rejoins = state.match.pot + self.amount, state.seat(self.seat).rejoins + 1
        state = with_seat(state, self.seat, place=Place.HERE, total=self.total, rejoins=rejoins)
        return with_match(_rejoin_answered(state, self.seat), pot=pot)


@dataclass(frozen=True, slots=True, kw_only=True)
class RejoinDeclined(Event):
    """The player stays out of the match."""

    public = ("seat", "by")
    seat: int
    by: By

    def fold(self, state: TableState) -> TableState:
        return _rejoin_answered(state, self.seat)


@dataclass(frozen=True, slots=True, kw_only=True)
class RejoinClosed(Event):
    """Every rejoin is answered: these seats continue. The table is back at the result."""

    public = ("seats",)
    seats: tuple[int, ...]

    def fold(self, state: TableState) -> TableState:
        return replace(state, phase=Phase.RESULT, rejoin=None, clock=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitOffered(Event):
    """The player of `seat` offers to share the prize as in `lines`; the others answer until `clock` ends."""

    public = ("seat", "lines", "clock")
    seat: int
    lines: tuple[ShareLine, ...]
    clock: Clock

    def fold(self, state: TableState) -> TableState:
        split = SplitOffer(by=self.seat, lines=self.lines, accepted=(self.seat,))
        return replace(with_match(state, split_offered=True), phase=Phase.SPLIT, split=split, clock=self.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitAnswered(Event):
    """A player has accepted the offer or refused it."""

    public = ("seat", "accept", "by")
    seat: int
    accept: bool
    by: By

    def fold(self, state: TableState) -> TableState:
        assert state.split is not None
        accepted = (*state.split.accepted, self.seat) if self.accept else state.split.accepted
        return replace(state, split=replace(state.split, accepted=accepted))


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitEnded(Event):
    """The offer has ended: all players have agreed, or one has not."""

    public = ("agreed",)
    agreed: bool

    def fold(self, state: TableState) -> TableState:
        return replace(state, phase=Phase.RESULT, split=None, clock=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrizeAwarded(Event):
    """The pot is paid out: `shares` (seat, amount) and the fee are its total."""

    public = ("shares", "fee")
    shares: tuple[tuple[int, int], ...]
    fee: int

    def fold(self, state: TableState) -> TableState:
        return with_match(state, pot=0, shares=self.shares)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded(Event):
    """Pool and deals: the contest is over and with it the table."""

    public = ("winners",)
    winners: tuple[int, ...]

    def fold(self, state: TableState) -> TableState:
        return _over(state)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchCancelled(Event):
    """The table is stopped; `refunds` (seat, amount) empty the pot. Stacks follow as `seat_left`."""

    public = ("reason", "refunds")
    reason: str
    refunds: tuple[tuple[int, int], ...]

    def fold(self, state: TableState) -> TableState:
        return _over(state if state.match is None else with_match(state, pot=0))


def _rejoin_answered(state: TableState, seat: int) -> TableState:
    assert state.rejoin is not None
    seats = tuple(other for other in state.rejoin.seats if other != seat)
    return replace(state, rejoin=replace(state.rejoin, seats=seats))


def _over(state: TableState) -> TableState:
    """Stop the table: nothing more happens at it."""
    if state.deal is not None:
        state = with_deal(state, turn=None)
    return replace(state, phase=Phase.OVER, clock=None, prepared=None, rejoin=None, split=None)
