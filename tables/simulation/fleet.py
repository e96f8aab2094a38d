"""Many runs at once: every book and every number of players, on as many processor cores as there are.

The runs are cut the same way whatever the number of jobs, each with its own seed, and counted in their order: the
digest of the whole depends on the seed and the number of matches alone.
"""

import gc
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context
from typing import Final

from rules.books import BOOKS, book
from tables.simulation.checks import CheckFailed
from tables.simulation.run import SimulationReport, run

_MATCHES_A_RUN: Final = 20
_EXCHANGE: Final = 8
"""So many runs are handed to a process at once."""


@dataclass(frozen=True, slots=True)
class Task:
    """One run: `simulate --book --players --matches --seed --vandal` plays the very same."""

    book: str
    players: int
    matches: int
    seed: int


def tasks(matches: int, seed: int) -> list[Task]:
    """Return runs of so many matches in all: the books share them, and in each book the numbers of players do, alike.

    A match of a pool is five deals and more, so that a pool has half the share of another book.
    """
    found = [
        Task(key, players, part, _seed(seed, key, players, number))
        for key, share in _by_book(matches)
        for players, of_players in _by_players(key, share)
        for number, part in enumerate(_parts(of_players))
    ]
    return sorted(found, key=lambda task: task.seed)


def play_matches(runs: Sequence[Task], jobs: int) -> Iterator[SimulationReport]:
    """Yield the report of each run, in their order, played by so many processes.

    Raises CheckFailed, which names the run.
    """
    if jobs == 1:
        yield from map(play_one, runs)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_collect_seldom) as pool:
        try:
            yield from pool.map(play_one, runs, chunksize=_EXCHANGE)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _collect_seldom() -> None:
    """States are trees without cycles: looking for some costs a tenth of the time and finds next to nothing."""
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
    """Share as equally as whole numbers can, the larger ones first."""
    return [matches // among + (place < matches % among) for place in range(among)]


def _parts(matches: int) -> Iterator[int]:
    for start in count(0, _MATCHES_A_RUN):
        if start >= matches:
            return
        yield min(_MATCHES_A_RUN, matches - start)


def _seed(seed: int, key: str, players: int, number: int) -> int:
    """Give each run a seed of its own, told by what it is; sorted by it, long and short runs come mixed."""
    told = hashlib.sha256(f"{seed}/{key}/{players}/{number}".encode()).digest()
    return int.from_bytes(told[:6], "big")
