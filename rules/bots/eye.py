"""What a computer player goes by: its strength, the view of its seat, and what it has seen of the cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from rules.books import RuleBook
from rules.bots.plans import BIT, RANK_MASKS, Unseen
from rules.cards import PACK, Card
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


class SeenCards(NamedTuple):
    """The cards whose place is known, and those of them that the next player has picked and holds."""

    cards: frozenset[Card]
    next_holds: frozenset[Card]


def seen_by(eye: Eye) -> SeenCards:
    """Return what the player has seen in the deal so far."""
    lying: set[Card] = set()
    held: dict[Card, int] = {}
    for number, entry in enumerate(eye.deal["discards"]):
        card = entry["card"]
        if card is None:
            continue
        held.pop(card, None)
        if "picked_by" in entry:
            held[card] = entry["picked_by"]
        elif number >= eye.deal["reshuffled_count"]:
            lying.add(card)
    cut = eye.deal["cut_joker"]
    cards = {*eye.me["hand"], *lying, *held, *([cut] if cut else [])}
    after = eye.next_seat()
    return SeenCards(frozenset(cards), frozenset(card for card, seat in held.items() if seat == after))


def cards_gone(eye: Eye) -> Counter[str]:
    """Count by face the cards that nobody can draw any more, as far as this player has seen: each once."""
    return Counter(card[:-1] for card in seen_by(eye).cards)


def unseen_by(eye: Eye, seen: Iterable[Card]) -> Unseen:
    """Return which cards may still come, if these have been seen."""
    left = {mask: eye.packs for mask in BIT.values() if mask}
    printed, count = eye.packs, len(PACK) * eye.packs
    for card in seen:
        count -= 1
        if mask := BIT[card[:-1]]:
            left[mask] -= 1
        else:
            printed -= 1
    wild = RANK_MASKS[eye.wild - 1]
    once, twice, thrice = (sum(mask for mask, copies in left.items() if copies >= number) for number in (1, 2, 3))
    return Unseen(once, twice, thrice, printed + sum(left[mask] for mask in left if mask & wild), count)
