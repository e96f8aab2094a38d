"""What one player could know at each of their decisions in a deal, from the events as that player saw them.

Only redacted events and the player's own first hand are read, so a hidden card cannot find its way in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from rules.books import RuleBook
from rules.cards import HAND_SIZE, Card, ordered_shoe
from rules.game.events import Event
from rules.game.moves import Discard, Draw, Drop, Finish, Pile, PlayerMove
from rules.game.state import Discarded, Standing, replace
from rules.game.views import redact

#: Stands for a card that the player has not seen.
UNSEEN: Final[Card] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenSeat:
    """One player of the deal, as the others see them. `total` are their points in the match before the deal.

    `known` are cards that they were seen to pick and have not let go. `hidden` says how many of their other cards come
    from the shoe as it was dealt (0) and from each reshuffle (1, 2 …), by its number.
    """

    seat: int
    cards: int = HAND_SIZE
    standing: Standing = Standing.IN
    points: int | None = None
    draws: int = 0
    total: int = 0
    known: tuple[Card, ...] = ()
    hidden: tuple[tuple[int, int], ...] = ((0, HAND_SIZE),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A draw (from the closed deck) or a discard since the last shuffle; `card` where the player saw it."""

    seat: int
    draws: bool
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the player in `seat` could know at one decision: nothing in it is hidden from them.

    `hand` is their own, with `drawn` (None before the draw); `seats` are all players in the order of turns, the first
    player first; `turn` counts the turns of the deal from 1. In `discards` a card that the player has not seen is
    UNSEEN. `hidden` are the cards of the shoe that the player cannot place, each with the number of the reshuffle in
    which it went back into the closed deck (0: never seen). `since` is what has happened since the last reshuffle, and
    `at_shuffle` how many cards the closed deck had then, and by seat the others.
    """

    book: RuleBook
    seat: int
    turn: int
    hand: tuple[Card, ...]
    drawn: Card | None
    cut: Card
    wild: int
    packs: int
    closed: int
    discards: tuple[Discarded, ...]
    seats: tuple[SeenSeat, ...]
    reshuffles: int
    hidden: tuple[tuple[Card, int], ...]
    since: tuple[Step, ...] = ()
    at_shuffle: tuple[tuple[int | None, int], ...] = ()
    #: The player's own discards that went back into the closed deck last (blind: nobody saw the others).
    went_back: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A decision of the player in a deal: what they could know, and what they did. `event` is the place of the event
    that followed it, among all of the deal."""

    seen: Known
    played: PlayerMove
    event: int


def decisions_of(
    book: RuleBook, happened: Iterable[Event], seat: int, totals: Mapping[int, int] | None = None
) -> Iterator[Decision]:
    """Yield each decision of the player in `seat`, from the events of one deal: draws, discards, drops and finishes.

    What the platform played for them is no decision. `totals` are the points of the match before the deal, by seat.
    """
    watch: _Watch | None = None
    for place, event in enumerate(happened):
        view = redact(event, seat)
        if view is None:
            continue
        if watch is not None:
            if (played := _played(view, seat)) is not None and watch.cut:
                yield Decision(seen=watch.seen(), played=played, event=place)
            watch.follow(view)
        elif view["type"] == "cards_dealt" and seat in view["order"]:
            own = dict(zip(event.order, event.hands, strict=True))[seat]  # type: ignore[attr-defined]
            watch = _Watch(book, seat, tuple(view["order"]), own, totals or {})


def _played(view: Mapping[str, Any], seat: int) -> PlayerMove | None:
    """Return the move of the player that this event shows, None if it shows none."""
    if view.get("seat") != seat or view.get("by", "player") != "player":
        return None
    match view["type"]:
        case "card_drawn":
            return Draw(seat=seat, pile=Pile(view["pile"]))
        case "card_discarded":
            return Discard(seat=seat, card=view["card"])
        case "player_dropped":
            return Drop(seat=seat)
        case "finish_placed":
            return Finish(seat=seat, card=view["card"])
        case _:
            return None


@dataclass
class _Other:
    """What is known of one player: `cards` in their hand, the `known` ones, and how many `hidden` ones by shuffle."""

    cards: int = HAND_SIZE
    standing: Standing = Standing.IN
    points: int | None = None
    draws: int = 0
    known: list[Card] = field(default_factory=list)
    hidden: Counter[int] = field(default_factory=lambda: Counter({0: HAND_SIZE}))


