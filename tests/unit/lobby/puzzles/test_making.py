"""Making puzzles: the same seed makes the same, the question tells nothing hidden, and what is wrong is refused."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from io import StringIO
from itertools import chain, islice, takewhile
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import call_command

from lobby.puzzles import stock
from lobby.puzzles.making import hands, worth
from lobby.puzzles.making.hands import CHECKED, HELD, hand_puzzle
from lobby.puzzles.making.making import computer_deal, from_computers
from lobby.puzzles.making.worth import MAIN, Worth, least_lead, moves_of, weigh, why_refused
from lobby.puzzles.models import PuzzleKind
from lobby.puzzles.questions import CLOSED, DROP, OPEN, PLAY, Candidate, answers, show_answer
from lobby.puzzles.stock import COUNTS, SEED, StockPuzzle, as_line, missing, path_of, read_stock, with_path
from rules.analysis import Interval, Known, decisions_of, sampled
from rules.analysis.positions import as_position, can_be_written, known_of
from rules.books import BOOKS
from rules.bots import Strength
from rules.expectations.significance import mean_interval

STOCK = read_stock()
PUZZLES, PATH = [each.puzzle for each in STOCK], path_of(STOCK)


def shows(seed: int, count: int) -> list[Candidate]:
    return [puzzle for _, puzzle in islice(from_computers("show", seed), count)]


def test_the_same_seed_makes_the_same_shows() -> None:
    made = shows(7, 25)
    assert made[:10] == shows(7, 10) != shows(8, 10)
    solutions = {each.solution for each in made}
    assert {"yes", "lives"} < solutions and solutions - {"yes", "lives"}


def test_each_show_has_one_right_answer_and_the_order_of_its_cards_does_not_tell_it() -> None:
    for each in shows(3, 30):
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
            assert each.proof["samples"] == each.proof["agrees"]["samples"] == HELD
            (mean, *_), sure = each.proof["lead"], each.proof["sure"]
            assert mean - (mean - sure) * sqrt(HELD / CHECKED) >= least_lead(kind) <= each.proof["agrees"]["lead"][0]


def test_the_stock_has_what_its_seed_makes_and_no_answer_is_the_usual_one() -> None:
    assert Counter(each.search for each in STOCK) == COUNTS
    assert {each.seed for each in STOCK} == {SEED}
    assert [replace(each, path=None) for each in with_path(STOCK)] == [replace(each, path=None) for each in STOCK]
    assert with_path(list(reversed(STOCK))) == STOCK, "the path follows from the puzzles"
    for kind, answer in ((PuzzleKind.TAKE, OPEN), (PuzzleKind.DROP, DROP)):
        own = [each.solution == answer for each in PUZZLES if each.kind == kind]
        assert 0.2 <= sum(own) / len(own) <= 0.8
    drops = [each for each in PUZZLES if each.kind == PuzzleKind.DROP]
    tables = [{len(each.asked["seats"]) for each in drops if each.solution == answer} for answer in (DROP, PLAY)]
    assert tables[0] == tables[1], "the number of players tells the answer"
    discards = {each.proof["by"] for each in PUZZLES if each.kind == PuzzleKind.DISCARD}
    assert discards == {"analysis", "judge"}


def test_no_card_of_a_show_lies_elsewhere_as_well() -> None:
    """The exchanged card is one that was not turned as the cut joker either."""
    shows = [each.asked for each in PUZZLES if each.kind == PuzzleKind.SHOW]
    lying = [[each["cut"], *chain.from_iterable(each["groups"])] for each in shows]
    assert not [cards for cards in lying if len(set(cards)) < len(cards)]


def some_of(*searches: str, many: int) -> list[StockPuzzle]:
    return [each for name in searches for each in [each for each in STOCK if each.search == name][:many]]


def made_anew(stored: StockPuzzle) -> Candidate | None:
    """Return the puzzle as its deal makes it now; None where that does not ask its question any more."""
    now = takewhile(lambda made: made[0] == stored.deal, from_computers(stored.search, stored.seed, first=stored.deal))
    return next((puzzle for _, puzzle in now if puzzle.key == stored.puzzle.key), None)


@pytest.mark.parametrize(
    "each", some_of("show", "winning-take", "winning-discard", many=2), ids=lambda each: each.search
)
def test_a_puzzle_is_made_anew_from_its_seed(each: StockPuzzle) -> None:
    """A computer player who decides otherwise today makes another stock: `manage.py make_puzzles --stock FILE`."""
    assert made_anew(each) == each.puzzle
    assert made_anew(replace(each, deal=each.deal + 1)) != each.puzzle


#: Of each search whose puzzles are played on, the one that is cheapest to make anew: its number in the stock.
CHEAPEST = {"useful-take": 1, "useless-take": 0, "discard": 0, "drop": 0, "play": 3}


@pytest.mark.slow
@pytest.mark.parametrize(
    "each", [some_of(name, many=number + 1)[-1] for name, number in CHEAPEST.items()], ids=lambda each: each.search
)
def test_a_puzzle_that_was_played_on_is_made_anew_from_its_seed(
    each: StockPuzzle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but the many samples against which it is held: those follow from the question alone, and are played again for
    one puzzle below."""
    monkeypatch.setattr(hands, "held_again", lambda _kind, seen, *_: told(each) if is_asked(each, seen) else None)
    assert made_anew(each) == each.puzzle


