"""The worth of moves: what is plainly best is found best, and intervals say how sure that is."""

from dataclasses import replace
from functools import partial

import pytest

from rules.analysis import (
    Decision,
    Grade,
    Interval,
    candidates,
    decisions_of,
    evaluate,
    graded,
    judge_decision,
    lead,
    summary,
)
from rules.analysis.evaluation import MOST_DISCARDS, Evaluation
from rules.analysis.rollouts import Ending
from rules.bots import Strength, choose
from rules.cards import face
from rules.errors import Refused, RulesError
from rules.expectations.significance import mean_interval
from rules.game import moves as m
from tests.support.dealt import as_dealt
from tests.unit.rules.game.hands import GOOD, PURE, RAGS
from tests.unit.rules.game.play import Table, deal, play

SHARP = partial(choose, strength=Strength.SHARP)


def last_decision(table: Table, statements: str, seat: int = 0) -> Decision:
    """Return the decision that the last of these statements was."""
    dealt, length = as_dealt(table), len(table.log)
    play(table, statements)
    happened = [*dealt, *(event for transition in table.log[length:] for event in transition)]
    *_, decision = decisions_of(table.state.book, happened, seat)
    return decision


def test_a_show_that_is_ready_is_the_best_move() -> None:
    table = deal("standard-points", [GOOD, RAGS], cut="9S", closed="2D 3H 10H")
    once_around = "draw closed; discard 2D; draw closed; discard 3H"
    decision = last_decision(table, f"{once_around}; draw closed; discard 10H")
    moves = candidates(decision.seen, decision.played, SHARP)
    found = evaluate(decision.seen, moves, samples=30, policy=SHARP, seed=b"one")
    assert found[0].move == m.Finish(seat=0, card="10H1")
    assert found[0].win_chance.mean == 1 and found[0].points.low > 0
    assert all(lead(found[0], other).low > 0 for other in found[1:])
    behind = judge_decision(decision, policy=SHARP, seed=b"one", samples=20)
    ahead = judge_decision(replace(decision, played=found[0].move), policy=SHARP, seed=b"one", samples=20)
    assert behind["samples"] == 20, "nobody is blamed by a part of the samples"
    assert (ahead["samples"], ahead["lost"], ahead["grade"]) == (8, 0, None), "what nothing speaks against is done"


@pytest.mark.slow
def test_to_let_a_joker_go_is_the_worst_discard() -> None:
    hand = "3H 4H 5H 7C 8C JR 9S 9D JH JD 2S 3S QC"
    decision = last_decision(deal("standard-points", [hand, RAGS], cut="6H", closed="KD"), "draw closed; discard JR")
    moves = candidates(decision.seen, decision.played, SHARP)
    found = evaluate(decision.seen, moves, samples=24, policy=SHARP, seed=b"two")
    assert found[-1].move == decision.played
    assert lead(found[0], found[-1]).low > 0
    review = judge_decision(decision, policy=SHARP, seed=b"two", samples=24)
    assert review["grade"] is not None and review["lost"] > 0
    assert summary([review])["dearest"] == decision.event


@pytest.mark.slow
def test_a_hopeless_hand_is_dropped_and_a_good_one_played() -> None:
    hopeless = "2C 5D 8H JS KC 4H 7S 10D KC 3S 6H 9C QD"
    for hand, is_dropped in ((hopeless, True), (GOOD, False)):
        table = deal("lives-points", [hand, RAGS], upcard="2S", cut="AD")
        decision = last_decision(table, "draw closed")
        review = judge_decision(decision, policy=SHARP, seed=b"three", samples=90)
        assert review["drop"] is not None and review["drop"]["price"] == 10
        mean, low, high = review["drop"]["lead"]
        assert (low > 0) if is_dropped else (high < 0), (hand, mean)


