"""The events at the end of a deal: the finish slot, the declaration, the submissions of the others."""

from __future__ import annotations

from dataclasses import dataclass

from rules.cards import Card
from rules.game.events.base import By, Event, hands_less, out_of_deal, with_deal, with_hand
from rules.game.results import Groups
from rules.game.state import Clock, Discarded, Finished, Phase, Standing, TableState, replace

__all__ = ["FinishPlaced", "HandSubmitted", "ShowAccepted", "ShowRefused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishPlaced(Event):
    """A card lies in the finish slot, face down: only the declarer knows it. None: shown without drawing."""

    public = ("seat", "clock")
    own = ("card",)
    seat: int
    card: Card | None
    clock: Clock

    def visible(self, viewer: int | None) -> tuple[str, ...]:
        """Show everybody that there is no card: that is no secret."""
        return self.public + self.own if self.card is None or viewer == self.seat else self.public

    def fold(self, state: TableState) -> TableState:
        deal = state.current
        if self.card is not None:
            hands = hands_less(deal, self.seat, self.card)
            deal = replace(deal, hands=hands)
        deal = replace(deal, finished=Finished(seat=self.seat, card=self.card))
        return replace(state, deal=deal, phase=Phase.MELDING, clock=self.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowAccepted(Event):
    """A valid declaration; the others meld until `clock` ends. Its groups are shown with the result."""

    public = ("seat", "by", "clock")
    seat: int
    groups: Groups
    by: By
    clock: Clock

    def fold(self, state: TableState) -> TableState:
        state = with_hand(state, self.seat, standing=Standing.SUBMITTED, points=0, groups=self.groups)
        state = with_deal(state, turn=None, winner=self.seat)
        return replace(state, clock=self.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRefused(Event):
    """A wrong show: the player is out of the deal and their finish card goes to the discards."""

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

    def fold(self, state: TableState) -> TableState:
        placed = () if self.card is None else (Discarded(seat=self.seat, card=self.card),)
        state = with_hand(state, self.seat, groups=self.groups)
        state = with_deal(state, discards=(*state.current.discards, *placed), finished=None)
        standing = Standing.LEFT_SHOW if self.by is By.LEAVING else Standing.WRONG
        return out_of_deal(state, self.seat, standing, self.points)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSubmitted(Event):
    """A loser has submitted their groups; their points are shown with the result."""

    public = ("seat", "by")
    own = ("groups", "points")
    seat: int
    groups: Groups
    points: int
    by: By

    def fold(self, state: TableState) -> TableState:
        return with_hand(state, self.seat, standing=Standing.SUBMITTED, points=self.points, groups=self.groups)
