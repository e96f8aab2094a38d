"""What a computer player goes by: its strength, and the view of its seat."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from rules.books import RuleBook
from rules.cards import Card
from rules.game.views.shapes import DealView, MeView, SeatView, View
from rules.solver.search import Best, best
from rules.text import translatable

#: The names of computer players, in the order in which they join a table. No player may take such a name.
NAMES: Final = translatable(("Meera", "Kabir", "Tara", "Vikram", "Leela"))

Frame = dict[str, Any]


class Strength(StrEnum):
    """How well a computer player plays."""

    #: Draws from the closed deck, never drops, and lets the dearest loose card go.
    GENTLE = "gentle"
    #: Takes what melds, keeps what may still meld.
    SOUND = "sound"
    #: Counts the cards that are gone, and lowers what it holds before it is caught.
    SHARP = "sharp"
    #: Weighs all ways to a valid show, and what each decision is worth in points.
    EXPERT = "expert"


@dataclass(frozen=True, slots=True)
class Eye:
    """A player's view with its rule book and the wild rank (0: none)."""

    view: View
    me: MeView
    book: RuleBook
    wild: int
    strength: Strength

    @property
    def seat(self) -> SeatView:
        return self.view["seats"][self.me["seat"]]

    @property
    def deal(self) -> DealView:
        """The deal on the table; only where there is one."""
        deal = self.view["deal"]
        assert deal is not None, "no deal is on the table"
        return deal

    @property
    def packs(self) -> int:
        """Return the number of packs in the shoe of this deal."""
        return self.book.packs_for(sum(seat["status"] != "empty" for seat in self.view["seats"]))

    def best(self, *more: Card) -> Best:
        """Return the best arrangement of the player's hand together with these cards."""
        return best(self.book, self.wild, [*self.me["hand"], *more])

    def next_seat(self) -> int | None:
        """Return the seat of the next player still in the deal."""
        seats, own = self.view["seats"], self.me["seat"]
        following = (*seats[own + 1 :], *seats[:own])
        return next((seat["seat"] for seat in following if seat["status"] == "playing"), None)

    def picked_by_next(self) -> list[Card]:
        """Return the cards that the next player still in the deal has picked from the open pile."""
        after = self.next_seat()
        return [entry["card"] for entry in self.deal["discards"] if entry["card"] and entry.get("picked_by") == after]
