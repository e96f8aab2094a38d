"""Simulated tables: a run of whole matches with every check, fully determined by its seed; and one deal."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from time import perf_counter, process_time

from rules.books import RuleBook
from rules.bots import Frame
from rules.errors import Refused, RulesError
from rules.game import (
    Phase,
    TableState,
    Terms,
    Transition,
    View,
    apply,
    events,
    free_seats,
    is_stale,
    overdue,
    start,
    views_for,
    wants_deal,
)
from rules.game.events import Event
from rules.game.moves import Expire, Move, PlayerMove, PrepareDeal, Sit
from tables.errors import TableError
from tables.play import protocol
from tables.simulation.checks import CheckFailed, Eyes, Log, Still, Till, on_table
from tables.simulation.corners import corners
from tables.simulation.players import Crowd, Vandal

REFUSALS = (RulesError, TableError)
_POINT_VALUE, _ENTRY, _FEE_PERCENT = 25, 2_500, 12
_START_MS = 1_800_000_000_000
#: How often somebody looks for a free seat, also during a deal.
_VISITS = 0.2
#: How often the vandal sends the last player's frame once more.
_REPEATS = 0.1
#: A match that takes more steps than this does not end.
_MOST_STEPS = 20_000


@dataclass(slots=True)
class SimulationReport:
    """The report of a run. `digest` is the SHA-256 of all its events in canonical form; `happened` counts events by
    name and rare cases of the rules. `seconds` is processor time, `engine_seconds` the time spent in the engine."""

    book: str
    players: int
    seed: int
    matches: int = 0
    deals: int = 0
    moves: int = 0
    refused: int = 0
    digest: str = ""
    seconds: float = 0.0
    engine_seconds: float = 0.0
    happened: Counter[str] = field(default_factory=Counter)


def run(*, book: RuleBook, players: int, matches: int, seed: int, vandal: bool = False) -> SimulationReport:
    """Play `matches` to their end with every check. Raises CheckFailed, or Broken from the engine."""
    report, began = SimulationReport(book=book.key, players=players, seed=seed), process_time()
    rng, digest = Random(seed), hashlib.sha256()  # noqa: S311  reproducible on purpose; no real deal comes from here
    terms = terms_of(book, players)
    while report.matches < matches:
        SimulatedTable(terms, rng, report, digest, vandal=vandal).play(matches)
    report.digest = digest.hexdigest()
    report.seconds = process_time() - began
    return report


def terms_of(book: RuleBook, players: int) -> Terms:
    """Return the stake of a simulated table."""
    return Terms(
        book=book.key,
        book_version=book.version,
        seats=players,
        point_value=_POINT_VALUE if book.per_point else 0,
        entry=0 if book.per_point else _ENTRY,
        fee_percent=_FEE_PERCENT,
        minimum=book.least_stack(_POINT_VALUE) if book.per_point else 0,
    )


class SimulatedTable:
    """One table, its crowd and its virtual clock."""

    def __init__(
        self, terms: Terms, rng: Random, report: SimulationReport, digest: "hashlib._Hash", *, vandal: bool
    ) -> None:
        self._rng, self._report, self._digest = rng, report, digest
        self._crowd, self._vandal = Crowd(rng), Vandal(rng) if vandal else None
        self._log, self._till, self._eyes = Log(terms), Till(), Eyes(terms.seats)
        self._last: tuple[int, Frame] | None = None
        self.now = _START_MS
        self.take_up(start(terms))

    def take_up(self, state: TableState) -> None:
        """Continue from this state, whatever led to it, with its cards and its money."""
        self._till = Till(on_table(state))
        self._log.state = state
        if state.deal is not None:
            self._eyes.take_up(state.deal, face_down=not state.book.open_pile)
        self._see(state, views_for(state, self._eyes.viewers, self.now))

    def go_offline(self, *seats: int) -> None:
        """Cut the connections of the players of these seats."""
        self._crowd.offline.update(seats)

    def play(self, matches: int) -> None:
        """Play until the table is over or the report counts enough matches."""
        steps, counted = 0, self._report.matches
        while self.state.phase is not Phase.OVER and self._report.matches < matches:
            self.step()
            steps = 0 if self._report.matches > counted else steps + 1
            counted = self._report.matches
            if steps > _MOST_STEPS:
                raise CheckFailed(f"a match does not end (seed {self._report.seed}, match {counted})")

    def step(self) -> None:
        """Sometimes seat new players, let the vandal try a frame, then let a player act or the clock run out."""
        if self.state.phase is Phase.WAITING or self._rng.random() < _VISITS:
            self._fill_seats()
        honest = self._next_frame()
        if self._vandal is not None:
            self._vandalise(self._vandal)
        self.now += self._rng.randrange(100, 3_000)
        if overdue(self.state, self.now) or honest is None:
            assert self.state.clock is not None
            self.now = max(self.now, self.state.clock.deadline)
            self.apply(Expire(offline=frozenset(self._crowd.offline)))
            self._crowd.clock_ran_out()
        else:
            self._try(*honest)

    def _fill_seats(self) -> None:
        """Seat a new player at each free seat; in points and blind with one to ten times the minimum stack."""
        terms = self.state.terms
        for seat in free_seats(self.state):
            least = terms.entry or terms.minimum
            times = 1 if terms.entry else self._rng.randrange(1, 11)
            self._crowd.offline.discard(seat)
            self.apply(Sit(seat=seat, stack=least * times, computer=True))

    def _next_frame(self) -> tuple[int, Frame] | None:
        """Return the first seat, in random order, whose player acts, and the frame that they send."""
        seats = list(range(len(self.state.seats)))
        self._rng.shuffle(seats)
        for seat in seats:
            me = self.views[seat]["me"]
            if me is not None and me["moves"]:
                frame = self._crowd.frame(self.views[seat])
                if frame is not None:
                    return seat, frame
        return None

    def _try(self, seat: int, frame: Frame) -> None:
        """Make an honest player's move; if it is refused (such as an amount over the limit), it changes nothing."""
        self._last = None
        frame = frame | {"version": self.state.version}
        try:
            self.apply(_move(protocol.read_frame(frame), seat, self.state))
            self._last = (seat, frame)
        except REFUSALS:
            self._still.check("a refused move")
            self._report.refused += 1

    def _vandalise(self, vandal: Vandal) -> None:
        """Try a frame of the vandal, which must be refused or legal; the state does not change even if it is legal."""
        if self._last is not None and self._rng.random() < _REPEATS:
            seat, text, repeated = self._last[0], json.dumps(self._last[1]), True
        else:
            seat = self._rng.randrange(-1, len(self.state.seats) + 1)
            text, repeated = vandal.text(self.state.version), False
        try:
            move = _move(protocol.parse_frame(text), seat, self.state)
            apply(self.state, move, self.now)
            self._must_be_legal(move)
            if repeated and move.name in protocol.VERSIONED:
                raise CheckFailed(f"a {move.name} was accepted twice")
        except (*REFUSALS, KeyError):
            self._report.refused += 1
        self._still.check("a vandal")

    def _must_be_legal(self, move: PlayerMove) -> None:
        me = self.views[move.seat]["me"] if 0 <= move.seat < len(self.state.seats) else None
        if me is None or move.name not in me["moves"]:
            raise CheckFailed(f"a move was accepted that is not legal: {move.name}")

    def apply(self, move: Move) -> None:
        """Make the move with every check, and prepare the next deal if one is needed."""
        self._take(self._timed(move))
        self._report.moves += 1
        if wants_deal(self.state):
            deal_id, seed = self._rng.randbytes(8).hex(), self._rng.randbytes(64).hex()
            self._take(self._timed(PrepareDeal(deal_id=deal_id, seed=seed)))

    def _timed(self, move: Move) -> Transition:
        began = perf_counter()
        try:
            return apply(self.state, move, self.now)
        finally:
            self._report.engine_seconds += perf_counter() - began

    def _take(self, transition: Transition) -> None:
        """Check the transition, and continue from its state."""
        self._still.check("a move")
        for record in self._log.follow(transition):
            self._digest.update(record + b"\n")
        self._till.follow(transition)
        self._see(transition.after, self._eyes.follow(transition, self.now))
        self._report.happened.update(corners(transition))
        for event in transition.events:
            self._count(event)

    def _see(self, state: TableState, views: dict[int | None, View]) -> None:
        self.state, self.views, self._still = state, views, Still(state)

    def _count(self, event: events.Event) -> None:
        self._report.happened[event.name] += 1
        match event:
            case events.CardsDealt():
                self._crowd.deal_begins()
            case events.DealEnded():
                self._report.deals += 1
                self._log.check_stored(self.state)
            case events.DealSettled() | events.MatchEnded():
                self._report.matches += 1


def _move(frame: protocol.Frame, seat: int, state: TableState) -> PlayerMove:
    """Return the frame as a move of the seat. Refused `stale`, as at a real table, if the view has changed since."""
    decided = frame.version if frame.type in protocol.VERSIONED and 0 <= seat < len(state.seats) else None
    if decided is not None and is_stale(state, seat, decided):
        raise Refused("stale", "The table has changed since.")
    return protocol.to_move(frame, seat)


class OneDeal:
    """One deal at a table, from the first seat on to its end, by whoever moves for its players.

    It holds the table, its time in ms, the events since the cards were dealt, and the one with which the deal ended.
    """

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
