"""A few rounds of each race for something that only one player can have."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from tables.play import seating, services as play
from tests.fleet import seat_races
from tests.support.world import isolated_world
from wallet.audit.audit import audit
from wallet.play_money import services as play_money

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.databases
@pytest.mark.parametrize(
    ("race", "threads", "rounds"),
    [
        (seat_races.last_seat, 3, 5),
        (seat_races.one_player_many_windows, 24, 1),
        (seat_races.in_and_out, 3, 1),
        (seat_races.rejoins, 16, 1),
        (seat_races.splits, 16, 1),
        (seat_races.settlements, 16, 2),
        (seat_races.prizes, 16, 1),
    ],
)
def test_exactly_one_gets_it(race: Callable[..., int], threads: int, rounds: int) -> None:
    for _ in range(rounds):
        with isolated_world() as world:
            race(world, threads)
    assert audit().differences == []


def test_the_race_sees_a_loser_who_has_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the fee is taken before the seat is."""
    sit = play.sit
    numbers = itertools.count(1_000)

    def greedy(*, table_id: int, user: Any, **wishes: Any) -> Any:
        play_money.buy_in(seating=next(numbers), user=user, currency="FUN", amount=100)
        return sit(table_id=table_id, user=user, **wishes)

    with isolated_world() as world, pytest.raises(AssertionError):
        monkeypatch.setattr(play, "sit", greedy)
        seat_races.last_seat(world, 3)


def test_connecting_and_leaving_again_and_again_does_not_put_off_the_start() -> None:
    """A player who comes and goes neither restarts nor lengthens the countdown of those who wait."""
    with isolated_world() as world:
        table, griefer = world.table(seats=6), world.person()
        for _ in range(2):
            world.sit(table, amount=80)
        table.refresh_from_db()
        deadline = table.deadline_ms
        for _ in range(50):
            _come_and_go(table.pk, griefer)
            table.refresh_from_db()
            assert table.phase == "starting" and table.deadline_ms == deadline
            world.clock.wait(0.1)


def test_a_player_who_keeps_coming_and_going_is_kept_away_for_a_while() -> None:
    with isolated_world() as world:
        table, griefer = world.table(), world.person()
        world.sit(table, amount=80)
        codes = [_come_and_go(table.pk, griefer) for _ in range(50)]
        assert codes[: seating.MOST_IDLE_STAYS] == [None] * seating.MOST_IDLE_STAYS
        assert set(codes[seating.MOST_IDLE_STAYS :]) == {"too_often"}
        world.clock.wait(seating.REST_MS / 1000 + 1)
        assert _come_and_go(table.pk, griefer) is None


def _come_and_go(table: int, user: Any) -> str | None:
    try:
        play.sit(table_id=table, user=user, amount=80)
    except play.TableError as refusal:
        return refusal.code
    seat_races._leave(table, user)
    return None
