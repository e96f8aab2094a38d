"""Answers: judged, rated once, and nothing told before."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from lobby.models import Player
from lobby.puzzles import services
from lobby.puzzles.models import Puzzle, PuzzleTry, Solver
from lobby.puzzles.questions import Candidate, answers
from tests.support.players import signed_up
from tests.support.staff import browser_of
from tests.unit.lobby.puzzles.made import discard, show, some_shows, stored

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_stock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lobby.puzzles.stock._shipped", lambda: ([], []))


def told_before(puzzle: Puzzle, player: Player, program: Callable[..., Any]) -> Iterator[str]:
    """Yield all that the platform says of the puzzle before an answer, to a visitor and to a player."""
    for browser in (Client(), browser_of(player)):
        yield browser.get(f"/study/puzzles/{puzzle.pk}/").content.decode()
        yield browser.get(f"/study/puzzles/{puzzle.pk}/?path").content.decode()
        yield browser.get("/study/puzzles/").content.decode()
        yield browser.get("/study/puzzles/path/").content.decode()
    yield json.dumps(program(player)("GET", "puzzles/next/")[1])


@pytest.mark.parametrize(("one", "other"), [("KD", "2S"), ("2S", "KD")])
def test_nothing_that_is_told_before_an_answer_depends_on_the_solution(
    one: str, other: str, asha: Player, program: Callable[..., Any]
) -> None:
    """Twins that differ in solution, proof and rating alone look the same to the last byte: of those that ask whether
    to drop, all that begin with one rating had one solution.
    """
    (puzzle,) = stored(discard(one, other))
    before = [plain(page) for page in told_before(puzzle, asha, program)]
    twin = discard(other, one)
    Puzzle.objects.filter(pk=puzzle.pk).update(solution=twin.solution, proof=twin.proof, rating=twin.rating + 300)
    assert [plain(page) for page in told_before(puzzle, asha, program)] == before
    assert not any("completes" in page or "samples" in page for page in before)


def plain(page: str) -> str:
    """Return the page without the tokens of its forms, which are new each time."""
    return "".join(line for line in page.splitlines() if "csrfmiddlewaretoken" not in line)


def test_a_wrong_show_is_told_with_the_reason_of_the_judge(asha: Player) -> None:
    yes, wrong, lives = stored(show("yes"), show("2"), show("lives"))
    browser = browser_of(asha)
    for puzzle, words in ((yes, "one pure"), (wrong, "neither suit nor rank"), (lives, "There is no pure sequence.")):
        page = browser.post(f"/study/puzzles/{puzzle.pk}/", {"answer": puzzle.solution}).content.decode()
        assert "Right: " in page and words in page and "(+" in page
    assert browser.post(f"/study/puzzles/{yes.pk}/", {"answer": "9"}).status_code == 400
    assert browser.post(f"/study/puzzles/{yes.pk + 99}/", {"answer": "yes"}).status_code == 404


def test_the_reason_is_told_in_whole_sentences_of_the_readers_language(asha: Player) -> None:
    for puzzle in stored(show("yes"), show("2"), show("lives")):
        answer = {"answer": puzzle.solution}
        page = browser_of(asha).post(f"/study/puzzles/{puzzle.pk}/", answer, HTTP_ACCEPT_LANGUAGE="hi")
        reason = page.context["told"]["reason"]
        assert reason[-1].startswith("ग्रुप 1: ") and all(told.endswith("।") for told in reason), reason


@pytest.mark.databases
def test_the_first_answer_is_rated_and_no_later_one(asha: Player, program: Callable[..., Any]) -> None:
    (puzzle,) = stored(discard())
    ask = program(asha)
    first = ask("POST", f"puzzles/{puzzle.pk}/answer/", {"answer": "2S"})[1]["told"]
    assert (first["solved"], first["solution"], first["rated"]) == (False, "KD", True) and first["change"] < 0
    puzzle.refresh_from_db()
    assert puzzle.rating > 1300 and (puzzle.tries, puzzle.solved) == (1, 0)
    again = ask("POST", f"puzzles/{puzzle.pk}/answer/", {"answer": "KD"})[1]["told"]
    assert (again["solved"], again["rated"], again["rating"]) == (True, False, None)
    solver = Solver.objects.get(player=asha)
    assert (solver.tries, solver.solved, round(solver.rating)) == (1, 0, first["rating"])
    assert [(each.first, each.solved) for each in PuzzleTry.objects.order_by("pk")] == [(True, False), (False, True)]


def test_guests_and_visitors_solve_without_a_rating(program: Callable[..., Any]) -> None:
    (puzzle,) = stored(show())
    guest = signed_up("guest-like", is_guest=True)
    for player in (guest, None):
        told = program(player)("POST", f"puzzles/{puzzle.pk}/answer/", {"answer": "yes"})[1]["told"]
        assert told["solved"] and not told["rated"]
    puzzle.refresh_from_db()
    assert (puzzle.rating, puzzle.tries, PuzzleTry.objects.count()) == (1000, 0, 1)


@pytest.mark.databases
@pytest.mark.django_db(transaction=True)
def test_of_answers_at_once_one_is_the_first(asha: Player) -> None:
    (puzzle,) = stored(show())

    def answered(_number: int) -> services.JudgedAnswer:
        try:
            return services.answer_puzzle(puzzle_id=puzzle.pk, answer="yes", player=asha)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        judged = list(pool.map(answered, range(4)))
    assert sorted(each.rating is not None for each in judged) == [False, False, False, True]
    assert PuzzleTry.objects.filter(first=True).count() == 1 and PuzzleTry.objects.count() == 4
    assert Solver.objects.get(player=asha).tries == 1


@pytest.mark.databases
def test_the_next_puzzle_is_near_and_new(asha: Player) -> None:
    shows = some_shows(12)
    seen = set()
    for _ in shows:
        puzzle = services.next_puzzle(asha)
        assert puzzle is not None and puzzle.pk not in seen
        seen.add(puzzle.pk)
        services.answer_puzzle(puzzle_id=puzzle.pk, answer="lives", player=asha)
    again = services.next_puzzle(asha)
    assert again is not None, "once all are tried, those that were not solved come again"
    assert services.next_puzzle(asha, "drop") is None


def test_every_answer_is_of_the_question() -> None:
    question: Candidate = discard()
    assert answers("discard", question.asked) == (
        "7C", "8C", "9C", "2D", "KD", "3H", "4H", "5H", "2S", "4S", "5S", "JS", "QS", "KS",
    )  # fmt: skip
    assert answers("show", show().asked) == ("yes", "1", "2", "3", "4", "lives")
