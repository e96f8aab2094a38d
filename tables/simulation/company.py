"""Deals of simulated people through the pure engine, without the checks of a whole run: for statistics of play."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from rules.books import RuleBook
from rules.game import Phase, TableState, legal_moves, view_for
from rules.game.events import Event
from tables.play import protocol
from tables.simulation.one_deal import OneDeal
from tables.simulation.people import Person
from tables.simulation.run import terms_of

#: A deal that takes more steps than this does not end.
_MOST_STEPS = 2_000


def played(rules: RuleBook, people: Sequence[Person], rng: Random) -> list[Event] | None:
    """Return the events of one deal of these people, in their seats; None where it was void or did not end."""
    terms = replace(terms_of(rules, len(people)), maximum=None)
    table = OneDeal(terms, deal_id=rng.randbytes(8).hex(), seed=rng.randbytes(64).hex())
    seats = {person.name: seat for seat, person in enumerate(people)}

    def somebody_moves() -> bool:
        for seat in _to_move(table.state):
            frame = people[seat].frame(view_for(table.state, seat, table.now), table.state, seats)
            if frame is not None:
                table.make(protocol.to_move(protocol.read_frame(frame), seat))
                return True
        return False

    return table.events if table.play(somebody_moves, most=_MOST_STEPS) else None


def _to_move(state: TableState) -> Sequence[int]:
    if state.deal is None:
        return ()
    if state.phase is Phase.PLAYING and state.deal.turn is not None:
        return (state.deal.turn.seat,)
    return [seat for seat in range(state.terms.seats) if "submit" in legal_moves(state, seat)]
