"""Thousands of whole matches of all books and all numbers of players, the vandal at every table, every check on."""

import os
from collections.abc import Iterator
from itertools import pairwise
from time import monotonic

import pytest

from rules.books import BOOKS, book
from rules.game.events import EVENTS
from tables.simulation import fleet
from tables.simulation.corners import CORNERS
from tables.simulation.run import Report, run
from tests.rules.scale import wanted

MATCHES = int(os.environ.get("RUMMY_SIMULATED_MATCHES", "10000"))
SEED = int(os.environ.get("RUMMY_SIMULATION_SEED", "20"))


@pytest.mark.slow
def test_ten_thousand_matches_hold_and_come_to_every_corner_of_each_book() -> None:
    """One test, so that the fleet plays once however the tests are spread; it tells how far it is and how fast.

    The fleet has processes of its own, one for each core, so that it takes all of the machine that others leave.
    """
    began = monotonic()
    reports = list(_told(fleet.play(fleet.tasks(MATCHES, SEED), jobs=os.cpu_count() or 1)))
    _tell_speeds(reports, monotonic() - began)
    seats = {(report.book, report.players) for report in reports}
    assert sum(report.matches for report in reports) == MATCHES and all(report.refused for report in reports)
    assert seats == {(each.key, n) for each in BOOKS.values() for n in range(each.min_seats, each.max_seats + 1)}
    assert {key: missed for key in BOOKS if (missed := wanted.by_chance(BOOKS[key]) - _came(reports, key))} == {}
    assert {key: wrong for key in BOOKS if (wrong := wanted.never(BOOKS[key]) & _came(reports, key))} == {}


def _came(reports: list[Report], key: str) -> set[str]:
    """What happened in the matches by this book."""
    return {name for report in reports if report.book == key for name in +report.happened}


def test_every_corner_is_asked_of_the_books_that_have_it() -> None:
    asked = {corner for each in BOOKS.values() for corner in wanted.corners_of(each)}
    assert asked == CORNERS.keys()
    happen = {event for each in BOOKS.values() for event in wanted.events_of(each)}
    assert happen == EVENTS.keys() - wanted.ELSEWHERE


def _tell_speeds(reports: list[Report], seconds: float) -> None:
    print(f"{MATCHES} matches with {sum(report.refused for report in reports)} refused moves in {seconds:.0f} s")
    for key in BOOKS:
        each = fleet.total((report for report in reports if report.book == key), seed=SEED, book=key)
        speeds = f"{each.matches / each.seconds:7.1f} matches/s {each.moves / each.seconds:7.0f} moves/s"
        print(f"{key:20} {each.matches:6} matches {each.moves:8} moves {speeds} on one core")


def _told(reports: Iterator[Report]) -> Iterator[Report]:
    matches = 0
    for report in reports:
        if (matches + report.matches) * 10 // MATCHES > matches * 10 // MATCHES:
            print(f"{matches + report.matches} of {MATCHES} matches", flush=True)
        matches += report.matches
        yield report


def test_the_digest_does_not_depend_on_the_number_of_jobs() -> None:
    runs = fleet.tasks(60, seed=3)
    alone, together = ([report.digest for report in fleet.play(runs, jobs)] for jobs in (1, 2))
    assert alone == together and len(set(alone)) == len(alone)


def test_a_run_of_the_fleet_is_the_one_that_its_seed_names() -> None:
    task = fleet.tasks(60, seed=3)[0]
    again = run(book=book(task.book), players=task.players, matches=task.matches, seed=task.seed, vandal=True)
    assert fleet.play_one(task).digest == again.digest


@pytest.mark.parametrize("matches", [1, 50, 51, 999])
def test_the_fleet_plays_exactly_so_many_matches(matches: int) -> None:
    runs = fleet.tasks(matches, seed=1)
    assert sum(task.matches for task in runs) == matches and len({task.seed for task in runs}) == len(runs)
    assert all(one.seed <= other.seed for one, other in pairwise(runs))
