"""A run of whole matches at simulated tables: one seed decides everything in it."""

import hashlib
from dataclasses import dataclass, field
from random import Random
from time import perf_counter

from rules.books import RuleBook
from rules.errors import RulesError
from rules.game import codec, events
from rules.game.engine import Transition, apply, free_seats, legal_moves, overdue, start, view_for, wants_deal
from rules.game.moves import Expire, Move, PlayerMove, PrepareDeal, Sit
from rules.game.state import Phase, TableState, Terms
from tables import protocol
from tables.errors import TableError
from tables.simulation.checks import CheckFailed, Eyes, Log, Till, refusal_changes_nothing
from tables.simulation.players import Crowd, Frame, Vandal

REFUSALS = (RulesError, TableError)
_POINT_VALUE, _ENTRY, _FEE_PERCENT = 25, 2_500, 12
_START_MS = 1_800_000_000_000
_VISITS = 0.2
"""How often somebody looks for a free seat, also during a deal."""
_MOST_STEPS = 20_000
"""A match that takes more steps than this does not end."""


@dataclass(slots=True)
class Report:
    """What a run did. `digest` is the SHA-256 of all its events in their canonical form; `engine_seconds` were spent
    in the engine itself, the rest by players and checks."""

    book: str
    players: int
    seed: int
    matches: int = 0
    deals: int = 0
    moves: int = 0
    refused: int = 0
    digest: str = ""
    engine_seconds: float = 0.0
    happened: dict[str, int] = field(default_factory=dict)


def run(*, book: RuleBook, players: int, matches: int, seed: int, vandal: bool = False) -> Report:
    """So many matches played to their end, every check on. Raises CheckFailed, or Broken from the engine."""
    report = Report(book=book.key, players=players, seed=seed)
    rng, digest = Random(seed), hashlib.sha256()  # noqa: S311  reproducible on purpose; no real deal comes from here
    terms = _terms(book, players)
    while report.matches < matches:
        SimulatedTable(terms, rng, report, digest, vandal=vandal).play(matches)
    report.digest = digest.hexdigest()
    return report


def _terms(book: RuleBook, players: int) -> Terms:
    per_point = book.pool_limit is None and book.deals is None
    return Terms(
        book=book.key,
        book_version=book.version,
        seats=players,
        point_value=_POINT_VALUE if per_point else 0,
        entry=0 if per_point else _ENTRY,
        fee_percent=_FEE_PERCENT,
        minimum=book.full_count * _POINT_VALUE if per_point else 0,
    )


class SimulatedTable:
    """One table, its crowd and its virtual clock."""

    def __init__(self, terms: Terms, rng: Random, report: Report, digest: "hashlib._Hash", *, vandal: bool) -> None:
        self._rng, self._report, self._digest = rng, report, digest
        self._crowd, self._vandal = Crowd(rng), Vandal(rng) if vandal else None
        self._log, self._till, self._eyes = Log(terms), Till(), Eyes(terms.seats)
        self.state: TableState = start(terms)
        self.now = _START_MS

    def play(self, matches: int) -> None:
        """The table plays until it is over or the report counts enough matches."""
        steps, counted = 0, self._report.matches
        while self.state.phase is not Phase.OVER and self._report.matches < matches:
            self._step()
            steps = 0 if self._report.matches > counted else steps + 1
            counted = self._report.matches
            if steps > _MOST_STEPS:
                raise CheckFailed(f"a match does not end (seed {self._report.seed}, match {counted})")

    def _step(self) -> None:
        if self.state.phase is Phase.WAITING or self._rng.random() < _VISITS:
            self._fill_seats()
        honest = self._next_frame()
        if self._vandal is not None:
            self._vandalise(self._vandal, honest)
        self.now += self._rng.randrange(100, 3_000)
        if overdue(self.state, self.now) or honest is None:
            assert self.state.clock is not None
            self.now = max(self.now, self.state.clock.deadline)
            self._apply(Expire(offline=frozenset(self._crowd.offline)))
            self._crowd.clock_ran_out()
        elif honest is not None:
            self._try(protocol.to_move(protocol.read(honest[1]), honest[0]))

    def _fill_seats(self) -> None:
        """Somebody new comes for each free seat; in points and blind with one to ten times the least."""
        terms = self.state.terms
        for seat in free_seats(self.state):
            least = terms.entry or terms.minimum
            times = 1 if terms.entry else self._rng.randrange(1, 11)
            self._crowd.offline.discard(seat)
            self._apply(Sit(seat=seat, stack=least * times, computer=True))

    def _next_frame(self) -> tuple[int, Frame] | None:
        """The first seat that wants to act, asked in a random order, and what it does."""
        seats = list(range(len(self.state.seats)))
        self._rng.shuffle(seats)
        for seat in seats:
            if legal_moves(self.state, seat):
                frame = self._crowd.frame(view_for(self.state, seat, self.now))
                if frame is not None:
                    return seat, frame
        return None

    def _try(self, move: Move) -> None:
        """A sound player's move; the few that even he gets wrong (an amount over the limit) change nothing."""
        state = self.state
        if refusal_changes_nothing(state, lambda: self._apply(move), REFUSALS):
            self._report.refused += 1

    def _vandalise(self, vandal: Vandal, honest: tuple[int, Frame] | None) -> None:
        seat = self._rng.randrange(-1, len(self.state.seats) + 1)
        text = vandal.text(honest[1] if honest is not None else None)
        state, legal = self.state, legal_moves(self.state, seat)

        def attempt() -> Transition:
            move = protocol.to_move(protocol.parse(text), seat)
            transition = apply(state, move, self.now)
            if isinstance(move, PlayerMove) and move.name not in legal:
                raise CheckFailed(f"a move was accepted that is not legal: {move.name}")
            return transition

        if refusal_changes_nothing(state, attempt, (*REFUSALS, KeyError)):
            self._report.refused += 1

    def _apply(self, move: Move) -> None:
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
        self._log.follow(transition)
        self._till.follow(transition)
        self._eyes.follow(transition, self.now)
        self.state = transition.after
        for event in transition.events:
            self._count(event)

    def _count(self, event: events.Event) -> None:
        self._digest.update(codec.canonical(codec.dump_event(event)) + b"\n")
        self._report.happened[event.name] = self._report.happened.get(event.name, 0) + 1
        if isinstance(event, events.DealEnded):
            self._report.deals += 1
            self._log.check_bytes(self.state)
        if isinstance(event, events.DealSettled | events.MatchEnded):
            self._report.matches += 1