def is_asked(each: StockPuzzle, seen: Known) -> bool:
    return json.loads(json.dumps(as_position(seen))) == each.puzzle.asked


def told(each: StockPuzzle) -> tuple[Worth, Worth]:
    """Return what the puzzle tells of its worth under both strengths."""
    proof = each.puzzle.proof
    points = sorted(((answer, Interval(*figures)) for answer, figures in proof["points"].items()), key=by_points)
    answers, worth = zip(*points, strict=True)
    leads = (Interval(*proof["lead"]), Interval(*proof["agrees"]["lead"]))
    first, second = (Worth(proof["samples"], answers, worth, (lead,)) for lead in leads)
    return first, second


def by_points(each: tuple[str, Interval]) -> float:
    return -each[1].mean


class Chance:
    """Two answers of which the first is `better` by so many points, as samples by chance show it, decision after
    decision."""

    def __init__(self, better: float) -> None:
        self.better = better
        self.decision = 0

    def weigh(self, _seen: Known, _moves: object, *, policy: str, seed: bytes, samples: int, first: int = 0) -> Worth:
        rng = Random(f"{self.decision} {policy} {seed!r} {first}")
        lead = Interval(*mean_interval([rng.gauss(self.better, 38) for _ in range(samples)]))
        zero = Interval(0, 0, 0)
        if lead.mean >= 0:
            return Worth(samples, (OPEN, CLOSED), (lead, zero), (lead,))
        behind = Interval(-lead.mean, -lead.high, -lead.low)
        return Worth(samples, (CLOSED, OPEN), (zero, lead), (behind,))

    def made(self, decisions: int) -> list[Candidate]:
        """Return the puzzles of so many decisions that ask the same."""
        seen, found = known_of(clearest(PuzzleKind.TAKE).asked), []
        for self.decision in range(decisions):
            found.append(hand_puzzle(PuzzleKind.TAKE, seen))
        return [each for each in found if each is not None]


def test_a_choice_that_flatters_does_not_stand_against_samples_that_chose_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of many decisions without a clear answer some look clear by chance; with a clear one, most are kept."""
    doubtful, clear, chosen = Chance(better=2), Chance(better=15), list[object]()

    def noting(*of: Any) -> object:
        chosen.append(of)
        return held_again(*of)

    held_again = hands.held_again
    monkeypatch.setattr(hands, "held_again", noting)
    monkeypatch.setattr(hands, "weigh", doubtful.weigh)
    assert doubtful.made(2_000) == [] and len(chosen) >= 4
    monkeypatch.setattr(hands, "weigh", clear.weigh)
    kept = clear.made(40)
    assert len(kept) > 20 and {each.solution for each in kept} == {OPEN}
    assert all(each.proof["samples"] == HELD and abs(each.proof["lead"][0] - 15) < 4 for each in kept)


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


def test_no_deal_is_looked_at_once_a_search_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_only(search: str, _seed: int, first: int) -> Iterator[tuple[int, Candidate]]:
        assert search == "drop", "the others are whole"
        yield first, last.puzzle
        raise AssertionError("one was missing")

    monkeypatch.setattr(stock, "from_computers", one_only)
    last = next(each for each in reversed(STOCK) if each.search == "drop")
    made = [each for each in STOCK if each != last]
    assert [each.puzzle for search in COUNTS for each in missing(search, SEED, made)] == [last.puzzle]


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
def test_a_planted_second_best_is_refused_and_the_best_stands(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Both are held against the same deals, which need not be played on twice.
    monkeypatch.setattr(worth, "evaluate", cache(worth.evaluate))
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
    puzzle = some_of("useless-take", many=4)[-1].puzzle
    seen, proof = known_of(puzzle.asked), puzzle.proof
    found = weigh(
        seen, moves_of(puzzle.kind, seen), policy=proof["policy"], seed=bytes.fromhex(proof["seed"]),
        samples=proof["samples"], first=proof["first"],
    )  # fmt: skip
    points = {answer: worth.as_figures(each) for answer, each in zip(found.answers, found.points, strict=True)}
    assert points == proof["points"]
    assert proof["sure"] == pytest.approx(found.lead.surely, abs=0.03) and proof["policy"] == MAIN


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
