"""What happened at a table: frozen nouns of completed acts, and who may see which of their fields.

An event carries everything `folding.fold` needs, secrets too. `public` names the fields everybody may see, `own` those
that only the player in `seat` sees besides; what is named nowhere is seen by nobody. An event of which a viewer may
see no field at all does not exist for him. Fields that depend on the pile or the book override `visible`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from rules.cards import Card, Face
from rules.game.moves import Pile
from rules.game.state import Clock, Groups, Row, ShareLine


class By(StrEnum):
    """Who did it: the player, or the platform in his place."""

    PLAYER = "player"
    PLATFORM = "platform"


EVENTS: dict[str, type[Event]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The base of all events; `name` is the class name in snake case."""

    name: ClassVar[str] = ""
    public: ClassVar[tuple[str, ...]] = ()
    own: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls.name = re.sub(r"(?<!^)([A-Z])", r"_\1", cls.__name__).lower()
        EVENTS[cls.name] = cls

    def visible(self, viewer: int | None) -> tuple[str, ...]:
        """The names of the fields that `viewer` (a seat, None for one who watches) may see."""
        if self.own and viewer is not None and viewer == getattr(self, "seat", None):
            return self.public + self.own
        return self.public


# --- seats and money on the table -----------------------------------------------------------------------------------


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
    """The player is gone, his seat stays reserved. `points` are fixed for the running deal (None: he was in none);
    `returned` went back to his balance, what he lost stays on the stack until the deal is settled."""

    public = ("seat", "points", "returned")
    seat: int
    points: int | None
    returned: int


# --- before a deal ----------------------------------------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted(Event):
    """The entries (0 in points and blind) went from the stacks of `seats` into the pot."""

    public = ("seats", "entry", "pot")
    seats: tuple[int, ...]
    entry: int
    pot: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TossMade(Event):
    """One card to each seat; `order` is the order of turns, the first player first, the dealer last."""

    public = ("cards", "order")
    cards: tuple[tuple[int, Face], ...]
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsDealt(Event):
    """The deal begins. `hands` follow `order`; `closed` is the rest of the shoe, its first card on top."""

    public = ("deal_id", "number", "order")
    deal_id: str
    number: int
    order: tuple[int, ...]
    packs: int
    clients: tuple[str, ...]
    hands: tuple[tuple[Card, ...], ...]
    closed: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UpcardTurned(Event):
    public = ("card",)
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class CutJokerTurned(Event):
    public = ("card", "wild_rank")
    card: Card
    wild_rank: int


# --- turns ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBegan(Event):
    public = ("seat", "number", "clock")
    seat: int
    number: int
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraTimeBegan(Event):
    public = ("seat", "clock")
    seat: int
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDrawn(Event):
    public = ("seat", "pile", "by")
    own = ("card",)
    seat: int
    pile: Pile
    card: Card
    by: By

    def visible(self, viewer: int | None) -> tuple[str, ...]:
        """Everybody sees which card leaves the open pile."""
        return self.public + self.own if self.pile is Pile.OPEN or viewer == self.seat else self.public


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDiscarded(Event):
    public = ("seat", "by")
    own = ("card",)
    seat: int
    card: Card
    by: By
    face_down: bool

    def visible(self, viewer: int | None) -> tuple[str, ...]:
        """Face down (blind) only its owner knows the card."""
        return self.public if self.face_down and viewer != self.seat else self.public + self.own


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAutoPlayed(Event):
    """The platform draws and discards for an absent player: his `auto`-th time in a row, his `misses`-th miss."""

    public = ("seat", "auto", "misses")
    seat: int
    auto: int
    misses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerDropped(Event):
    public = ("seat", "points", "by")
    seat: int
    points: int
    by: By


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoDropSet(Event):
    own = ("seat", "on")
    seat: int
    on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HandArranged(Event):
    own = ("seat", "groups")
    seat: int
    groups: Groups


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSorted(Event):
    own = ("seat", "groups")
    seat: int
    groups: Groups


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedDeckReshuffled(Event):
    """The discards under the top one (blind: all) became the closed deck, for the `number`-th time in this deal."""

    public = ("number", "count")
    number: int
    count: int
    cards: tuple[Card, ...]


# --- melding ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishPlaced(Event):
    """A card lies in the finish slot, face down: only the declarer knows it."""

    public = ("seat", "clock")
    own = ("card",)
    seat: int
    card: Card
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowAccepted(Event):
    """A valid declaration; the others meld until `clock` ends. Its groups are shown with the result."""

    public = ("seat", "by", "clock")
    seat: int
    groups: Groups
    by: By
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRefused(Event):
    """A wrong declaration: the player is out of the deal and his finish card goes to the discards."""

    public = ("seat", "points", "by")
    own = ("card",)
    seat: int
    groups: Groups
    points: int
    card: Card
    by: By
    face_down: bool

    def visible(self, viewer: int | None) -> tuple[str, ...]:
        return self.public if self.face_down and viewer != self.seat else self.public + self.own


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSubmitted(Event):
    """A loser handed in his groups; what he pays is shown with the result."""

    public = ("seat", "by")
    own = ("groups", "points")
    seat: int
    groups: Groups
    points: int
    by: By


# --- after a deal -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class DealVoided(Event):
    """Nothing was left to draw: nobody scores, a new deal follows."""

    public = ("deal_id",)
    deal_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DealEnded(Event):
    """The result, all hands open."""

    public = ("deal_id", "winner", "rows")
    deal_id: str
    winner: int
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
    """`amount` went from the player's balance into the pot; he goes on with `total` points."""

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
