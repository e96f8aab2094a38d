"""A change in progress, and the transition that results from it."""

from __future__ import annotations

from dataclasses import dataclass

from rules.books import RuleBook
from rules.game.events import Event
from rules.game.state import Clock, ClockKind, Clocks, DealState, TableState


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
