"""Pairing of an arena: everybody is seated, the same two do not meet twice in a row where others are free."""

from itertools import combinations
from random import Random

from hypothesis import given, strategies as st

from rules.tournaments import Free, paired
from tests.support.effort import calls_of


def fresh(count, start=1):
    return [Free(player) for player in range(start, start + count)]


def just_played(*players):
    return [Free(player, frozenset(players) - {player}) for player in players]


def repeats(tables, free):
    """Return the pairs at these tables who have just played together."""
    met = {each.player: each.met for each in free}
    return [pair for table in tables for pair in combinations(table, 2) if pair[1] in met[pair[0]]]


@st.composite
def pools(draw):
    """Draw a pool of players where some have left the same tables."""
    count = draw(st.integers(0, 40))
    last = [draw(st.integers(0, 8)) for _ in range(count)]
    return [
        Free(player, frozenset(other for other in range(count) if last[other] == last[player] != 0) - {player})
        for player in range(count)
    ]


@given(pools())
def test_everybody_sits_once_at_a_table_of_two_to_six(free):
    tables = paired(free)
    seated = [player for table in tables for player in table]
    assert sorted(seated) == ([each.player for each in free] if len(free) > 1 else [])
    assert all(2 <= len(table) <= 6 for table in tables)


@given(pools())
def test_nobody_meets_again_where_those_who_just_met_are_half_of_all_or_fewer(free):
    if 2 * max((1 + len(each.met) for each in free), default=0) <= len(free):
        assert repeats(paired(free), free) == []


def test_two_tables_that_end_together_are_mixed_entirely():
    free = just_played(*range(1, 7)) + just_played(*range(7, 13))
    tables = paired(free)
    assert repeats(tables, free) == []
    assert len(tables) == 6


def test_a_full_house_of_strangers_sits_at_full_tables():
    assert [len(table) for table in paired(fresh(13))] == [5, 4, 4]


def test_two_alone_play_again():
    assert paired(just_played(1, 2)) == ((1, 2),)


def test_the_same_six_play_again_when_nobody_else_is_free():
    assert sorted(paired(just_played(*range(1, 7)))[0]) == [1, 2, 3, 4, 5, 6]


def test_one_stranger_is_paired_with_whoever_waited_longest():
    tables = paired(just_played(1, 2, 3) + fresh(1, start=9))
    assert (1, 9) in tables


def test_a_third_is_not_left_alone():
    assert sorted(paired(just_played(1, 2) + fresh(1, start=3))[0]) == [1, 2, 3]


def test_the_work_of_pairing_grows_with_those_who_are_free_no_faster():
    """An arena of three thousand is paired in some hundredths of a second."""
    dice, free = Random(1), []
    order = list(range(3000))
    dice.shuffle(order)
    for at in range(0, 3000, 6):
        free += just_played(*order[at : at + 6])
    tables = paired(free)
    assert calls_of(lambda: paired(free)) < 2.5 * calls_of(lambda: paired(free[:1500]))
    assert repeats(tables, free) == []
    assert max(map(len, tables)) - min(map(len, tables)) <= 1
