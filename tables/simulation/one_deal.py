"""One deal at a table of the pure engine, from the first seat on to its end, by whoever moves for its players."""

from collections.abc import Callable

from rules.game import TableState, Terms, apply, events, start
from rules.game.events import Event
from rules.game.moves import Expire, Move, PrepareDeal, Sit


class OneDeal:
    """The table, its time in ms, the events since the cards were dealt, and the one with which the deal ended."""

    def __init__(self, terms: Terms, *, deal_id: str, seed: str) -> None:
        self.state: TableState = start(terms)
        self.now = 0
        self.events: list[Event] = []
        self.end: events.DealEnded | events.DealVoided | None = None
        for seat in range(terms.seats):
            self.make(Sit(seat=seat, stack=terms.entry or terms.minimum, computer=True))
        self.make(PrepareDeal(deal_id=deal_id, seed=seed))

    def make(self, move: Move) -> None:
        """Make the move. Raises RulesError."""
        transition = apply(self.state, move, self.now)
        self.state = transition.after
        for event in transition.events:
            if self.events or isinstance(event, events.CardsDealt):
                self.events.append(event)
            if isinstance(event, events.DealEnded | events.DealVoided):
                self.end = event

    def play(self, somebody_moves: Callable[[], bool], most: int | None = None) -> events.DealEnded | None:
        """Play to the end: where `somebody_moves` makes no move, the clock runs out at once.

        None where the deal was void, or goes on after `most` steps.
        """
        steps = 0
        while self.end is None and steps != most:
            steps += 1
            if not somebody_moves():
                assert self.state.clock is not None, "a table without a clock waits for somebody"
                self.now = max(self.now, self.state.clock.deadline)
                self.make(Expire(offline=frozenset()))
        return self.end if isinstance(self.end, events.DealEnded) else None
