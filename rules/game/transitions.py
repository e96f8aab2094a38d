"""Transitions of a table, each with the events of one move: in progress, made, and as the log of all states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rules.books import RuleBook
from rules.game.events import CardsDealt, Event
from rules.game.state import (
    IN_DEAL,
    Clock,
    ClockKind,
    Clocks,
    DealState,
    MatchState,
    Prepared,
    Seat,
    TableState,
    Terms,
    replace,
)


@dataclass(frozen=True, slots=True)
class Transition:
    """One change of a table. If it has no events, nothing has changed and `after` is `before`."""

    before: TableState
    after: TableState
    events: tuple[Event, ...]


class Progress:
    """The state so far and the events that led to it: move functions read the state and emit events."""

    __slots__ = ("book", "events", "now", "state")

    def __init__(self, state: TableState, now: int) -> None:
        self.state = state
        self.now = now
        self.book: RuleBook = state.book
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        """Append the event, and make `state` the one after it."""
        self.state = event.fold(self.state)
        self.events.append(event)

    @property
    def deal(self) -> DealState:
        return self.state.current

    @property
    def clocks(self) -> Clocks:
        return self.state.terms.clocks

    def clock(self, kind: ClockKind, length: int, seat: int | None = None) -> Clock:
        """Return a clock of `length` milliseconds that starts now."""
        return Clock(kind=kind, seat=seat, deadline=self.now + length, length=length)


def start(terms: Terms) -> TableState:
    """Return an empty table with these terms: waiting, version 0."""
    return TableState(terms=terms, seats=(None,) * terms.seats, view_version=(0,) * terms.seats)


def commit_version(state: TableState, events: Sequence[Event]) -> TableState:
    """Return the state after a whole transition: with the next version, also for the view of each seat that saw it."""
    version = state.version + 1
    # What an onlooker may see, every seat sees.
    if any(event.visible(None) for event in events):
        versions = (version,) * len(state.seats)
    else:
        versions = tuple(
            version if any(event.visible(seat) for event in events) else former
            for seat, former in enumerate(state.view_version)
        )
    return replace(state, version=version, view_version=versions)


def rebuild(terms: Terms, transitions: Iterable[Sequence[Event]]) -> TableState:
    """Return the state after these transitions, each given by its events, from an empty table."""
    return follow(start(terms), transitions)


def follow(state: TableState, transitions: Iterable[Sequence[Event]]) -> TableState:
    """Return the state after these transitions, each given by its events."""
    for events in transitions:
        for event in events:
            state = event.fold(state)
        state = commit_version(state, events)
    return state


def follow_deal(book: RuleBook, events: Iterable[Event]) -> Iterator[tuple[Event, DealState | None]]:
    """Yield each event of one deal and the state of the deal after it.

    The deal is None before the cards are dealt; after its end it keeps its last state. The events of the deal are
    enough, since seeds, stacks and scores are left out.
    """
    state: TableState | None = None
    for event in events:
        if isinstance(event, CardsDealt):
            state = event.fold(_table_for(book, event))
        elif state is not None and state.phase in IN_DEAL:
            state = event.fold(state)
        yield event, None if state is None else state.deal


def _table_for(book: RuleBook, event: CardsDealt) -> TableState:
    """Return a table for the deal, with all seats taken, so that events may name any of them."""
    terms = Terms(book=book.key, book_version=book.version, seats=book.max_seats)
    return replace(
        start(terms),
        seats=(Seat(stack=0),) * terms.seats,
        match=MatchState(players=event.order),
        prepared=Prepared(deal_id=event.deal_id, seed="", commitment=""),
    )
