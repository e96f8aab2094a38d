"""The draw of seats as published, checked by a construction of its own; table sizes and rounds."""

import hashlib
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from rules.tournaments import draw_commitment, drawn_tables, going_on, most_rounds, rounds_of, table_sizes

PLAYERS, SEATS = st.integers(2, 5000), st.integers(2, 6)


def by_hand(entrants, material):
    """Draw by the published construction, on one digest that is long enough."""
    digest, order, at = hashlib.shake_256(material).digest(20_000), list(entrants), 0
    for i in range(len(order) - 1, 0, -1):
        while (word := int.from_bytes(digest[at : at + 2], "big")) >= 65536 - 65536 % (i + 1):
            at += 2
        at += 2
        order[i], order[word % (i + 1)] = order[word % (i + 1)], order[i]
    return order


@given(st.integers(1, 10**9), st.integers(1, 12), st.binary(min_size=64, max_size=64), st.integers(2, 1000))
def test_the_seats_are_those_of_the_published_construction(tournament, number, seed, count):
    entrants = [f"p{at}" for at in range(count)]
    label = b"tournament-v1%d/%d" % (tournament, number)
    tables = drawn_tables(tournament, number, seed, entrants, 6)
    assert [each for table in tables for each in table] == by_hand(entrants, label + seed)
    assert tuple(map(len, tables)) == table_sizes(count, 6)
    assert draw_commitment(tournament, number, seed) == hashlib.sha256(label + seed).hexdigest()


def test_the_draw_that_the_page_is_tried_with():
    """The same stands in tests/javascript/units/tournament.test.js."""
    seed = bytes(range(64))
    assert draw_commitment(7, 2, seed) == "ea883e96fb844cf142b765a2276b3bf1c44552e9dfa518589c5deb828fb8fb3b"
    assert drawn_tables(7, 2, seed, range(101, 110), 6) == ((105, 109, 106, 103, 108), (104, 107, 101, 102))


def test_each_round_is_drawn_anew():
    assert drawn_tables(7, 1, b"s" * 64, range(36), 6) != drawn_tables(7, 2, b"s" * 64, range(36), 6)


@given(PLAYERS, SEATS)
def test_tables_are_even_few_and_never_of_one(players, seats):
    sizes = table_sizes(players, seats)
    assert sum(sizes) == players
    assert sorted(sizes, reverse=True) == list(sizes)
    assert sizes[0] - sizes[-1] <= 1
    assert sizes[-1] >= 2
    assert sizes[0] <= max(seats, 3)
    fewer = len(sizes) - 1
    assert fewer == 0 or fewer * seats < players or sizes[0] > seats


@pytest.mark.parametrize(
    ("players", "seats", "sizes"),
    [
        (2, 6, (2,)),
        (3, 2, (3,)),
        (3, 6, (3,)),
        (5, 2, (3, 2)),
        (7, 6, (4, 3)),
        (18, 6, (6, 6, 6)),
        (19, 6, (5, 5, 5, 4)),
    ],
)
def test_table_sizes(players, seats, sizes):
    assert table_sizes(players, seats) == sizes


@pytest.mark.parametrize("players", [0, 1])
def test_one_player_makes_no_table(players):
    with pytest.raises(ValueError, match="no table"):
        table_sizes(players, 6)


@given(PLAYERS, SEATS, st.integers(1, 3))
def test_every_knock_out_comes_down_to_one_table_of_its_last(players, seats, best):
    rounds = rounds_of(players, seats, best)
    assert sum(rounds[0]) == players
    assert [len(sizes) == 1 for sizes in rounds] == [False] * (len(rounds) - 1) + [True]
    for sizes, following in pairwise(rounds):
        advance = going_on(sizes, seats, best)
        assert 1 <= advance < min(sizes)
        assert sum(following) == advance * len(sizes)
    assert going_on(rounds[-1], seats, best) == 0


@pytest.mark.parametrize(
    ("entrants", "rounds"),
    [(6, ((6,),)), (9, ((5, 4), (4,))), (12, ((6, 6), (6,))), (18, ((6, 6, 6), (6,))), (36, ((6,) * 6, (6, 6), (6,)))],
)
def test_the_rounds_of_the_usual_sizes(entrants, rounds):
    assert rounds_of(entrants, 6, 2) == rounds


@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("best", range(1, 4))
def test_no_number_of_entrants_takes_more_rounds_than_the_most(seats, best):
    needed = [len(rounds_of(players, seats, best)) for players in range(2, 200)]
    most = [most_rounds(players, seats, best) for players in range(2, 200)]
    assert all(enough >= max(needed[: at + 1]) for at, enough in enumerate(most))
