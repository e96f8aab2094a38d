"""A deal, from the cards to the last submission."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rules.cards import Card, Face
from rules.game.events.base import By, Event
from rules.game.events.updates import hands_with, out_of_deal, with_deal, with_hand, with_match, with_seat
from rules.game.moves import Pile
from rules.game.results import Groups
from rules.game.state import Clock, DealState, Discarded, Finished, Hand, MatchState, Phase, Standing, TableState, Turn
from rules.game.values import replace

__all__ = [
    "AutoDropSet",
    "CardDiscarded",
    "CardDrawn",
    "CardsDealt",
    "ClosedDeckReshuffled",
    "CutJokerTurned",
    "ExtraTimeBegan",
    "FinishPlaced",
    "HandArranged",
    "HandSorted",
    "HandSubmitted",
    "MatchStarted",
    "PlayerDropped",
    "ShowAccepted",
    "ShowRefused",
    "TossMade",
    "TurnAutoPlayed",
    "TurnBegan",
    "UpcardTurned",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted(Event):
    """The entries (0 in points and blind) went from the stacks of `seats` into the pot."""

    public = ("seats", "entry", "pot")
    seats: tuple[int, ...]
    entry: int
    pot: int

    def fold(self, state: TableState) -> TableState:
        for seat in self.seats:
            state = with_seat(state, seat, stack=state.seat(seat).stack - self.entry)
        return replace(state, match=MatchState(players=self.seats, pot=self.pot))


@dataclass(frozen=True, slots=True, kw_only=True)
class TossMade(Event):
    """One card to each seat; `order` is the order of turns, the first player first, the dealer last."""

    public = ("cards", "order")
    cards: tuple[tuple[int, Face], ...]
    order: tuple[int, ...]

    def fold(self, state: TableState) -> TableState:
        return with_match(state, order=self.order, toss=self.cards)


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

    def fold(self, state: TableState) -> TableState:
        prepared = state.prepared
        assert prepared is not None and prepared.deal_id == self.deal_id
        dealt = dict(zip(self.order, self.hands, strict=True))
        deal = DealState(
            deal_id=self.deal_id,
            number=self.number,
            seed=prepared.seed,
            commitment=prepared.commitment,
            clients=self.clients,
            packs=self.packs,
            order=self.order,
            hands=tuple(Hand(cards=dealt[seat]) if seat in dealt else None for seat in range(len(state.seats))),
            closed=self.closed,
        )
        for seat in self.order:
            state = with_seat(state, seat, ready=False, dealt=self.number)
        state = with_match(state, first=self.order[0], split_offered=False)
        return replace(state, phase=Phase.PLAYING, clock=None, deals=self.number, prepared=None, deal=deal, result=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpcardTurned(Event):
    public = ("card",)
    card: Card

    def fold(self, state: TableState) -> TableState:
        return with_deal(state, closed=state.current.closed[1:], discards=(Discarded(seat=None, card=self.card),))


@dataclass(frozen=True, slots=True, kw_only=True)
class CutJokerTurned(Event):
    public = ("card", "wild_rank")
    card: Card
    wild_rank: int

    def fold(self, state: TableState) -> TableState:
        return with_deal(state, closed=state.current.closed[1:], cut=self.card, wild=self.wild_rank)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBegan(Event):
    public = ("seat", "number", "clock")
    seat: int
    number: int
    clock: Clock

    def fold(self, state: TableState) -> TableState:
        deal = replace(state.current, turn=Turn(number=self.number, seat=self.seat), turns=self.number)
        return replace(state, deal=deal, clock=self.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraTimeBegan(Event):
    public = ("seat", "clock")
    seat: int
    clock: Clock

    def fold(self, state: TableState) -> TableState:
        return replace(state, clock=self.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDrawn(Event):
    public = ("seat", "pile", "by")
    own = ("card",)
    seat: int
    pile: Pile
    card: Card
    by: By

    def visible(self, viewer: int | None) -> tuple[str, ...]:
        """Show everybody which card leaves the open pile."""
        return self.public + self.own if self.pile is Pile.OPEN or viewer == self.seat else self.public

    def fold(self, state: TableState) -> TableState:
        """Put the card into the hand; a draw of the player's own ends the row of what the platform played for them."""
        deal, hand = state.current, state.current.hand(self.seat)
        assert deal.turn is not None
        own: dict[str, int] = {"misses": 0, "auto": 0} if self.by is By.PLAYER else {}
        hands = hands_with(deal, self.seat, cards=(*hand.cards, self.card), draws=hand.draws + 1, **own)
        turn = replace(deal.turn, drawn=self.card)
        if self.pile is Pile.CLOSED:
            return with_deal(state, hands=hands, turn=turn, closed=deal.closed[1:])
        return with_deal(state, hands=hands, turn=turn, discards=_picked_up(deal, self.seat))


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDiscarded(Event):
    public = ("seat", "by")
    own = ("card",)
    seat: int
    card: Card
    by: By
    face_down: bool

    def visible(self, viewer: int | None) -> tuple[str, ...]:
        """Show a card that lies face down (blind) to its owner only."""
        return self.public if self.face_down and viewer != self.seat else self.public + self.own

    def fold(self, state: TableState) -> TableState:
        deal = state.current
        hands = hands_with(deal, self.seat, **_given_up(deal.hand(self.seat), self.card))
        discards = (*deal.discards, Discarded(seat=self.seat, card=self.card))
        return replace(state, deal=replace(deal, hands=hands, turn=None, discards=discards), clock=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAutoPlayed(Event):
    """The platform draws and discards for an absent player: their `auto`-th time in a row, their `misses`-th miss."""

    public = ("seat", "auto", "misses")
    seat: int
    auto: int
    misses: int

    def fold(self, state: TableState) -> TableState:
        return with_hand(state, self.seat, auto=self.auto, misses=self.misses)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerDropped(Event):
    public = ("seat", "points", "by")
    seat: int
    points: int
    by: By

    def fold(self, state: TableState) -> TableState:
        return out_of_deal(state, self.seat, Standing.DROPPED, self.points)


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoDropSet(Event):
    own = ("seat", "on")
    seat: int
    on: bool

    def fold(self, state: TableState) -> TableState:
        return with_hand(state, self.seat, auto_drop=self.on)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandArranged(Event):
    own = ("seat", "groups")
    seat: int
    groups: Groups

    def fold(self, state: TableState) -> TableState:
        return with_hand(state, self.seat, groups=self.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSorted(Event):
    own = ("seat", "groups")
    seat: int
    groups: Groups

    def fold(self, state: TableState) -> TableState:
        return with_hand(state, self.seat, groups=self.groups, sort_used=True)


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

    def fold(self, state: TableState) -> TableState:
        """Take the cards away, and keep the memory of who discarded them (rules.md, The books)."""
        deal, shuffled = state.current, set(self.cards)
        if self.remembered:
            discards = tuple(_back_in_deck(entry, shuffled) for entry in deal.discards)
        else:
            discards = tuple(entry for entry in deal.open_pile if entry.card not in shuffled)
        return with_deal(state, closed=self.cards, discards=discards, reshuffles=self.number)


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
            hands = hands_with(deal, self.seat, **_given_up(deal.hand(self.seat), self.card))
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

    def fold(self, state: TableState) -> TableState:
        placed = () if self.card is None else (Discarded(seat=self.seat, card=self.card),)
        state = with_hand(state, self.seat, groups=self.groups)
        state = with_deal(state, discards=(*state.current.discards, *placed), finished=None)
        return out_of_deal(state, self.seat, Standing.WRONG, self.points)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSubmitted(Event):
    """A loser handed in their groups; what they pay is shown with the result."""

    public = ("seat", "by")
    own = ("groups", "points")
    seat: int
    groups: Groups
    points: int
    by: By

    def fold(self, state: TableState) -> TableState:
        return with_hand(state, self.seat, standing=Standing.SUBMITTED, points=self.points, groups=self.groups)


def _picked_up(deal: DealState, seat: int) -> tuple[Discarded, ...]:
    """Return the discards after `seat` took the top of the open pile."""
    top = deal.open_pile[-1]
    return tuple(replace(entry, picked_by=seat) if entry is top else entry for entry in deal.discards)


def _given_up(hand: Hand, card: Card) -> dict[str, Any]:
    """Return what changes in a hand when a card goes out of it."""
    return {"cards": _less(hand.cards, card), "groups": _without(hand.groups, card)}


def _back_in_deck(entry: Discarded, shuffled: set[Card]) -> Discarded:
    return replace(entry, reshuffled=True) if entry.lies and entry.card in shuffled else entry


def _without(groups: Groups, card: Card) -> Groups:
    """Return the groups after a card has left them; an emptied group is gone."""
    kept = (_less(group, card) if card in group else group for group in groups)
    return tuple(group for group in kept if group)


def _less(cards: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    return tuple(other for other in cards if other != card)
