"""The state of one table, from its first seat to its end: frozen values, and the copy of one with other fields.

Seats are numbers from 0. Money is in the currency's smallest unit, time in milliseconds since the epoch.
The `fold` of an event is the only code that makes a new state out of an old one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, TypeVar

from rules.books import RuleBook, book, with_deals
from rules.cards import Card, Face
from rules.game.results import Groups, RejoinOffer, Result, SplitOffer

T = TypeVar("T")


@cache
def _book(key: str, version: int, deals: int | None) -> RuleBook:
    return with_deals(book(key, version), deals)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """Lengths of the clocks in milliseconds (RULES.md, Clocks)."""

    start_two: int = 10_000
    start_more: int = 30_000
    start_full: int = 5_000
    turn: int = 30_000
    extra: int = 30_000
    meld: int = 45_000
    result: int = 15_000
    prompt: int = 20_000


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The terms that a stake sets for its tables; they never change while the table lives.

    Without slots, so that it remembers its rule book: a move asks for it forty times.
    """

    book: str
    book_version: int
    seats: int
    point_value: int = 0
    entry: int = 0
    fee_percent: int = 0
    minimum: int = 0
    maximum: int | None = None
    clocks: Clocks = field(default_factory=Clocks)
    #: The number of deals in a match, where the book counts them; None for as many as the book says.
    deals: int | None = None
    #: Of a tournament: over after that many deals, of points after one; nobody plays a tie on, or adds chips.
    tournament: bool = False

    @cached_property
    def rule_book(self) -> RuleBook:
        return _book(self.book, self.book_version, self.deals)


class Phase(StrEnum):
    WAITING = "waiting"
    STARTING = "starting"
    PLAYING = "playing"
    MELDING = "melding"
    RESULT = "result"
    REJOIN = "rejoin"
    SPLIT = "split"
    OVER = "over"


IN_DEAL = (Phase.PLAYING, Phase.MELDING)


class ClockKind(StrEnum):
    START = "start"
    TURN = "turn"
    EXTRA = "extra"
    MELD = "meld"
    RESULT = "result"
    REJOIN = "rejoin"
    SPLIT = "split"


class Place(StrEnum):
    """The relation of a seat's holder to the table and its match."""

    HERE = "here"
    OUT = "out"  # of the match: eliminated
    GONE = "gone"  # left; the seat stays reserved until the deal (pool and deals: the match) is over


class Standing(StrEnum):
    """The standing of a player in the running deal."""

    IN = "in"
    DROPPED = "dropped"
    WRONG = "wrong"
    LEFT_SHOW = "left_show"  # wrong, since the declarer left before submitting
    LEFT = "left"
    SUBMITTED = "submitted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Somebody must act before `deadline`; `seat` is None when more than one seat may."""

    kind: ClockKind
    deadline: int
    length: int
    seat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One taken seat. `total` are the points of the match, `ready` that the player continues, `dealt` the number of
    the last deal in which the holder had a hand: a later holder has no part in a deal still on the table."""

    stack: int
    computer: bool = False
    place: Place = Place.HERE
    ready: bool = False
    dealt: int = 0
    total: int = 0
    rejoins: int = 0


def loose_cards(cards: tuple[Card, ...], groups: Groups) -> tuple[Card, ...]:
    """Return the cards in no group, in the order in which they came."""
    grouped = set[Card]().union(*groups)
    return tuple([card for card in cards if card not in grouped])


@dataclass(frozen=True, kw_only=True)
class Hand:
    """The cards of a player in the deal; frozen once `standing` is no longer IN."""

    cards: tuple[Card, ...]
    groups: Groups = ()
    standing: Standing = Standing.IN
    points: int | None = None
    draws: int = 0
    misses: int = 0
    auto: int = 0
    sort_used: bool = False
    auto_drop: bool = False

    @property
    def loose(self) -> tuple[Card, ...]:
        """The cards in no group, in the order in which they came."""
        return loose_cards(self.cards, self.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarded:
    """One entry of the discards: by `seat` (None: the upcard), who picked it up again, and whether it went back into
    the closed deck: the card may be anywhere then, but everybody still sees who discarded it."""

    seat: int | None
    card: Card
    picked_by: int | None = None
    reshuffled: bool = False

    @property
    def lies(self) -> bool:
        """The card still lies where it was discarded."""
        return self.picked_by is None and not self.reshuffled


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    number: int
    seat: int
    drawn: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """Who shows, and the card in the finish slot: None after a show without drawing."""

    seat: int
    card: Card | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The next deal's secrets, fixed before it: `seeds` are the players' own, by seat."""

    deal_id: str
    seed: str
    commitment: str
    seeds: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class DealState:
    """A deal from the first card to the next deal. `order` is the order of turns, the first player first."""

    deal_id: str
    number: int
    seed: str
    commitment: str
    clients: tuple[str, ...]
    packs: int
    order: tuple[int, ...]
    hands: tuple[Hand | None, ...]
    closed: tuple[Card, ...]
    discards: tuple[Discarded, ...] = ()
    cut: Card | None = None
    wild: int = 0
    turns: int = 0
    turn: Turn | None = None
    finished: Finished | None = None
    winner: int | None = None
    reshuffles: int = 0

    @property
    def open_pile(self) -> tuple[Discarded, ...]:
        """The discards that still lie there, the top one last.

        Under one that went back into the closed deck none lies: all of those went with it, or had been picked up.
        """
        lying = []
        for entry in reversed(self.discards):
            if entry.reshuffled:
                break
            if entry.picked_by is None:
                lying.append(entry)
        return tuple(lying[::-1])

    @property
    def reshuffled_count(self) -> int:
        """How many of the discards, from the first, went back into the closed deck, or had been picked up before."""
        count = len(self.discards)
        while count and not self.discards[count - 1].reshuffled:
            count -= 1
        return count

    @property
    def open_top(self) -> Discarded | None:
        """The discard that lies on top, if any does."""
        return next((entry for entry in reversed(self.discards) if entry.lies), None)

    @property
    def alive(self) -> tuple[int, ...]:
        """The seats still in the deal, in the order of turns."""
        return tuple([seat for seat in self.order if self.hand(seat).standing is Standing.IN])

    def hand(self, seat: int) -> Hand:
        """Return the hand dealt to `seat`; only for seats in the deal."""
        hand = self.hands[seat]
        assert hand is not None, f"seat {seat} was dealt no hand"
        return hand


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchState:
    """`players` started it; `pot` holds entries and rejoins until the prize is paid out of it in `shares` (seat,
    amount); `deals` counts the scored ones."""

    players: tuple[int, ...]
    pot: int = 0
    shares: tuple[tuple[int, int], ...] = ()
    deals: int = 0
    order: tuple[int, ...] = ()
    toss: tuple[tuple[int, Face], ...] = ()
    first: int | None = None
    split_offered: bool = False


