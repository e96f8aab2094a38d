"""Whole matches of all books and numbers of players, with a vandal at each table; all invariants after each event.

The harness uses one process for each core.
"""

import os
from collections.abc import Iterator
from time import monotonic

from rules.books import BOOKS
from tables.simulation import fleet
from tables.simulation.run import SimulationReport
from tests.fleet.progress import progress
from tests.fleet.scale import reachable
from tests.support.database import Figures

#: Matches: so many come to every corner of every book.
SIZE = 10_000


def run(*, seed: int, size: int) -> Figures:
    """Play `size` matches; with fewer than SIZE, a corner need only be reached by one book that has it, not by each."""
    began = monotonic()
    reports = list(_followed(fleet.play_matches(fleet.tasks(size, seed), jobs=os.cpu_count() or 1), size))
    return {
        "matches": sum(report.matches for report in reports),
        "refused": sum(report.refused for report in reports),
        "seconds": round(monotonic() - began),
        "matches_a_second_on_one_core": _speeds(reports, seed),
        "faults": list(_faults(reports, size)),
    }


def _followed(reports: Iterator[SimulationReport], size: int) -> Iterator[SimulationReport]:
    matches = 0
    for report in reports:
        matches += report.matches
        progress(matches, size, "matches")
        yield report


def _faults(reports: list[SimulationReport], size: int) -> Iterator[str]:
    if sum(report.matches for report in reports) != size:
        yield "not as many matches as were asked for"
    if not all(report.refused for report in reports):
        yield "a vandal was refused nothing"
    seats = {(report.book, report.players) for report in reports}
    if seats != {(each.key, n) for each in BOOKS.values() for n in range(each.min_seats, each.max_seats + 1)}:
        yield "not every number of players of every book"
    came = {key: _events_of(reports, key) for key in BOOKS}
    anywhere = set[str]().union(*came.values())
    for key, each in BOOKS.items():
        missed = reachable.by_chance(each) - (came[key] if size >= SIZE else anywhere)
        yield from (f"{key} never came to: {name}" for name in sorted(missed))
        yield from (f"{key} came to: {name}" for name in sorted(reachable.never(each) & came[key]))


def _events_of(reports: list[SimulationReport], key: str) -> set[str]:
    """Return what happened in the matches by this book."""
    return {name for report in reports if report.book == key for name in +report.happened}


def _speeds(reports: list[SimulationReport], seed: int) -> dict[str, float]:
    totals = (
        fleet.total((report for report in reports if report.book == key), seed=seed, book=key)
        for key in BOOKS
        if any(report.book == key for report in reports)
    )
    return {each.book: round(each.matches / each.seconds, 1) for each in totals if each.seconds}
