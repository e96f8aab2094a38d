"""The strength of computer players: each against the one below it, playing each shoe twice with seats changed.

A deal is one of points rummy for two, at one chip a point and without a fee. The pure engine plays it; each decision is
made from the view of its seat alone.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from random import Random
from statistics import fmean, stdev

from rules.books import book
from rules.bots import Strength, choose
from rules.game import Phase, TableState, Terms, apply, events, legal_moves, moves, start, view_for
from tables.play import protocol
from tests.fleet.progress import progress
from tests.support.database import Figures

#: Deals of each pair.
SIZE = 2_000
BOOK = "standard-points"
_STACK = 8_000


def run(*, seed: int, size: int) -> Figures:
    """Play `size` deals of each pair; it is a fault if the stronger player does not win by more than chance."""
    duels = [Duel(weaker, stronger) for weaker, stronger in pairwise(Strength)]
    for number, duel in enumerate(duels):
        duel.play(size, Random(seed + number))
    return {
        "deals": size,
        **{duel.name: duel.figures() for duel in duels},
        "faults": [f"{duel.name}: no more than chance" for duel in duels if not duel.is_certain],
    }


@dataclass(slots=True)
class Duel:
    """Two strengths, and the stronger one's winnings with each shoe, in chips over both deals."""

    weaker: Strength
    stronger: Strength
    won: list[int] = field(default_factory=list)
    shows: int = 0

    @property
    def name(self) -> str:
        return f"{self.stronger}_against_{self.weaker}"

    @property
    def error(self) -> float:
        """Return the standard error of the mean of a shoe."""
        return stdev(self.won) / sqrt(len(self.won))

    @property
    def is_certain(self) -> bool:
        return fmean(self.won) > 2 * self.error

    def play(self, deals: int, rng: Random) -> None:
        for number in range(deals // 2):
            shoe = rng.randbytes(64).hex()
            first, second = (
                self._deal(shoe, seats) for seats in ((self.stronger, self.weaker), (self.weaker, self.stronger))
            )
            self.won.append(first[0] + second[1])
            self.shows += (first[0] > 0) + (second[1] > 0)
            progress(2 * number + 2, deals, f"deals, {self.name}")

    def figures(self) -> dict[str, float]:
        """Return the stronger player's chips per deal, their standard error, and the percentage of deals won."""
        deals = 2 * len(self.won)
        return {
            "chips_a_deal": round(fmean(self.won) / 2, 2),
            "error": round(self.error / 2, 2),
            "deals_won_percent": round(100 * self.shows / deals, 1),
        }

    def _deal(self, shoe: str, strengths: tuple[Strength, Strength]) -> tuple[int, int]:
        """Return what each seat won in one deal."""
        table = _Table()
        for seat in (0, 1):
            table.do(moves.Sit(seat=seat, stack=_STACK, computer=True))
        table.do(moves.PrepareDeal(deal_id="duel", seed=shoe))
        while table.state.phase is not Phase.RESULT:
            table.step(strengths)
        assert table.amounts is not None
        return table.amounts


class _Table:
    """A table of the pure engine, played by whoever may act."""

    def __init__(self) -> None:
        rules = book(BOOK)
        self.state: TableState = start(
            Terms(book=BOOK, book_version=rules.version, seats=2, point_value=1, minimum=rules.least_stack(1))
        )
        self.now = 0
        self.amounts: tuple[int, int] | None = None

    def do(self, move: moves.Move) -> None:
        transition = apply(self.state, move, self.now)
        self.state = transition.after
        for event in transition.events:
            if isinstance(event, events.DealEnded):
                amounts = {row.seat: row.amount for row in event.rows}
                self.amounts = amounts[0], amounts[1]

    def step(self, strengths: tuple[Strength, Strength]) -> None:
        """Make one decision of the first seat that has one; if none has, let the clock run out."""
        for seat in (0, 1):
            frame = (
                choose(view_for(self.state, seat, self.now), strengths[seat]) if legal_moves(self.state, seat) else None
            )
            if frame is not None:
                self.do(protocol.to_move(protocol.read_frame(frame), seat))
                return
        assert self.state.clock is not None
        self.now = self.state.clock.deadline
        self.do(moves.Expire(offline=frozenset()))
