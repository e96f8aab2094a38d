"""The platform was down: no player loses time they could not use, or gets it twice."""

import pytest

from tables import tasks
from tables.models import Outage, ServerHeartbeat
from tables.play import outages, services as play
from tests.support import connections
from tests.support.clock import Clock
from tests.support.outages import alive, away, away_unswept, back, kinds, left, stepped
from tests.support.sampling import one_of_each
from tests.support.steering import pass_turn
from tests.support.tables import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("length", one_of_each([2, 5, 40, 3_600], lambda length: length > 30))
@pytest.mark.parametrize("before", one_of_each([18, 5]))
def test_a_clock_moves_by_the_time_in_which_nobody_served_whatever_its_length(
    duel: tuple[Client, Client], clock: Clock, before: float, length: float
) -> None:
    first, _ = duel
    alive(clock, before)
    away(clock, length)
    tasks.sweep()
    assert first.view()["clock"]["kind"] == "turn", "the player has paid for the outage"
    assert left(first) == 30 - before
    assert kinds(first.table)[-1] == "clock_credited"
    assert first.send("draw", pile="closed")["type"] == "ack"


@pytest.mark.parametrize("overdue", [-4, 0.5, 3, 40])
def test_a_clock_that_had_little_left_or_would_have_run_out_meanwhile_has_ten_seconds_from_the_return(
    duel: tuple[Client, Client], clock: Clock, overdue: float
) -> None:
    """`overdue`: how many seconds before the return the turn would have ended."""
    first, _ = duel
    alive(clock, 25)
    first.send("draw", pile="closed")
    card = first.me["drawn"]
    alive(clock, 3)
    away(clock, 2 + overdue if overdue > 0 else 1.5)
    tasks.sweep()
    assert left(first) == 10
    assert first.me["drawn"] == card, "a card was discarded for a player who could not do it"
    alive(clock, 9.5)
    assert first.send("discard", card=card)["type"] == "ack"


def test_the_grace_ends_and_comes_once(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    alive(clock, 29)
    away(clock, 120)
    alive(clock, 9.5)
    assert first.view()["clock"]["kind"] == "turn"
    alive(clock, 1)
    assert first.view()["clock"]["kind"] == "extra"
    alive(clock, 30)
    assert first.view()["phase"] == "result"
    assert kinds(first.table).count("clock_credited") == 1


def test_a_returning_player_has_ten_seconds_once_for_each_outage(duel: tuple[Client, Client], clock: Clock) -> None:
    """Reconnecting again gives nothing more, and a player whose turn it is not gets nothing."""
    first, second = duel
    alive(clock, 28)
    away(clock, 6)
    alive(clock, 7)
    assert back(second)["view"]["clock"]["remaining_ms"] == 3_000
    frame = back(first)
    assert (frame["away_ms"], frame["view"]["clock"]["remaining_ms"]) == (6_000, 10_000)
    alive(clock, 4)
    frame = back(first)
    assert ("away_ms" in frame, frame["view"]["clock"]["remaining_ms"]) == (False, 6_000)


def test_a_player_whose_turn_began_after_the_last_heartbeat_learns_of_the_outage(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    first, _ = duel
    ServerHeartbeat.objects.create(pk=1, at_ms=clock.now - 100)
    away(clock, 6)
    tasks.sweep()
    assert left(first) == 30
    assert back(first)["away_ms"] == 6_100


def test_a_clock_of_the_database_that_is_set_back_a_little_brings_no_grace(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    first, _ = duel
    alive(clock, 28)
    stepped(clock, -5)
    assert Outage.objects.count() == 1
    assert left(first) == 7
    assert "clock_credited" not in kinds(first.table)
    assert "away_ms" not in back(first)


def test_who_was_cut_off_alone_gets_nothing(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    alive(clock, 10)
    connections.disconnect(table_id=first.table, user_id=first.user.pk, connection=first.connection)
    alive(clock, 18)
    frame = back(first)
    assert ("away_ms" in frame, frame["view"]["clock"]["remaining_ms"]) == (False, 2_000)


def test_outages_one_after_the_other_are_all_given_back_though_nobody_looked_at_the_table_between(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    first, _ = duel
    alive(clock, 10)
    for _ in range(3):
        away_unswept(clock, 7)
    tasks.sweep()
    assert left(first) == 20
    assert Outage.objects.count() == 3


def test_a_clock_that_began_after_an_outage_is_not_moved_by_it(duel: tuple[Client, Client], clock: Clock) -> None:
    first, second = duel
    alive(clock, 1)
    away_unswept(clock, 60)
    pass_turn(first)
    tasks.sweep()
    assert left(second) == 30
    alive(clock, 30.5)
    assert second.view()["clock"]["kind"] == "extra"


def test_a_move_that_comes_before_anybody_has_noticed_the_return_is_taken(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    """A stopped process resumes and handles the waiting frames before its own heartbeat."""
    first, _ = duel
    alive(clock, 28)
    clock.wait(30)
    assert first.send("draw", pile="closed")["type"] == "ack"
    assert Outage.objects.count() == 1


def test_one_web_process_that_serves_is_enough(duel: tuple[Client, Client], clock: Clock) -> None:
    """The clocks run while another one starts, dies, and starts."""
    first, _ = duel
    for _ in range(6):
        alive(clock, 5)
        outages.record_heartbeat(starting=True)
    alive(clock, 30)
    assert first.view()["phase"] == "result"
    assert not Outage.objects.exists()


def test_without_any_web_process_no_clock_runs_out_and_no_outage_is_over(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    first, _ = duel
    alive(clock, 29.5)
    for _ in range(10):
        clock.wait(0.5)
        tasks.sweep()
        play.tick(table_id=first.table)
    assert first.view()["clock"]["kind"] == "turn"
    assert not Outage.objects.exists()


def test_a_platform_that_never_had_a_web_process_waits_for_none(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    clock.wait(30)
    play.tick(table_id=first.table)
    assert first.view()["clock"]["kind"] == "extra"
