"""When computer players drop: by the price of each book, by who takes the points, and by how many are in the deal."""

import pytest

from rules.books import BOOKS
from rules.bots import Strength, choose
from rules.bots.dropping import expected_points
from rules.bots.eye import Eye
from rules.game.events.base import with_seat
from tests.unit.rules.game.play import Table, deal, play

HOPELESS = "2C 5D 8H JS KC 4H 7S 10D KC 3S 6H 9C QD"
MIDDLING = "3H 4H 7H 8H JS JD 6C 7C 2D KD QC 10S JR"
THINKERS = (Strength.SHARP, Strength.EXPERT)


def table_of(key: str, seats: int, hand: str) -> Table:
    return deal(key, [hand, *[""] * (seats - 1)], upcard="2S" if BOOKS[key].open_pile else "", cut="AD")


def eye_of(table: Table, strength: Strength, seat: int = 0) -> Eye:
    view = table.view(seat)
    assert view["me"] is not None and view["deal"] is not None
    return Eye(view, view["me"], BOOKS[view["table"]["book"]], view["deal"]["wild_rank"] or 0, strength)


def drops(table: Table, strength: Strength) -> bool:
    return choose(table.view(0), strength) == {"type": "drop"}


@pytest.mark.parametrize("strength", THINKERS)
def test_a_book_that_counts_less_is_expected_to_cost_less(strength: Strength) -> None:
    of_60, of_80 = (
        expected_points(eye_of(table_of(key, 2, HOPELESS), strength)) for key in ("standard-pool-61", "standard-points")
    )
    assert of_80 < of_60 < 0


@pytest.mark.parametrize("strength", THINKERS)
def test_a_hand_is_worth_less_where_the_winner_takes_no_points_from_many(strength: Strength) -> None:
    for seats, differ in ((2, False), (6, True)):
        points, pool = (
            expected_points(eye_of(table_of(key, seats, MIDDLING), strength))
            for key in ("standard-points", "standard-pool-101")
        )
        assert (pool < points) is differ


@pytest.mark.parametrize("strength", THINKERS)
@pytest.mark.parametrize("key", [key for key, book in BOOKS.items() if book.max_seats > 2])
def test_a_hopeless_hand_is_dropped_in_every_book_but_never_out_of_a_match(key: str, strength: Strength) -> None:
    table = table_of(key, 2, HOPELESS)
    assert drops(table, strength) is (BOOKS[key].first_drop is not None)
    if (limit := BOOKS[key].pool_limit) is not None:
        table.state = with_seat(table.state, 0, total=limit - 1)
        assert not drops(table, strength)


def test_an_expert_drops_more_readily_among_many() -> None:
    weak = "3H 4H 7H 8H JS JD 6C 7C 2D KD QC 10S QS"
    assert not drops(table_of("standard-points", 2, weak), Strength.EXPERT)
    assert drops(table_of("standard-points", 6, weak), Strength.EXPERT)


def test_what_the_next_player_has_picked_makes_an_expert_expect_less() -> None:
    def expected(pile: str) -> float:
        table = deal("standard-points", [HOPELESS, MIDDLING], upcard="2S", cut="AD", closed="9D")
        play(table, f"draw {pile}; discard KC")
        return expected_points(eye_of(table, Strength.EXPERT, seat=1))

    assert expected("open") < expected("closed") - 10


@pytest.mark.parametrize("strength", THINKERS)
def test_nobody_drops_once_they_have_drawn(strength: Strength) -> None:
    table = table_of("standard-points", 2, HOPELESS)
    play(table, "draw closed; discard KC; draw closed; discard " + table.state.current.hands[1].cards[0][:-1])
    assert not drops(table, strength)
