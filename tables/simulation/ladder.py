"""Contests of computer players: mirrored deals through the pure engine, each decision from the view of its seat alone.

Each shoe is dealt until every player has sat in every seat, so the cards favour nobody. A deal is the first one of a
match, counted in points: a loser pays theirs, the winner gets them all.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from multiprocessing import get_context
from typing import Final

from rules.books import book
from rules.errors import RulesError
from rules.game import TableState, apply, events, legal_moves, moves, start, view_for
from tables.errors import TableError
from tables.play import protocol
from tables.simulation.contestants import Contestant, Entered, NoAnswer
from tables.simulation.run import terms_of

#: What a player is asked for, and the frames that answer it: anything else would not bring the deal on.
_ASKED: Final = frozenset({"draw", "discard", "submit"})
_ANSWERS: Final = _ASKED | {"drop", "finish"}
#: So many shoes are played by one process before it takes others.
_EXCHANGE: Final = 5


@dataclass(frozen=True, slots=True)
class Ladder:
    """Who plays which book: the entries sit in turn until all `seats` are taken."""

    entries: tuple[Entered, ...]
    book: str
    seats: int
    seed: int

    @property
    def deals_a_shoe(self) -> int:
        """Return after how many deals of one shoe everybody has sat in every seat alike."""
        return len(self.entries) if self.seats % len(self.entries) == 0 else self.seats

    def seated(self, number: int) -> list[int]:
        """Return the entry in each seat at this deal of a shoe: each time all move up by one seat."""
        order = [seat % len(self.entries) for seat in range(self.seats)]
        return order[number:] + order[:number]


@dataclass(slots=True)
class ShoeTally:
    """What one entry did with one shoe: the seats it held, deals won, points won less points lost, points lost."""

    seats: int = 0
    won: int = 0
    points: int = 0
    lost: int = 0


@dataclass(slots=True)
class Played:
    """Some shoes: for each the tallies by entry, and by entry all its decisions (in ms) and its faults."""

    tallies: list[list[ShoeTally]] = field(default_factory=list)
    milliseconds: list[list[float]] = field(default_factory=list)
    faults: list[Counter[str]] = field(default_factory=list)

    @property
    def digest(self) -> str:
        """Return the SHA-256 of all that was won and lost."""
        figures = [[(each.seats, each.won, each.points, each.lost) for each in shoe] for shoe in self.tallies]
        return hashlib.sha256(repr(figures).encode()).hexdigest()


def play_contest(contest: Ladder, shoes: int, processes: int = 1) -> Iterator[Played]:
    """Play so many shoes in so many processes; yield them part by part, in order.

    Who won what does not depend on the number of processes.
    """
    parts = [range(first, min(first + _EXCHANGE, shoes)) for first in range(0, shoes, _EXCHANGE)]
    if processes == 1:
        yield from map(partial(play_shoes, contest), parts)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        try:
            yield from pool.map(partial(play_shoes, contest), parts)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def play_shoes(contest: Ladder, numbers: range) -> Played:
    """Play the shoes of these numbers, each as often as the contest wants."""
    with ExitStack() as stack:
        contestants = [Contestant(entry) for entry in contest.entries]
        for contestant in contestants:
            stack.callback(contestant.close)
        tallies = [_shoe(contest, contestants, number) for number in numbers]
    return Played(tallies, [each.milliseconds for each in contestants], [each.faults for each in contestants])


def total_of(parts: Sequence[Played]) -> Played:
    """Add parts up, in their order."""
    entries = range(len(parts[0].milliseconds))
    return Played(
        tallies=list(chain.from_iterable(part.tallies for part in parts)),
        milliseconds=[list(chain.from_iterable(part.milliseconds[entry] for part in parts)) for entry in entries],
        faults=[sum((part.faults[entry] for part in parts), Counter()) for entry in entries],
    )


def _shoe(contest: Ladder, contestants: Sequence[Contestant], number: int) -> list[ShoeTally]:
    """Play all deals of one shoe; return what each entry did with it."""
    tallies = [ShoeTally() for _ in contestants]
    for turn in range(contest.deals_a_shoe):
        entries = contest.seated(turn)
        table = _Table(contest, number, [contestants[entry] for entry in entries])
        for entry, points in zip(entries, table.played(), strict=True):
            tally = tallies[entry]
            tally.seats += 1
            tally.won += points > 0
            tally.points += points
            tally.lost += max(0, -points)
    return tallies


class _Table:
    """One deal at a table of the pure engine, played by whoever may act."""

    def __init__(self, contest: Ladder, number: int, contestants: Sequence[Contestant]) -> None:
        self._contestants = contestants
        self._now = 0
        self._points: list[int] | None = None
        #: Decisions for which there was no answer: time runs out for them.
        self._silent: set[tuple[object, ...]] = set()
        terms = terms_of(book(contest.book), contest.seats)
        self._state: TableState = start(terms)
        for seat in range(contest.seats):
            self._do(moves.Sit(seat=seat, stack=terms.entry or terms.minimum, computer=True))
        name = f"ladder/{contest.seed}/{contest.book}/{number}"
        self._do(moves.PrepareDeal(deal_id=name, seed=hashlib.sha512(name.encode()).hexdigest()))

    def played(self) -> list[int]:
        """Play the deal; return the points that each seat won (below zero: lost), all 0 if it was void."""
        while self._points is None:
            if not any(map(self._acts, range(len(self._contestants)))):
                assert self._state.clock is not None, "a table without a clock waits for somebody"
                self._now = self._state.clock.deadline
                self._do(moves.Expire(offline=frozenset()))
        return self._points

    def _acts(self, seat: int) -> bool:
        """Let the player of a seat decide, if they must; return whether they made a move."""
        asked = _ASKED.intersection(legal_moves(self._state, seat))
        decision = (seat, self._state.phase, self._state.deal and self._state.deal.turns, *asked)
        if not asked or decision in self._silent:
            return False
        contestant = self._contestants[seat]
        answer = contestant.decide(view_for(self._state, seat, self._now))
        if isinstance(answer, dict) and self._moves(seat, answer):
            return True
        contestant.faults[answer if isinstance(answer, NoAnswer) else NoAnswer.ILLEGAL] += 1
        self._silent.add(decision)
        return False

    def _moves(self, seat: int, frame: dict[str, object]) -> bool:
        """Make the move of this frame; return whether it could be made."""
        try:
            move = protocol.to_move(protocol.read_frame(frame), seat)
            if move.name not in _ANSWERS:
                return False
            self._do(move)
        except (RulesError, TableError):
            return False
        return True

    def _do(self, move: moves.Move) -> None:
        transition = apply(self._state, move, self._now)
        self._state = transition.after
        for event in transition.events:
            if isinstance(event, events.DealEnded):
                lost = {row.seat: row.points for row in event.rows}
                lost[event.winner] = -sum(lost.values())
                self._points = [-lost.get(seat, 0) for seat in range(len(self._contestants))]
            elif isinstance(event, events.DealVoided):
                self._points = [0] * len(self._contestants)
