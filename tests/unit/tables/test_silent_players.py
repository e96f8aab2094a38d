"""One web process of several is silent: its players keep their seats and may still answer."""

from collections.abc import Callable

import pytest

from tables import tasks
from tables.models import Seating, Table
from tables.play import outages, presence, services as play
from tests.support import connections
from tests.support.clock import Clock
from tests.support.outages import left
from tests.support.steering import all_drop_but, ask, next_deal, one_loses_eighty
from tests.support.tables import Client, seated_at

pytestmark = pytest.mark.django_db


def with_signs_of(clock: Clock, seconds: float, *present: Client) -> None:
    """Let time pass while a web process serves; those of the `present` players note that their sockets live."""
    for _ in range(int(seconds * 2)):
        clock.wait(0.5)
        outages.record_heartbeat()
        for each in present:
            presence.record_sign_of_life(table_id=each.table, user_id=each.user.pk, connection=each.connection)
        tasks.sweep()


def offering_a_split(pool: list[Client]) -> tuple[Client, Client]:
    """Let the last of three leave and the first offer a split; return the first, and the one who is asked."""
    asks, asked, leaves = pool
    all_drop_but(leaves, pool)
    ask(leaves, "leave")
    ask(asks, "offer_split")
    return asks, asked


def seated_names(table: int) -> set[str]:
    return set(Seating.objects.filter(table=table, left_at=None).values_list("user__username", flat=True))


def test_whose_web_process_is_silent_over_the_end_of_a_result_clock_keeps_their_seat_and_continues(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    cut_off, present = duel
    ask(cut_off, "drop")
    with_signs_of(clock, 8, *duel)
    with_signs_of(clock, 8, present)
    assert left(present) == 9, "the clock begins once more, for a while"
    assert seated_names(present.table) == {cut_off.user.username, present.user.username}
    ask(cut_off, "continue")
    with_signs_of(clock, 9.5, *duel)
    assert seated_names(present.table) == {cut_off.user.username}, "who was there and did not continue has left"


@pytest.fixture
def pool(clock: Clock, table: Callable[..., Table]) -> list[Client]:
    """Seat three players at a running pool."""
    place = table(book="standard-pool-101", seats=3, point_value=0, minimum=0, entry=100)
    clients = seated_at(place, "asha", "bela", "chitra")
    clock.wait(10)
    play.tick(table_id=place.pk)
    return clients


def test_whose_web_process_is_silent_over_the_end_of_the_rejoin_clock_may_still_answer(
    pool: list[Client], clock: Clock
) -> None:
    cut_off, winner, third = pool
    one_loses_eighty(cut_off, winner, pool)
    next_deal(pool, clock)
    one_loses_eighty(cut_off, winner, pool)
    with_signs_of(clock, 10, *pool)
    with_signs_of(clock, 12, winner, third)
    assert (winner.view()["phase"], left(winner)) == ("rejoin", 8)
    ask(cut_off, "rejoin", accept=True)


def test_whose_web_process_is_silent_over_the_end_of_the_split_clock_may_still_answer(
    pool: list[Client], clock: Clock
) -> None:
    asks, cut_off = offering_a_split(pool)
    with_signs_of(clock, 10, asks, cut_off)
    with_signs_of(clock, 12, asks)
    assert (asks.view()["phase"], left(asks)) == ("split", 8)
    ask(cut_off, "answer_split", accept=True)
    assert asks.view()["phase"] == "over"


def test_who_is_there_and_answers_nothing_has_the_time_of_the_clock_and_no_more(
    pool: list[Client], clock: Clock
) -> None:
    asks, _ = offering_a_split(pool)
    with_signs_of(clock, 20.5, *pool)
    assert asks.view()["phase"] == "result"


def test_a_web_process_that_died_holds_a_result_clock_up_only_until_its_players_count_as_disconnected(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    cut_off, present = duel
    ask(cut_off, "drop")
    with_signs_of(clock, 14, present)
    ask(present, "continue")
    with_signs_of(clock, 1.5, present)
    assert len(seated_names(present.table)) == 2
    with_signs_of(clock, 30, present)
    assert seated_names(present.table) == {present.user.username}


def test_a_result_clock_waits_for_nobody_whose_web_process_serves_nor_for_who_has_gone(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    gone, present = duel
    ask(gone, "drop")
    connections.disconnect(table_id=gone.table, user_id=gone.user.pk, connection=gone.connection)
    with_signs_of(clock, 12, present)
    with_signs_of(clock, 3.5)
    assert seated_names(present.table) == set()