@dataclass(frozen=True, kw_only=True)
class TableState:
    """The whole state of a table as in its snapshot, without facts about persons.

    `version` grows by one with each transition; `view_version[seat]` is the one at which that seat's view last changed.
    """

    terms: Terms
    seats: tuple[Seat | None, ...]
    view_version: tuple[int, ...]
    version: int = 0
    phase: Phase = Phase.WAITING
    clock: Clock | None = None
    deals: int = 0
    prepared: Prepared | None = None
    match: MatchState | None = None
    deal: DealState | None = None
    result: Result | None = None
    rejoin: RejoinOffer | None = None
    split: SplitOffer | None = None

    @property
    def book(self) -> RuleBook:
        return self.terms.rule_book

    @property
    def current(self) -> DealState:
        """The deal on the table; only where there is one."""
        assert self.deal is not None, "no deal is on the table"
        return self.deal

    @property
    def melding_by(self) -> int | None:
        """The declarer while they meld; None when the others do, and in all other phases."""
        if self.phase is not Phase.MELDING or self.current.winner is not None or self.current.finished is None:
            return None
        return self.current.finished.seat

    def seat(self, seat: int) -> Seat:
        """Return the taken seat `seat`; only where somebody sits or is reserved."""
        holder = self.seats[seat]
        assert holder is not None, f"seat {seat} is empty"
        return holder


def replace(value: T, **changes: Any) -> T:
    """Return the same frozen value with these fields changed: `dataclasses.replace` in a fifth of its time.

    Folds call this several times for every event. A value without slots is copied as a whole; of another the fields are
    read in one step instead of one by one.
    """
    kind: Any = type(value)
    read = _fields(kind)
    if read is None:
        content = {**value.__dict__, **changes}
        if len(content) != len(value.__dict__):
            raise TypeError(f"{kind.__name__} has no such field: {sorted(content.keys() - value.__dict__.keys())}")
        new: T = object.__new__(kind)
        object.__setattr__(new, "__dict__", content)
        return new
    copy: T = kind(**(read(value) | changes))
    return copy


@cache
def _fields(kind: Any) -> Callable[[Any], dict[str, Any]] | None:
    """Return the function that reads the fields of such a value; None where its `__dict__` holds them alone."""
    if not hasattr(kind, "__slots__") and not any(isinstance(each, cached_property) for each in vars(kind).values()):
        return None
    names = tuple(field.name for field in fields(kind))
    read = attrgetter(*names)
    return lambda value: dict(zip(names, read(value), strict=True))
