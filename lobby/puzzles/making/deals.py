"""Deals of computer players on the pure engine, from the first seat to the result."""

from collections.abc import Sequence
from random import Random

from rules import bots
from rules.books import RuleBook
from rules.bots import Strength
from rules.game import IN_DEAL, Phase, apply, start, view_for
from rules.game.events import Event
from rules.game.moves import Expire, Move, PrepareDeal, Sit
from tables.play import protocol
from tables.simulation.run import terms_of

_START_MS = 1_800_000_000_000


def computer_deal(book: RuleBook, strengths: Sequence[Strength], rng: Random) -> list[Event]:
    """Play one deal among computer players of these strengths, by seat, and return its events; same dice, same deal."""
    table = _OneDeal(book, len(strengths), rng)
    while table.state.phase in IN_DEAL:
        seat = table.acting()
        frame = bots.choose(view_for(table.state, seat, _START_MS), strengths[seat])
        assert frame is not None, "who acts has something to do"
        table.make(protocol.to_move(protocol.read_frame(frame), seat))
    return table.events


class _OneDeal:
    """A table of the pure engine from its first seat on."""

    def __init__(self, book: RuleBook, players: int, rng: Random) -> None:
        terms = terms_of(book, players)
        self.state, self.events = start(terms), list[Event]()
        for seat in range(players):
            self.make(Sit(seat=seat, stack=terms.entry or terms.minimum, computer=True))
        self.make(PrepareDeal(deal_id=rng.randbytes(8).hex(), seed=rng.randbytes(64).hex()))
        while self.state.phase in (Phase.WAITING, Phase.STARTING):
            assert self.state.clock is not None
            self.make(Expire(), self.state.clock.deadline)

    def acting(self) -> int:
        """Return the seat of a player who must act now."""
        deal = self.state.current
        if self.state.phase is Phase.PLAYING:
            assert deal.turn is not None
            return deal.turn.seat
        shower = self.state.melding_by
        return shower if shower is not None else next(seat for seat in deal.alive if seat != deal.winner)

    def make(self, move: Move, now: int = _START_MS) -> None:
        transition = apply(self.state, move, now)
        self.state = transition.after
        self.events += transition.events
