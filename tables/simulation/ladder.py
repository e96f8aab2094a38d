"""Contests of computer players: mirrored deals through the pure engine, each decision from the view of its seat alone.

Each shoe is dealt until every player has sat in every seat, so the cards favour nobody. A deal is the first one of a
match, counted in points: a loser pays theirs, the winner gets them all.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from itertools import chain, combinations
from math import ceil
from time import perf_counter, process_time
from typing import Any, Final, NamedTuple

from rules import bots
from rules.books import book
from rules.bots import Frame
from rules.errors import RulesError
from rules.expectations.significance import mean_interval
from rules.game import View, legal_moves, view_for
from tables.errors import TableError
from tables.play import protocol
from tables.play.external import PATIENCE, Instead, Program
from tables.simulation.fleet import in_processes
from tables.simulation.run import OneDeal, terms_of

#: What a player is asked for, and the frames that answer it: anything else would not bring the deal on.
_ASKED: Final = frozenset({"draw", "discard", "submit"})
_ANSWERS: Final = _ASKED | {"drop", "finish"}
#: So many shoes are played by one process before it takes others.
_EXCHANGE: Final = 5


class NoAnswer(StrEnum):
    """Why no answer could be taken; time then runs out for that decision, as at a table."""

    #: No whole line within the time of a decision.
    LATE = "late"
    #: The program could not be started, has ended, or has closed its output.
    DEAD = "dead"
    #: The line is no JSON object.
    MALFORMED = "malformed"
    #: The frame is no move that this player may make now.
    ILLEGAL = "illegal"


@dataclass(frozen=True, slots=True)
class Entered:
    """One who is entered in a contest: under a `name`, a strength of ours or a `command` to be started."""

    name: str
    strength: bots.Strength | None = None
    command: str | None = None


@dataclass(slots=True)
class Contestant:
    """An entry that plays: its decisions in milliseconds, and its faults by kind.

    Time is of the processor, for a program of somebody else that of the clock on the wall.
    """

    entry: Entered
    program: Program | None = None
    milliseconds: list[float] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if self.entry.command is not None:
            self.program = Program(self.entry.command, PATIENCE)

    def decide(self, view: View) -> Frame | NoAnswer | None:
        """Return the frame that the player sends now, None for no wish to move, or why there is no answer."""
        clock = process_time if self.program is None else perf_counter
        began = clock()
        answer = self._answer(view)
        self.milliseconds.append(1000 * (clock() - began))
        return answer

    def _answer(self, view: View) -> Frame | NoAnswer | None:
        if self.program is None:
            assert self.entry.strength is not None, "an entry has a strength or a command"
            return bots.choose(view, self.entry.strength)
        line = self.program.asked(view)
        return _FAULTS[line] if isinstance(line, Instead) else line

    def close(self) -> None:
        """End the program, if it is one."""
        if self.program is not None:
            self.program.end()


_FAULTS: Final = {Instead.LATE: NoAnswer.LATE, Instead.NONE: NoAnswer.DEAD, Instead.NO_OBJECT: NoAnswer.MALFORMED}


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
    """Play `shoes` in `processes`; yield them part by part, in order.

    Who won what does not depend on the number of processes.
    """
    parts = [range(first, min(first + _EXCHANGE, shoes)) for first in range(0, shoes, _EXCHANGE)]
    return in_processes(processes, partial(play_shoes, contest), parts)


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
    """One deal at a table, played by whoever may act."""

    def __init__(self, contest: Ladder, number: int, contestants: Sequence[Contestant]) -> None:
        name = f"ladder/{contest.seed}/{contest.book}/{number}"
        seed = hashlib.sha512(name.encode()).hexdigest()
        self._deal = OneDeal(terms_of(book(contest.book), contest.seats), deal_id=name, seed=seed)
        self._contestants = contestants
        #: Decisions for which there was no answer: time runs out for them.
        self._silent: set[tuple[object, ...]] = set()

    def played(self) -> list[int]:
        """Play the deal; return the points that each seat won (below zero: lost), all 0 if it was void."""
        seats = range(len(self._contestants))
        end = self._deal.play(lambda: any(map(self._acts, seats)))
        if end is None:
            return [0 for _ in seats]
        lost = {row.seat: row.points for row in end.rows}
        lost[end.winner] = -sum(lost.values())
        return [-lost.get(seat, 0) for seat in seats]

    def _acts(self, seat: int) -> bool:
        """Let the player of a seat decide, if they must; return whether they made a move."""
        state = self._deal.state
        asked = _ASKED.intersection(legal_moves(state, seat))
        decision = (seat, state.phase, state.deal and state.deal.turns, *asked)
        if not asked or decision in self._silent:
            return False
        contestant = self._contestants[seat]
        answer = contestant.decide(view_for(state, seat, self._deal.now))
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
            self._deal.make(move)
        except (RulesError, TableError):
            return False
        return True


class MeanInterval(NamedTuple):
    """A mean and the ends of its 95 % interval; the ends are None where one value tells nothing of the spread."""

    mean: float
    low: float | None
    high: float | None


def interval(values: Sequence[float]) -> MeanInterval:
    """Return the mean of independent values, rounded to a thousandth."""
    if len(values) < 2:
        return MeanInterval(round(values[0], 3), None, None)
    return MeanInterval(*(round(end, 3) for end in mean_interval(values)))


def percent_interval(parts: Sequence[float]) -> MeanInterval:
    """Return the mean of parts of one in percent: no end lies beyond 0 and 100."""
    found = interval([100 * part for part in parts])
    return MeanInterval(found.mean, *(end if end is None else min(100.0, max(0.0, end)) for end in found[1:]))


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the least value that `percent` of the values do not exceed."""
    return sorted(values)[max(0, ceil(len(values) * percent / 100) - 1)]


