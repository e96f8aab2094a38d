"""A hundred thousand hands are worth what the independent scorer says (faults G3); and what it would have found."""

import os
from dataclasses import replace

import pytest

from rules.books import BOOKS, book
from rules.melds import Kind
from tests.rules.scale.hands import Part, compare_by, compared, parts

JUDGED = int(os.environ.get("RUMMY_JUDGED_HANDS", "100000"))
ARRANGED = JUDGED // 500


@pytest.mark.slow
def test_product_and_oracle_agree_on_every_hand() -> None:
    all_hands = compared(parts(JUDGED, ARRANGED))
    assert sum(each.judged for each in all_hands) >= JUDGED and sum(each.arranged for each in all_hands) >= ARRANGED
    assert [difference for each in all_hands for difference in each.differences] == []
    assert frozenset[str]().union(*(each.kinds for each in all_hands)) == {*Kind}
    assert sum(each.valid for each in all_hands) > JUDGED // 100


@pytest.mark.parametrize("key", BOOKS)
def test_a_few_hands_of_every_book_agree(key: str) -> None:
    assert compare_by(book(key), Part(key, seed=7, judged=200, arranged=0)).differences == ()


@pytest.mark.parametrize("change", [{"full_count": 79}, {"least_points": 1}, {"max_groups": 3}], ids=str)
def test_a_wrong_figure_is_found(change: dict[str, int]) -> None:
    wrong = replace(book("standard-points"), **change)
    assert compare_by(wrong, Part("standard-points", seed=1, judged=500, arranged=0)).differences
