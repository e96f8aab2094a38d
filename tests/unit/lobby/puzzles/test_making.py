"""Making puzzles: the same seed makes the same, the question tells nothing hidden, and what is wrong is refused."""

import json
from collections import Counter
from dataclasses import replace
from io import StringIO
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from django.core.management import call_command

from lobby.puzzles import stock
from lobby.puzzles.making import worth
from lobby.puzzles.making.making import computer_deal, from_computers
from lobby.puzzles.making.worth import LEAST_LEAD, is_clear, least_sure, moves_of, weigh, why_refused
from lobby.puzzles.models import PuzzleKind
from lobby.puzzles.questions import DROP, OPEN, Candidate, answers, show_answer
from lobby.puzzles.stock import COUNTS, SEED, StockPuzzle, as_line, path_of, read_stock, with_path
from rules.analysis import decisions_of, sampled
from rules.analysis.positions import as_position, can_be_written, known_of
from rules.books import BOOKS
from rules.bots import Strength

STOCK = read_stock()
PUZZLES, PATH = [each.puzzle for each in STOCK], path_of(STOCK)


def shows(seed: int, count: int) -> list[Candidate]:
    return [puzzle for _, puzzle in islice(from_computers("show", seed), count)]


def test_the_same_seed_makes_the_same_shows() -> None:
    made = shows(7, 40)
    assert made[:10] == shows(7, 10) != shows(8, 10)
    solutions = {each.solution for each in made}
    assert {"yes", "lives"} < solutions and solutions - {"yes", "lives"}


def test_each_show_has_one_right_answer_and_the_order_of_its_cards_does_not_tell_it() -> None:
    for each in shows(3, 60):
        assert show_answer(each.asked) == each.solution and each.solution in answers(each.kind, each.asked)
        for group in each.asked["groups"]:
            assert len({*group}) == len(group)


def test_a_position_comes_back_as_it_was_written() -> None:
    """What was hidden lies in the samples as it does for the player of the deal."""
    book = BOOKS["standard-points"]
    happened = computer_deal(book, [Strength.SHARP, Strength.SOUND, Strength.GENTLE], Random(5))
    written = 0
    for seat in range(3):
        for decision in decisions_of(book, happened, seat):
            if can_be_written(decision.seen):
                again = known_of(json.loads(json.dumps(as_position(decision.seen))))
                ours = sampled(replace(decision.seen, hand=again.hand), b"seed", 3)
                assert sampled(again, b"seed", 3) == ours
                written += 1
    assert written > 10


@pytest.mark.parametrize("kind", PuzzleKind.values)
def test_the_stock_has_every_kind_with_solutions_that_its_own_figures_prove(kind: str) -> None:
    own = [each for each in PUZZLES if each.kind == kind]
    assert len(own) >= 10
    for each in own:
        assert each.solution in answers(kind, each.asked)
        if each.proof["by"] == "judge":
            assert why_refused(each, seed=b"", samples=2) == ""
        else:
            assert max(each.proof["points"], key=lambda answer: each.proof["points"][answer][0]) == each.solution
            assert each.proof["sure"] >= least_sure(kind) and each.proof["agrees"]["lead"][0] >= LEAST_LEAD


def test_the_stock_has_what_its_seed_makes_and_no_answer_is_the_usual_one() -> None:
    assert Counter(each.search for each in STOCK) == COUNTS
    assert {each.seed for each in STOCK} == {SEED}
    assert [replace(each, path=None) for each in with_path(STOCK)] == [replace(each, path=None) for each in STOCK]
    assert with_path(list(reversed(STOCK))) == STOCK, "the path follows from the puzzles"
    for kind, answer in ((PuzzleKind.TAKE, OPEN), (PuzzleKind.DROP, DROP)):
        own = [each.solution == answer for each in PUZZLES if each.kind == kind]
        assert 0.2 <= sum(own) / len(own) <= 0.8
    discards = {each.proof["by"] for each in PUZZLES if each.kind == PuzzleKind.DISCARD}
    assert discards == {"analysis", "judge"}


def some_of(*searches: str, many: int) -> list[StockPuzzle]:
    return [each for name in searches for each in [each for each in STOCK if each.search == name][:many]]


