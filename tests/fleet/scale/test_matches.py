"""A short form of `python -m tests.fleet matches`, and the fleet itself."""

from itertools import pairwise

import pytest

from rules.books import BOOKS, book
from rules.game.events import EVENTS
from tables.simulation import fleet
from tables.simulation.corners import CORNERS
from tables.simulation.run import run
from tests.fleet import matches
from tests.fleet.scale import reachable

MATCHES, SEED = 150, 1


@pytest.mark.slow
def test_many_matches_hold_and_come_to_every_corner() -> None:
    figures = matches.run(seed=SEED, size=MATCHES)
    assert figures["faults"] == []
    assert figures["matches"] == MATCHES


def test_a_corner_that_nobody_came_to_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reachable, "by_chance", lambda rules: {"the moon"})
    faults = matches.run(seed=SEED, size=20)["faults"]
    assert set(faults) >= {f"{key} never came to: the moon" for key in BOOKS}


def test_every_corner_is_asked_of_the_books_that_have_it() -> None:
    corners = {corner for each in BOOKS.values() for corner in reachable.corners_of(each)}
    assert corners == CORNERS.keys()
    happen = {event for each in BOOKS.values() for event in reachable.events_of(each)}
    assert happen == EVENTS.keys() - reachable.ELSEWHERE


def test_the_digest_does_not_depend_on_the_number_of_jobs() -> None:
    runs = fleet.tasks(24, seed=3)
    alone, together = ([report.digest for report in fleet.play_matches(runs, jobs)] for jobs in (1, 2))
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
