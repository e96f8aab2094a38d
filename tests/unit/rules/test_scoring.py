"""The cost of leaving, of dropping and of another player's show. RULES.md, The books and Open show."""

import pytest

from rules.books import BOOKS, book
from rules.errors import Refused
from rules.scoring import absence_points, drop_points, leave_points, loser_points


@pytest.mark.parametrize(
    ("key", "first", "middle"),
    [
        pytest.param("standard-points", 20, 40, id="seed 000 Points rule 11"),
        pytest.param("standard-pool-201", 25, 50, id="seed 000 Pool rule 12"),
        pytest.param("lives-points", 10, 30, id="seed 002 Drop Score Calculation"),
    ],
)
def test_a_drop_costs(key, first, middle):
    assert drop_points(book(key), first_round=True) == first
    assert drop_points(book(key), first_round=False) == middle
    assert absence_points(book(key), first_round=True) == first


def test_the_deals_book_has_no_drops_but_absence_costs_eighty():
    deals = book("standard-deals-3")
    with pytest.raises(Refused) as refusal:
        drop_points(deals, first_round=True)
    assert refusal.value.code == "drops_not_allowed"
    assert absence_points(deals, first_round=True) == absence_points(deals, first_round=False) == 80


def test_leaving_costs_more_in_the_first_round_where_the_book_says_so():
    assert leave_points(book("standard-points"), first_round=True) == 80
    assert leave_points(book("standard-points"), first_round=False) == 40
    assert leave_points(book("classic-points"), first_round=False) == 80


def pays(key, judged, *, had_turn=False, winners_first_turn=True, submitted=True):
    return loser_points(
        book(key), judged=judged, had_turn=had_turn, winners_first_turn=winners_first_turn, submitted=submitted
    )


@pytest.mark.parametrize(
    ("key", "judged", "points"),
    [
        pytest.param("standard-points", 30, 15, id="seed 000 rule 28 iii: 30 gives 15"),
        pytest.param("standard-points", 31, 16, id="half is rounded up"),
        pytest.param("standard-points", 80, 40, id="forty at most"),
        pytest.param("standard-points", 2, 2, id="two at least"),
        pytest.param("standard-pool-201", 79, 40, id="in pool too"),
        pytest.param("lives-points", 80, 40, id="seed 002: forty without lives"),
        pytest.param("lives-points", 20, 10, id="seed 002: twenty gives ten"),
        pytest.param("classic-points", 64, 64, id="full count"),
        pytest.param("flat20-points", 64, 20, id="seed 003: twenty flat"),
        pytest.param("flat20-points", 2, 20, id="seed 003: twenty flat, whatever the hand"),
        pytest.param("lives-drop-points", 64, 20, id="seed 002 Drop Show: no turn"),
    ],
)
def test_an_open_show_costs_one_who_had_no_turn(key, judged, points):
    assert pays(key, judged) == points


@pytest.mark.parametrize("key", sorted(BOOKS.keys() - {"lives-drop-points"}))
def test_one_who_had_a_turn_pays_what_their_hand_counts(key):
    assert pays(key, 37, had_turn=True) == 37


def test_a_drop_show_is_one_on_the_winners_first_turn():
    assert pays("lives-drop-points", 2, had_turn=True) == 40
    assert pays("lives-drop-points", 64, had_turn=True, winners_first_turn=False) == 64


@pytest.mark.parametrize(("had_turn", "points"), [(True, 80), (False, 40)])
def test_submitting_nothing_costs_eighty_in_the_lives_books_and_the_last_arrangement_elsewhere(had_turn, points):
    """Seed 002, Deal Show: forty instead of eighty without a turn; Drop Show: eighty without a declaration."""
    assert pays("lives-points", 10, had_turn=had_turn, submitted=False) == points
    assert pays("lives-drop-points", 10, had_turn=had_turn, submitted=False) == 80
    assert pays("classic-points", 10, had_turn=had_turn, submitted=False) == 10