@pytest.mark.parametrize(
    "each", some_of("show", "winning-take", "winning-discard", many=2), ids=lambda each: each.search
)
def test_a_puzzle_is_made_anew_from_its_seed(each: StockPuzzle) -> None:
    """A computer player who decides otherwise today makes another stock: `manage.py make_puzzles --stock FILE`."""
    assert each.made_anew() == each.puzzle
    assert replace(each, deal=each.deal + 1).made_anew() != each.puzzle


@pytest.mark.slow
@pytest.mark.parametrize(
    "each", some_of("useful-take", "useless-take", "discard", "drop", "play", many=1), ids=lambda each: each.search
)
def test_a_puzzle_that_was_played_on_is_made_anew_from_its_seed(each: StockPuzzle) -> None:
    assert each.made_anew() == each.puzzle


def test_a_stock_that_was_broken_off_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stock, "COUNTS", {"show": 3, "winning-discard": 2})
    monkeypatch.setattr(stock, "PATH", {PuzzleKind.SHOW: 2, PuzzleKind.DISCARD: 1})
    wanted = [each for each in STOCK if each.search == "show"][:3]
    wanted += [each for each in STOCK if each.search == "winning-discard"][:2]
    file = tmp_path / "stock.jsonl"
    file.write_text("".join(as_line(each) + "\n" for each in wanted[:2]))
    call_command("make_puzzles", "--stock", str(file), "--seed", f"{SEED}", stdout=StringIO())
    made = read_stock(file)
    assert [replace(each, path=None) for each in made] == [replace(each, path=None) for each in wanted]
    assert len(path_of(made)) == 3


def test_the_path_leads_through_thirty_kind_after_kind_the_easiest_first() -> None:
    by_key = {each.key: each for each in PUZZLES}
    steps = [by_key[key] for key in PATH]
    kinds = [each.kind for each in steps]
    assert len(steps) == 30 and kinds == sorted(kinds, key=PuzzleKind.values.index)
    for kind in PuzzleKind.values:
        ratings = [each.rating for each in steps if each.kind == kind]
        assert ratings == sorted(ratings) and ratings
    assert len({*by_key}) == len(PUZZLES), "no question is there twice"


def clearest(kind: str) -> Candidate:
    return max((each for each in PUZZLES if each.kind == kind), key=lambda each: each.proof.get("sure", 0))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [PuzzleKind.TAKE, PuzzleKind.DROP])
def test_a_planted_second_best_is_refused_and_the_best_stands(kind: str) -> None:
    right = clearest(kind)
    wrong = replace(right, solution=next(each for each in right.proof["points"] if each != right.solution))
    assert why_refused(wrong, seed=b"another", samples=60).startswith(f"{right.solution} is better than")
    assert why_refused(right, seed=b"another", samples=60) == ""


def test_a_planted_card_that_does_not_complete_the_hand_is_refused() -> None:
    right = next(each for each in PUZZLES if each.kind == PuzzleKind.DISCARD and each.proof["by"] == "judge")
    wrong = next(answer for answer in answers(right.kind, right.asked) if answer != right.solution)
    assert f"{right.solution} completes" in why_refused(replace(right, solution=wrong), seed=b"", samples=2)


@pytest.mark.slow
def test_anybody_recomputes_the_figures_of_a_proof() -> None:
    puzzle = clearest(PuzzleKind.TAKE)
    seen, proof = known_of(puzzle.asked), puzzle.proof
    found = weigh(
        seen, moves_of(puzzle.kind, seen), policy=proof["policy"], seed=bytes.fromhex(proof["seed"]),
        samples=proof["samples"], first=proof["first"],
    )  # fmt: skip
    points = {answer: worth.as_figures(each) for answer, each in zip(found.answers, found.points, strict=True)}
    assert points == proof["points"]
    assert round(found.lead.surely, 2) == proof["sure"] and is_clear(puzzle.kind, found)


def test_a_planted_wrong_show_is_refused_by_the_command(tmp_path: Path) -> None:
    right = next(each for each in PUZZLES if each.kind == PuzzleKind.SHOW and each.solution == "yes")
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    line = next(each for each in STOCK if each.puzzle == right)
    good.write_text(as_line(line) + "\n")
    bad.write_text(as_line(replace(line, puzzle=replace(right, solution="lives"))) + "\n")
    call_command("make_puzzles", "--check", str(good), stdout=StringIO())
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("make_puzzles", "--check", str(bad), "--json", stdout=out)
    assert ended.value.code == 1 and json.loads(out.getvalue())["refused"] == {
        right.key: "the judge says yes, not lives"
    }
