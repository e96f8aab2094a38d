"""A deal, from the cards to the last submission."""

from __future__ import annotations

from dataclasses import dataclass

from rules.cards import Card, Face
from rules.game.events.base import By, Event
from rules.game.moves import Pile
from rules.game.state import Clock, Groups


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
    """The platform draws and discards for an absent player: their `auto`-th time in a row, their `misses`-th miss."""

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
    """The discards under the top one (blind: all) became the closed deck, for the `number`-th time in this deal.

    `remembered`: they stay among the discards that are shown. Events of format 1 forgot them.
    """

    public = ("number", "count")
    number: int
    count: int
    cards: tuple[Card, ...]
    remembered: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishPlaced(Event):
    """A card lies in the finish slot, face down: only the declarer knows it. None: shown without drawing."""

    public = ("seat", "clock")
    own = ("card",)
    seat: int
    card: Card | None
    clock: Clock

    def visible(self, viewer: int | None) -> tuple[str, ...]:
        """That there is no card is no secret."""
        return self.public + self.own if self.card is None or viewer == self.seat else self.public


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
    """A wrong declaration: the player is out of the deal and their finish card goes to the discards."""

    public = ("seat", "points", "by")
    own = ("card",)
    seat: int
    groups: Groups
    points: int
    card: Card | None
    by: By
    face_down: bool

    def visible(self, viewer: int | None) -> tuple[str, ...]:
        return self.public if self.face_down and viewer != self.seat else self.public + self.own


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSubmitted(Event):
    """A loser handed in their groups; what they pay is shown with the result."""

    public = ("seat", "by")
    own = ("groups", "points")
    seat: int
    groups: Groups
    points: int
    by: By
