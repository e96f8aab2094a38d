"""Deals of simulated people through the pure engine, without the checks of a whole run: for statistics of play."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from rules.books import RuleBook
from rules.game import Phase, TableState, apply, events as e, legal_moves, start, view_for, wants_deal
from rules.game.events import Event
from rules.game.moves import Expire, PrepareDeal, Sit
from tables.play import protocol
from tables.simulation.people import Person
from tables.simulation.run import terms_of

#: A deal that takes more steps than this does not end.
_MOST_STEPS = 2_000


def played(rules: RuleBook, people: Sequence[Person], rng: Random) -> list[Event] | None:
    """Return the events of one deal of these people, in their seats; None where it was void or did not end."""
    table = _TableOfPeople(rules, people, rng)
    for _ in range(_MOST_STEPS):
        if table.step():
            return table.events if isinstance(table.last, e.DealEnded) else None
    return None


class _TableOfPeople:
    """A table for one deal."""

    def __init__(self, rules: RuleBook, people: Sequence[Person], rng: Random) -> None:
        terms = terms_of(rules, len(people))
        self._people, self._rng, self._now = people, rng, 0
        self._seats = {person.name: seat for seat, person in enumerate(people)}
        self._state: TableState = start(replace(terms, maximum=None))
        self.events: list[Event] = []
        self.last: Event | None = None
        for seat in range(len(people)):
            self._go(Sit(seat=seat, stack=terms.entry or terms.minimum, computer=True))

    def _go(self, move: Any) -> None:
        transition = apply(self._state, move, self._now)
        self._state = transition.after
        for event in transition.events:
            if isinstance(event, e.CardsDealt) or self.events:
                self.events.append(event)
            if isinstance(event, e.DealEnded | e.DealVoided):
                self.last = event

    def step(self) -> bool:
        """Let the next one move; return whether the deal is over."""
        state = self._state
        if wants_deal(state):
            self._go(PrepareDeal(deal_id=self._rng.randbytes(8).hex(), seed=self._rng.randbytes(64).hex()))
        elif state.deal is None or not self._someone_moves(state):
            assert state.clock is not None
            self._now = max(self._now, state.clock.deadline)
            self._go(Expire(offline=frozenset()))
        return self.last is not None

    def _someone_moves(self, state: TableState) -> bool:
        for seat in self._to_move(state):
            frame = self._people[seat].frame(view_for(state, seat, self._now), state, self._seats)
            if frame is not None:
                self._go(protocol.to_move(protocol.read_frame(frame), seat))
                return True
        return False

    def _to_move(self, state: TableState) -> Sequence[int]:
        turn = state.deal.turn if state.deal is not None else None
        if state.phase is Phase.PLAYING and turn is not None:
            return (turn.seat,)
        return [seat for seat in range(len(self._people)) if "submit" in legal_moves(state, seat)]
