"""A short part of `python -m tests.fleet solver`, and proof that it detects planted faults."""

from collections.abc import Iterator

import pytest

from rules.books import BOOKS
from rules.solver import packed
from tests.fleet import solver

HANDS = 100


@pytest.mark.parametrize("key", BOOKS)
def test_no_hand_has_a_better_arrangement(key: str) -> None:
    counts, faults = solver.compare_part(solver.Part(key, f"short/{key}", HANDS))
    assert faults == []
    assert counts["of 13 cards"] == counts["of 14 cards"] == HANDS // 2
    assert counts["with a wild card in or beside its own place"] > HANDS // 5
    assert counts["that can be declared"] > HANDS // 5
    assert counts["with two printed jokers or more"] > 0


def parts_until_the_wild_card_is_alone(plain: int, own: int) -> Iterator[int]:
    """Stop at a wild card that is held above the others, as an earlier version of the search did."""
    ranks = plain | own
    while ranks & plain:
        yield ranks
        ranks = (ranks - 1) & (plain | own)


def parts_without_the_wild_card(plain: int, own: int) -> Iterator[int]:
    return PARTS(plain, 0)


PARTS = packed._parts


@pytest.mark.parametrize("fault", [parts_until_the_wild_card_is_alone, parts_without_the_wild_card])
def test_a_walk_that_leaves_out_runs_is_seen(fault: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_parts", fault)
    parts = (solver.Part("standard-points", f"{number}", HANDS) for number in range(10))
    assert any(solver.compare_part(part)[1] for part in parts)
