"""Many runs in parallel: every book and every number of players, on all processor cores.

The division into runs, each with its own seed, does not depend on the number of processes, and reports are added in
the order of the runs. So the digest of the whole depends only on the seed and the number of matches.
"""

import gc
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context
from typing import Final, TypeVar

from rules.books import BOOKS, book
from tables.simulation.checks import CheckFailed
from tables.simulation.run import SimulationReport, run

P = TypeVar("P")
R = TypeVar("R")
_MATCHES_A_RUN: Final = 20
#: So many runs are handed to a process at once.
_EXCHANGE: Final = 8


@dataclass(frozen=True, slots=True)
class Task:
    """One run. `simulate --book --players --matches --seed --vandal` repeats it."""

    book: str
    players: int
    matches: int
    seed: int


def tasks(matches: int, seed: int) -> list[Task]:
    """Return runs of `matches` in total, divided among books, and in each book equally among numbers of players.

    A match of a pool has five deals and more, so a pool gets half the share of another book.
    """
    runs = [
        Task(key, players, part, _seed(seed, key, players, number))
        for key, share in _by_book(matches)
        for players, of_players in _by_players(key, share)
        for number, part in enumerate(_parts(of_players))
    ]
    return sorted(runs, key=lambda task: task.seed)


def play_matches(runs: Sequence[Task], jobs: int) -> Iterator[SimulationReport]:
    """Play the runs in `jobs` processes; yield their reports in order. CheckFailed names the run that failed."""
    return in_processes(jobs, play_one, runs, exchange=_EXCHANGE)


def in_processes(processes: int, play: Callable[[P], R], parts: Sequence[P], *, exchange: int = 1) -> Iterator[R]:
    """Play the parts in so many processes, each of which gets `exchange` at once; yield the results in order."""
    if processes == 1:
        yield from map(play, parts)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_collect_seldom) as pool:
        try:
            yield from pool.map(play, parts, chunksize=exchange)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _collect_seldom() -> None:
    """Run the garbage collector rarely: states have no cycles, and the search for them takes a tenth of the time."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def play_one(task: Task) -> SimulationReport:
    """Play one run with the vandal at the table."""
    try:
        return run(book=book(task.book), players=task.players, matches=task.matches, seed=task.seed, vandal=True)
    except Exception as fault:
        raise CheckFailed(f"{task}: {type(fault).__name__}: {fault}") from fault


def total(reports: Iterable[SimulationReport], *, seed: int, book: str = "all", players: int = 0) -> SimulationReport:
    """Add all these reports up: `digest` is the SHA-256 of their digests."""
    whole, digest = SimulationReport(book=book, players=players, seed=seed), hashlib.sha256()
    happened: Counter[str] = Counter()
    for report in reports:
        for name in ("matches", "deals", "moves", "refused", "seconds", "engine_seconds"):
            setattr(whole, name, getattr(whole, name) + getattr(report, name))
        happened.update(report.happened)
        digest.update(bytes.fromhex(report.digest))
    whole.happened, whole.digest = happened, digest.hexdigest()
    return whole


def _by_book(matches: int) -> list[tuple[str, int]]:
    halves = [key for key, rules in BOOKS.items() for _ in range(1 if rules.pool_limit is not None else 2)]
    shares: Counter[str] = Counter()
    for key, half in zip(halves, _shares(matches, len(halves)), strict=True):
        shares[key] += half
    return list(shares.items())


def _by_players(key: str, matches: int) -> list[tuple[int, int]]:
    rules = book(key)
    seats = range(rules.min_seats, rules.max_seats + 1)
    return list(zip(seats, _shares(matches, len(seats)), strict=True))


def _shares(matches: int, among: int) -> list[int]:
    """Divide a number as equally as whole numbers allow, the larger parts first."""
    return [matches // among + (place < matches % among) for place in range(among)]


def _parts(matches: int) -> Iterator[int]:
    for start in count(0, _MATCHES_A_RUN):
        if start >= matches:
            return
        yield min(_MATCHES_A_RUN, matches - start)


def _seed(seed: int, key: str, players: int, number: int) -> int:
    """Return the seed of a run, derived from its other values; sorted by seed, long and short runs are mixed."""
    digest = hashlib.sha256(f"{seed}/{key}/{players}/{number}".encode()).digest()
    return int.from_bytes(digest[:6], "big")
