"""The events of a deal, from the dealt cards to the last discard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rules.cards import Card, Face
from rules.game.events.base import (
    By,
    Event,
    hands_less,
    hands_with,
    out_of_deal,
    with_deal,
    with_hand,
    with_match,
    with_seat,
)
from rules.game.moves import Pile
from rules.game.results import Groups
from rules.game.state import Clock, DealState, Discarded, Hand, MatchState, Phase, Standing, TableState, Turn, replace

__all__ = [
    "AutoDropSet",
    "CardDiscarded",
    "CardDrawn",
    "CardsDealt",
    "ClosedDeckReshuffled",
    "CutJokerTurned",
    "ExtraTimeBegan",
    "HandArranged",
    "HandSorted",
    "MatchStarted",
    "PlayerDropped",
    "TossMade",
    "TurnAutoPlayed",
    "TurnBegan",
    "UpcardTurned",
]


#: So many discards that went back into the closed deck are remembered, and so many that were picked up. Hardly a deal
#: has more; without this bound states and frames of an endless one would grow at every turn.
MOST_GONE: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted(Event):
    """The entries (0 in points and blind) moved from the stacks of `seats` into the pot; all have the first total."""

    public = ("seats", "entry", "pot")
    seats: tuple[int, ...]
    entry: int
    pot: int

    def fold(self, state: TableState) -> TableState:
        for seat in self.seats:
            state = with_seat(state, seat, stack=state.seat(seat).stack - self.entry, total=state.book.first_total)
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
    """The first card of the open pile, which nobody has discarded."""

    public = ("card",)
    card: Card

    def fold(self, state: TableState) -> TableState:
        return with_deal(state, closed=state.current.closed[1:], discards=(Discarded(seat=None, card=self.card),))


@dataclass(frozen=True, slots=True, kw_only=True)
class CutJokerTurned(Event):
    """The card whose rank is wild in this deal; after a printed joker the aces are."""

    public = ("card", "wild_rank")
    card: Card
    wild_rank: int

    def fold(self, state: TableState) -> TableState:
        return with_deal(state, closed=state.current.closed[1:], cut=self.card, wild=self.wild_rank)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBegan(Event):
    """The turn clock of `seat` runs; `number` counts the turns of the deal from 1."""

    public = ("seat", "number", "clock")
    seat: int
    number: int
    clock: Clock

    def fold(self, state: TableState) -> TableState:
        deal = replace(state.current, turn=Turn(number=self.number, seat=self.seat), turns=self.number)
        return replace(state, deal=deal, clock=self.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraTimeBegan(Event):
    """The turn clock has run out, and the extra time of `seat` runs."""

    public = ("seat", "clock")
    seat: int
    clock: Clock

    def fold(self, state: TableState) -> TableState:
        return replace(state, clock=self.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDrawn(Event):
    """The top card of a pile is in the hand of `seat`."""

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
        """Put the card into the hand; the player's own draw ends their row of turns played by the platform."""
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
    """The card lies on the discards and the turn of `seat` is over."""

    public = ("seat", "by")
    own = ("card",)
    seat: int
    card: Card
    by: By
    face_down: bool

    def visible(self, viewer: int | None) -> tuple[str, ...]:
        """Show a card that lies face down (blind) only to its owner."""
        return self.public if self.face_down and viewer != self.seat else self.public + self.own

    def fold(self, state: TableState) -> TableState:
        deal = state.current
        hands = hands_less(deal, self.seat, self.card)
        discards = (*deal.discards, Discarded(seat=self.seat, card=self.card))
        # Between two reshuffles as many as one likes may be picked up.
        if len(discards) > 3 * MOST_GONE:
            discards = _remembered(discards)
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
    """The player is out of the deal at the price of `points`."""

    public = ("seat", "points", "by")
    seat: int
    points: int
    by: By

    def fold(self, state: TableState) -> TableState:
        return out_of_deal(state, self.seat, Standing.DROPPED, self.points)


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoDropSet(Event):
    """The switch that drops at the beginning of the player's next turn is on or off."""

    own = ("seat", "on")
    seat: int
    on: bool

    def fold(self, state: TableState) -> TableState:
        return with_hand(state, self.seat, auto_drop=self.on)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandArranged(Event):
    """The player has laid their cards in these groups; nobody else learns of it."""

    own = ("seat", "groups")
    seat: int
    groups: Groups

    def fold(self, state: TableState) -> TableState:
        return with_hand(state, self.seat, groups=self.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSorted(Event):
    """The cards of the player are sorted into these groups, which is possible once in a deal."""

    own = ("seat", "groups")
    seat: int
    groups: Groups

    def fold(self, state: TableState) -> TableState:
        return with_hand(state, self.seat, groups=self.groups, sort_used=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedDeckReshuffled(Event):
    """The discards under the top one (blind: all) became the closed deck, for the `number`-th time in this deal."""

    public = ("number", "count")
    number: int
    count: int
    cards: tuple[Card, ...]

    def fold(self, state: TableState) -> TableState:
        """Take the cards off the pile, but remember who discarded the last MOST_GONE (RULES.md, The books)."""
        shuffled = set(self.cards)
        discards = tuple(_back_in_deck(entry, shuffled) for entry in state.current.discards)
        return with_deal(state, closed=self.cards, discards=_remembered(discards), reshuffles=self.number)


def _picked_up(deal: DealState, seat: int) -> tuple[Discarded, ...]:
    """Return the discards after `seat` took the top of the open pile."""
    top = deal.open_pile[-1]
    return tuple(replace(entry, picked_by=seat) if entry is top else entry for entry in deal.discards)


def _remembered(discards: tuple[Discarded, ...]) -> tuple[Discarded, ...]:
    """Return the discards that lie, and the last MOST_GONE of those that went back and of those picked up."""
    places = range(len(discards))
    went_back = [place for place in places if discards[place].reshuffled]
    picked_up = [place for place in places if discards[place].picked_by is not None]
    forgotten = {*went_back[:-MOST_GONE], *picked_up[:-MOST_GONE]}
    return tuple(discards[place] for place in places if place not in forgotten)


def _back_in_deck(entry: Discarded, shuffled: set[Card]) -> Discarded:
    return replace(entry, reshuffled=True) if entry.lies and entry.card in shuffled else entry
