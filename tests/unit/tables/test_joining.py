"""Sitting down at a table: buy-in, seats, and how many tables a player may join."""

from collections.abc import Callable
from typing import Any

import pytest

from tables.errors import TableError
from tables.models import LoggedEvent, Seating, Table
from tables.play import services as play
from tests.support.clock import Clock
from wallet.base.errors import InsufficientBalance
from wallet.ledger.selectors import balances, stack

pytestmark = pytest.mark.django_db


def free(user: Any) -> int:
    return sum(balance["free"] for balance in balances(user))


@pytest.mark.databases
def test_sitting_takes_the_buy_in_and_sitting_again_changes_nothing(
    clock: Clock, player: Callable[[str], Any], table: Callable[..., Table]
) -> None:
    asha, place = player("asha"), table()
    seating = play.sit(table_id=place.pk, user=asha, amount=500)
    again = play.sit(table_id=place.pk, user=asha, amount=700)
    assert seating.pk == again.pk
    assert (free(asha), stack(seating.pk)) == (9_500, 500)


def test_without_a_wish_one_sits_down_with_ten_times_the_minimum(
    clock: Clock, player: Callable[[str], Any], table: Callable[..., Table]
) -> None:
    asha = player("asha")
    seating = play.sit(table_id=table().pk, user=asha)
    assert stack(seating.pk) == 800


@pytest.mark.parametrize(("amount", "code"), [(79, "below_minimum"), (1_001, "above_maximum")])
def test_a_buy_in_outside_the_limits_is_refused(
    clock: Clock, player: Callable[[str], Any], table: Callable[..., Table], amount: int, code: str
) -> None:
    asha, place = player("asha"), table(maximum=1_000)
    with pytest.raises(TableError) as refused:
        play.sit(table_id=place.pk, user=asha, amount=amount)
    assert refused.value.code == code
    assert free(asha) == 10_000
    assert not Seating.objects.exists()


def test_a_player_with_too_few_chips_gets_no_seat(
    clock: Clock, player: Callable[[str], Any], table: Callable[..., Table]
) -> None:
    asha, place = player("asha"), table()
    with pytest.raises(InsufficientBalance):
        play.sit(table_id=place.pk, user=asha, amount=10_001)
    assert not Seating.objects.exists()
    assert not LoggedEvent.objects.exists()


@pytest.mark.parametrize(("book", "seats"), [("standard-points", 7), ("standard-points", 1), ("standard-deals-3", 3)])
def test_a_table_has_as_many_seats_as_its_book_allows(table: Callable[..., Table], book: str, seats: int) -> None:
    with pytest.raises(ValueError, match="players"):
        table(book=book, seats=seats)
    assert not Table.objects.exists()


@pytest.mark.databases
def test_a_player_sits_at_three_tables_at_most_and_at_each_once(
    clock: Clock, player: Callable[[str], Any], table: Callable[..., Table]
) -> None:
    asha, tables = player("asha"), [table().pk for _ in range(4)]
    for place in tables[:3]:
        assert play.sit(table_id=place, user=asha).pk == play.sit(table_id=place, user=asha).pk
    in_play = sum(balance["in_play"] for balance in balances(asha))
    with pytest.raises(TableError) as refused:
        play.sit(table_id=tables[3], user=asha)
    assert refused.value.code == "too_many_tables"
    assert sum(balance["in_play"] for balance in balances(asha)) == in_play
    play.leave_if_idle(user_id=asha.pk)
    assert not Seating.objects.filter(user=asha, left_at=None).exists()
    play.sit(table_id=tables[3], user=asha)


@pytest.mark.databases
def test_the_third_at_a_table_of_two_is_told_that_it_is_full(
    clock: Clock, player: Callable[[str], Any], table: Callable[..., Table]
) -> None:
    place = table()
    for name in ("asha", "ravi"):
        play.sit(table_id=place.pk, user=player(name))
    third = player("tara")
    with pytest.raises(TableError) as refused:
        play.sit(table_id=place.pk, user=third)
    assert refused.value.code == "table_full"
    assert free(third) == 10_000
