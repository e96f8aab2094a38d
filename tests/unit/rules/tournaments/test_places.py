"""Places by the published order; prizes that sum to the pot to the unit."""

from random import Random

import pytest
from hypothesis import given, strategies as st

from rules.tournaments import Showing, apportioned, best_of, placed, prizes_of

SHOWINGS = st.lists(
    st.tuples(st.integers(1, 3), st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)), max_size=12
).map(lambda rows: [Showing(entry, *row) for entry, row in enumerate(rows, start=1)])
PERCENTS = st.lists(st.integers(1, 60), min_size=1, max_size=9)


def shown(entry, round_, chips, won=0, lost=0):
    return Showing(entry, round_, chips, won, lost)


def order(*showings):
    return [(place, showing.entry) for place, showing in placed(showings)]


def test_each_rule_decides_where_those_before_it_are_equal():
    finalist = shown(8, 3, 10)
    later_out = shown(7, 2, 400)
    richer, poorer = shown(6, 1, 900), shown(5, 1, 800, won=2)
    fewer_won = shown(4, 1, 800, won=1, lost=30)
    lost_more = shown(3, 1, 800, won=1, lost=31)
    assert order(lost_more, fewer_won, poorer, richer, later_out, finalist) == [
        (1, 8), (2, 7), (3, 6), (4, 5), (5, 4), (6, 3),
    ]  # fmt: skip


def test_equals_share_a_place_in_the_order_of_entry_and_the_next_counts_them():
    assert order(shown(3, 1, 5), shown(1, 1, 5), shown(2, 1, 5), shown(4, 1, 4), shown(5, 1, 9)) == [
        (1, 5), (2, 1), (2, 2), (2, 3), (5, 4),
    ]  # fmt: skip


@given(SHOWINGS, st.integers(0, 99))
def test_places_do_not_depend_on_the_order_in_which_they_are_given(showings, salt):
    shuffled = list(showings)
    Random(salt).shuffle(shuffled)
    assert placed(shuffled) == placed(showings)


@given(SHOWINGS)
def test_a_place_is_one_more_than_those_who_did_better(showings):
    for place, showing in placed(showings):
        assert place == 1 + sum(other.merit > showing.merit for other in showings)


def test_who_goes_on_between_equals_is_decided_by_entry():
    assert [each.entry for each in best_of([shown(2, 1, 5), shown(1, 1, 5), shown(3, 1, 9)], 2)] == [3, 1]


@given(st.integers(0, 10**7), PERCENTS)
def test_shares_sum_to_the_pot_and_miss_their_quota_by_less_than_a_unit(pot, percents):
    shares = apportioned(pot, percents)
    assert sum(shares) == pot
    for share, percent in zip(shares, percents, strict=True):
        assert abs(share * sum(percents) - pot * percent) < sum(percents)


@pytest.mark.parametrize(
    ("pot", "percents", "shares"),
    [
        (100, [50, 30, 20], (50, 30, 20)),
        (101, [50, 30, 20], (51, 30, 20)),
        (7, [50, 30, 20], (4, 2, 1)),
        pytest.param(2, [34, 33, 33], (1, 1, 0), id="of equal rests the better place"),
        (540, [100], (540,)),
    ],
)
def test_pots_that_do_not_divide(pot, percents, shares):
    assert apportioned(pot, percents) == shares


@given(st.integers(0, 10**6), PERCENTS, SHOWINGS)
def test_prizes_are_the_pot_exactly_equals_differ_by_a_unit_and_nobody_wins_more_than_those_before(
    pot, percents, showings
):
    places = placed(showings)
    won = prizes_of(pot, sorted(percents, reverse=True), places)
    assert sum(won) == (pot if places else 0)
    assert list(won) == sorted(won, reverse=True)
    for place in {place for place, _ in places}:
        equal = [prize for (other, _), prize in zip(places, won, strict=True) if other == place]
        assert max(equal) - min(equal) <= 1


def test_three_who_are_equal_add_and_share_and_the_earlier_entries_take_the_odd_units():
    places = placed([shown(1, 1, 9), shown(4, 1, 5), shown(3, 1, 5), shown(2, 1, 5)])
    assert prizes_of(1001, [50, 30, 20], places) == (501, 167, 167, 166)


def test_a_leaver_who_stands_before_others_does_not_bring_them_a_prize():
    left = shown(1, 2, 300)
    ninth = [shown(entry, 2, 1000 - entry) for entry in range(2, 10)]
    assert prizes_of(800, [20, 20, 20, 10, 10, 10, 5, 5], placed([*ninth, left]))[-1] == 0


def test_fewer_entrants_than_prizes_share_the_whole_pot():
    assert prizes_of(1000, [50, 30, 20], placed([shown(1, 1, 2), shown(2, 1, 1)])) == (625, 375)
    assert prizes_of(1000, [50, 30, 20], ()) == ()
