"""Thousands of hands against the independent scorer (faults G3), and proof that it detects a wrong rule."""

from dataclasses import replace

import pytest

from rules.books import BOOKS, book
from tests.fleet import hands
from tests.fleet.scale.hands import Part, compare_by

#: In CI; `python -m tests.fleet hands` judges a hundred thousand.
JUDGED = 5_000


@pytest.mark.slow
def test_product_and_oracle_agree_on_every_hand() -> None:
    figures = hands.run(seed=1, size=JUDGED)
    assert figures["faults"] == []
    assert figures["arranged"] >= JUDGED // 500


@pytest.mark.parametrize("key", BOOKS)
def test_a_few_hands_of_every_book_agree(key: str) -> None:
    assert compare_by(book(key), Part(key, seed=7, judged=200, arranged=0)).differences == ()


@pytest.mark.parametrize("change", [{"full_count": 79}, {"least_points": 1}, {"max_groups": 3}], ids=str)
def test_a_wrong_figure_is_found(change: dict[str, int]) -> None:
    wrong = replace(book("standard-points"), **change)
    assert compare_by(wrong, Part("standard-points", seed=1, judged=500, arranged=0)).differences