class _Watch:
    """One who follows a deal from a seat, event by event."""

    def __init__(
        self, book: RuleBook, seat: int, order: tuple[int, ...], own: tuple[Card, ...], totals: Mapping[int, int]
    ) -> None:
        self.book, self.seat, self.order, self.totals = book, seat, order, totals
        self.packs = book.packs_for(len(order))
        self.hand, self.cut, self.wild = list(own), "", 0
        self.drawn: Card | None = None
        self.turn, self.reshuffles = 0, 0
        self.seats = {each: _Other() for each in order}
        self.discards: list[Discarded] = []
        shoe = ordered_shoe(self.packs)
        self.closed = len(shoe) - HAND_SIZE * len(order)
        self.hidden = dict.fromkeys((card for card in shoe if card not in own), 0)
        self.since: list[Step] = []
        self.went_back: tuple[Card, ...] = ()
        self.at_shuffle = self._sizes()
        self.placed = False

    def follow(self, view: Mapping[str, Any]) -> None:
        """Take in what the event shows."""
        step = _STEPS.get(view["type"])
        if step is not None:
            step(self, view)

    def seen(self) -> Known:
        """Return what the player knows now."""
        return Known(
            book=self.book,
            seat=self.seat,
            turn=self.turn,
            hand=tuple(self.hand),
            drawn=self.drawn,
            cut=self.cut,
            wild=self.wild,
            packs=self.packs,
            closed=self.closed,
            discards=tuple(self.discards),
            seats=tuple(self._seat(each, self.seats[each]) for each in self.order),
            reshuffles=self.reshuffles,
            hidden=tuple(self.hidden.items()),
            since=tuple(self.since),
            at_shuffle=self.at_shuffle,
            went_back=self.went_back,
        )

    def _seat(self, seat: int, other: _Other) -> SeenSeat:
        return SeenSeat(
            seat=seat,
            cards=other.cards,
            standing=other.standing,
            points=other.points,
            draws=other.draws,
            total=self.totals.get(seat, self.book.first_total),
            known=tuple(other.known),
            hidden=tuple(sorted((+other.hidden).items())),
        )

    def _sizes(self) -> tuple[tuple[int | None, int], ...]:
        """Return the sizes of the closed deck (None) and of the other hands."""
        return ((None, self.closed), *((seat, each.cards) for seat, each in self.seats.items() if seat != self.seat))

    def _upcard(self, view: Mapping[str, Any]) -> None:
        self.closed -= 1
        del self.hidden[view["card"]]
        self.discards.append(Discarded(seat=None, card=view["card"]))
        self.at_shuffle = self._sizes()

    def _cut(self, view: Mapping[str, Any]) -> None:
        self.closed -= 1
        self.cut, self.wild = view["card"], view["wild_rank"]
        del self.hidden[view["card"]]
        self.at_shuffle = self._sizes()

    def _turn(self, view: Mapping[str, Any]) -> None:
        self.turn, self.drawn = view["number"], None

    def _draw(self, view: Mapping[str, Any]) -> None:
        seat, card, other = view["seat"], view.get("card", UNSEEN), self.seats[view["seat"]]
        other.cards, other.draws = other.cards + 1, other.draws + 1
        if view["pile"] == Pile.OPEN:
            place = max(place for place, entry in enumerate(self.discards) if entry.lies)
            self.discards[place] = replace(self.discards[place], picked_by=seat)
        else:
            self.closed -= 1
            self.since.append(Step(seat=seat, draws=True, card=card))
        if seat == self.seat:
            self.hand.append(card)
            self.drawn = card
            self.hidden.pop(card, None)
        elif view["pile"] == Pile.OPEN:
            other.known.append(card)
        else:
            other.hidden[self.reshuffles] += 1

    def _discard(self, view: Mapping[str, Any]) -> None:
        self._let_go(view["seat"], view.get("card", UNSEEN))

    def _let_go(self, seat: int, card: Card) -> None:
        """Put the card (UNSEEN: some card) out of the hand of `seat` onto the discards."""
        other = self.seats[seat]
        other.cards -= 1
        self.discards.append(Discarded(seat=seat, card=card))
        self.since.append(Step(seat=seat, draws=False, card=card))
        if seat == self.seat:
            self.hand.remove(card)
            self.drawn = None
        elif card in other.known:
            other.known.remove(card)
        elif card != UNSEEN:
            other.hidden[self.hidden.pop(card)] -= 1

    def _finish(self, view: Mapping[str, Any]) -> None:
        """Remember whether a card was placed: its name is a secret, that there is none is not."""
        self.placed = view.get("card", UNSEEN) is not None

    def _refused(self, view: Mapping[str, Any]) -> None:
        if self.placed:
            self._let_go(view["seat"], view.get("card", UNSEEN))
        self._out(view["seat"], Standing.WRONG, view["points"])

    def _dropped(self, view: Mapping[str, Any]) -> None:
        self._out(view["seat"], Standing.DROPPED, view["points"])

    def _left(self, view: Mapping[str, Any]) -> None:
        if view["seat"] in self.seats and self.seats[view["seat"]].standing is Standing.IN:
            self._out(view["seat"], Standing.LEFT, view["points"])

    def _out(self, seat: int, standing: Standing, points: int) -> None:
        self.seats[seat].standing, self.seats[seat].points = standing, points

    def _reshuffled(self, view: Mapping[str, Any]) -> None:
        """Put all discards, but the top one where it lies open, back into the closed deck."""
        self.reshuffles, self.closed = view["number"], view["count"]
        lying = [place for place, entry in enumerate(self.discards) if entry.lies]
        old = lying[:-1] if self.book.open_pile else lying
        back = [self.discards[place].card for place in old]
        for place in old:
            self.discards[place] = replace(self.discards[place], reshuffled=True)
        for card in back:
            if card != UNSEEN:
                self.hidden[card] = self.reshuffles
        self.went_back = tuple(card for card in back if card != UNSEEN)
        self.since = []
        self.at_shuffle = self._sizes()


_STEPS: Final[Mapping[str, Callable[[_Watch, Mapping[str, Any]], None]]] = {
    "upcard_turned": _Watch._upcard,
    "cut_joker_turned": _Watch._cut,
    "turn_began": _Watch._turn,
    "card_drawn": _Watch._draw,
    "card_discarded": _Watch._discard,
    "finish_placed": _Watch._finish,
    "show_refused": _Watch._refused,
    "player_dropped": _Watch._dropped,
    "player_left": _Watch._left,
    "closed_deck_reshuffled": _Watch._reshuffled,
}
