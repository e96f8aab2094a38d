"""Runs against the clock: the stored start decides, and no answer counts twice or too late."""

from collections.abc import Callable
from typing import Any

import pytest

from lobby.models import Player
from lobby.puzzles import runs, services
from lobby.puzzles.models import Puzzle, PuzzleRun, PuzzleTry, Solver
from lobby.puzzles.runs import LENGTH_MS, MOST_WRONG
from tables.errors import TableError
from tests.support.clock import Clock
from tests.support.staff import browser_of
from tests.unit.lobby.puzzles.made import some_shows

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_stock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lobby.puzzles.stock._shipped", lambda: ([], []))


def answer(run: PuzzleRun, player: Player, text: str = "yes") -> runs.RunAnswer:
    run.refresh_from_db()
    return runs.answer_in_run(player=player, run_id=run.pk, puzzle_id=run.puzzles[run.place], answer=text)


@pytest.mark.parametrize(("late", "counts"), [(-1, True), (0, False), (1, False)])
def test_an_answer_counts_before_the_end_and_not_at_it(asha: Player, clock: Clock, late: int, counts: bool) -> None:
    some_shows(6)
    run = runs.start_run(asha)
    clock.now += LENGTH_MS + late
    came = answer(run, asha)
    assert (came.judged is not None, came.run.solved) == (counts, int(counts))
    assert PuzzleTry.objects.count() == counts, "what came too late is not judged, so it tells nothing"


def test_the_third_wrong_answer_ends_it(asha: Player, clock: Clock) -> None:
    some_shows(12)
    run = runs.start_run(asha)
    for _ in range(MOST_WRONG):
        assert answer(run, asha, "lives").judged is not None
    run.refresh_from_db()
    assert run.over and runs.remaining_ms(run, clock.now) == 0 and answer(run, asha).judged is None


@pytest.mark.databases
def test_an_answer_sent_twice_counts_once_and_no_other_puzzle_can_be_answered(asha: Player, clock: Clock) -> None:
    some_shows(6)
    run = runs.start_run(asha)
    first = run.puzzles[0]
    answer(run, asha)
    for puzzle_id in (first, run.puzzles[3]):
        with pytest.raises(TableError, match="another puzzle"):
            runs.answer_in_run(player=asha, run_id=run.pk, puzzle_id=puzzle_id, answer="yes")
    run.refresh_from_db()
    assert (run.place, run.solved) == (1, 1)


def test_nothing_of_a_run_is_rated_nor_later_what_was_met_in_one(asha: Player, clock: Clock) -> None:
    some_shows(6)
    run = runs.start_run(asha)
    met = run.puzzles[0]
    answer(run, asha)
    assert services.answer_puzzle(puzzle_id=met, answer="yes", player=asha).rating is None
    assert Solver.objects.get(player=asha).tries == 0 and Puzzle.objects.get(pk=met).tries == 0


@pytest.mark.databases
def test_the_best_run_has_the_most_solved_and_then_the_sooner_last(asha: Player, clock: Clock) -> None:
    some_shows(12)
    found = []
    for solved, seconds in ((1, 5), (3, 9), (3, 7)):
        run = runs.start_run(asha)
        for _ in range(solved):
            clock.now += seconds * 1_000
            answer(run, asha)
        found.append(run.pk)
    assert [run.pk for run in runs.best_runs(asha)] == [found[2], found[1], found[0]]
    assert runs.best_runs(asha)[0].seconds == "21.0"


def test_somebody_elses_run_is_none(asha: Player, ravi: Player, program: Callable[..., Any], clock: Clock) -> None:
    some_shows(6)
    run = runs.start_run(asha)
    assert browser_of(ravi).get(f"/study/puzzles/run/{run.pk}/").status_code == 404
    body = {"answer": "yes", "run": run.pk}
    assert program(ravi)("POST", f"puzzles/{run.puzzles[0]}/answer/", body)[0] == 404
    assert program()("POST", f"puzzles/{run.puzzles[0]}/answer/", body)[0] == 404


def test_a_run_by_page_and_by_program(asha: Player, program: Callable[..., Any], clock: Clock) -> None:
    some_shows(6)
    browser = browser_of(asha)
    address = browser.post("/study/puzzles/run/")["Location"]
    run = PuzzleRun.objects.get()
    page = browser.get(address).content.decode()
    assert f'data-run-clock="{LENGTH_MS}"' in page
    assert browser.post(f"{address}{run.puzzles[0]}/", {"answer": "yes"})["Location"] == address
    page = browser.get(address).content.decode()
    assert page.count("Right.") == 1 and 'class="messages"' not in page, "nothing above the cards moves them"
    clock.now += LENGTH_MS
    assert "The run is over" in browser.get(address).content.decode()
    begun = program(asha)("POST", "puzzles/runs/")[1]
    body = {"answer": begun["puzzle"]["answers"][0], "run": begun["run"]}
    came = program(asha)("POST", f"puzzles/{begun['puzzle']['id']}/answer/", body)[1]
    assert (
        came["told"]["solved"] and came["run"]["solved"] == 1 and came["run"]["puzzle"]["id"] != begun["puzzle"]["id"]
    )