def test_the_same_seed_gives_the_same_figures_and_others_others() -> None:
    decision = last_decision(deal("standard-points", [PURE, RAGS], cut="9S"), "draw closed")
    found = [
        evaluate(decision.seen, [decision.played], samples=6, policy=SHARP, seed=seed) for seed in (b"a", b"a", b"b")
    ]
    assert found[0] == found[1] != found[2]
    fresh = evaluate(decision.seen, [decision.played], samples=6, policy=SHARP, seed=b"a", first=6)
    assert fresh[0].outcomes != found[0][0].outcomes


@pytest.mark.slow
def test_pairs_tell_more_than_each_alone_and_more_samples_more_than_few() -> None:
    decision = last_decision(deal("standard-points", [PURE, RAGS], cut="9S", closed="KD"), "draw closed; discard KD")
    moves = [decision.played, m.Discard(seat=0, card=decision.seen.hand[0])]
    found = {
        samples: evaluate(decision.seen, moves, samples=samples, policy=SHARP, seed=b"pairs") for samples in (10, 60)
    }
    one, two = found[60]
    apart = (one.points.high - one.points.low) ** 2 + (two.points.high - two.points.low) ** 2
    assert (width(lead(one, two))) ** 2 < apart
    assert width(lead(*found[60])) < width(lead(*found[10]))


def width(interval: Interval) -> float:
    return interval.high - interval.low


@pytest.mark.parametrize("samples", [0, 1, 1_001, 10**9])
def test_no_samples_and_huge_numbers_of_them_are_refused(samples: int) -> None:
    decision = last_decision(deal("standard-points", [PURE, RAGS], cut="9S"), "draw closed")
    with pytest.raises(RulesError, match="samples"):
        evaluate(decision.seen, [decision.played], samples=samples, policy=SHARP, seed=b"")


def test_a_move_that_is_not_legal_is_refused() -> None:
    decision = last_decision(deal("standard-points", [PURE, RAGS], cut="9S"), "draw closed")
    with pytest.raises(Refused):
        evaluate(decision.seen, [m.Discard(seat=0, card="AS1")], samples=2, policy=SHARP, seed=b"")


def test_it_ends_early_when_it_is_told_to() -> None:
    decision = last_decision(deal("standard-points", [PURE, RAGS], cut="9S"), "draw closed")
    asked = iter([True, True, False])
    found = evaluate(decision.seen, [decision.played], samples=50, policy=SHARP, seed=b"", go_on=lambda: next(asked))
    assert found[0].samples == 4


def test_candidates_are_few_legal_and_all_unlike() -> None:
    decision = last_decision(deal("standard-points", [RAGS, PURE], cut="9S", closed="KD"), "draw closed; discard KD")
    moves = candidates(decision.seen, decision.played, SHARP)
    discards = [move for move in moves if isinstance(move, m.Discard)]
    assert moves[0] == decision.played and 2 <= len(discards) <= MOST_DISCARDS
    assert len({face(move.card) for move in discards}) == len(discards)
    first = last_decision(deal("standard-points", [RAGS, PURE], upcard="JR", cut="9S"), "draw closed")
    assert set(candidates(first.seen, None, SHARP)) == {
        m.Draw(seat=0, pile=m.Pile.CLOSED),
        m.Draw(seat=0, pile=m.Pile.OPEN),
        m.Drop(seat=0),
    }


def test_grades_need_a_certain_difference() -> None:
    assert graded(Interval(20, 1, 39)) is None
    assert graded(Interval(0.5, 0.2, 0.8)) is None
    assert [graded(Interval(mean, mean - 1, mean + 1)) for mean in (2, 6, 15)] == [
        Grade.SLIP,
        Grade.MISTAKE,
        Grade.BLUNDER,
    ]


def test_intervals_by_hand() -> None:
    assert mean_interval([1, 3]) == pytest.approx((2, 0.04, 3.96))
    found = Evaluation(m.Drop(seat=0), tuple(Ending(0, won=won) for won in (True, False, False, False)))
    assert found.win_chance == pytest.approx((0.25, 0.0456, 0.6994), abs=0.001)