def results_of(contest: Ladder, played: Played) -> dict[str, Any]:
    """Return the results of a contest. A shoe is one value: its deals are not independent of each other."""
    names = [entry.name for entry in contest.entries]
    return {
        "book": contest.book,
        "seats": contest.seats,
        "seed": contest.seed,
        "shoes": len(played.tallies),
        "deals": len(played.tallies) * contest.deals_a_shoe,
        "players": [{"player": name} | _of_entry(number, contest, played) for number, name in enumerate(names)],
        "differences": [
            {"player": names[later], "less": names[first], "points_a_deal": _apart(played, later, first)}
            for first, later in combinations(range(len(names)), 2)
        ],
        "digest": played.digest,
    }


def _of_entry(number: int, contest: Ladder, played: Played) -> dict[str, Any]:
    shoes, times = [shoe[number] for shoe in played.tallies], played.milliseconds[number]
    return {
        "deals_won_percent": _named(percent_interval([tally.won / tally.seats for tally in shoes])),
        "points_a_deal": _mean(shoes, lambda tally: tally.points),
        "lost_a_deal": _mean(shoes, lambda tally: tally.lost),
        "decisions": len(times),
        "ms": {
            "of": "processor" if contest.entries[number].command is None else "wall",
            "median": round(percentile(times, 50), 3),
            "p99": round(percentile(times, 99), 3),
        },
        "faults": {str(kind): count for kind, count in sorted(played.faults[number].items())},
    }


def _mean(shoes: Sequence[ShoeTally], figure: Callable[[ShoeTally], int]) -> dict[str, float | None]:
    return _named(interval([figure(tally) / tally.seats for tally in shoes]))


def _apart(played: Played, later: int, first: int) -> dict[str, float | None]:
    """Return by how many points a deal one entry is better than another, paired over the shoes."""
    pairs = [(shoe[later], shoe[first]) for shoe in played.tallies]
    return _named(interval([own.points / own.seats - other.points / other.seats for own, other in pairs]))


def _named(found: MeanInterval) -> dict[str, float | None]:
    return {"mean": found.mean, "low": found.low, "high": found.high}
