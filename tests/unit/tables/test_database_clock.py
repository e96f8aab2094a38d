"""The clock of the database is wrong, or set right: no player loses time, no table stops."""

from typing import Any

import pytest

from tables import tasks
from tables.models import Seating, ServerHeartbeat, Table
from tables.play import clocks, presence, services as play
from tables.play.opening import open_table
from tests.support.clock import Clock
from tests.support.outages import alive, left, stepped
from tests.support.steering import pass_turn
from tests.support.tables import Client, seated_at, terms

pytestmark = pytest.mark.django_db

#: Hours by which a machine in the wrong zone is ahead, in seconds.
ZONE = 19_800


def test_a_clock_set_back_lets_no_table_wait_for_what_was_its_time(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    alive(clock, 10)
    stepped(clock, -ZONE)
    assert left(first) == 30
    alive(clock, 30.5)
    assert first.view()["clock"]["kind"] == "extra"


def test_a_clock_set_forward_takes_no_time_from_anybody(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    alive(clock, 10)
    stepped(clock, ZONE)
    assert left(first) == 20


@pytest.mark.parametrize("steps", [(ZONE, -ZONE), (-ZONE, ZONE), (ZONE, -2 * ZONE, ZONE), (4, -4, 7, -60, 60)])
def test_a_clock_set_back_and_forth_under_a_running_table_costs_no_turn_and_stops_nothing(
    duel: tuple[Client, Client], clock: Clock, steps: tuple[float, ...]
) -> None:
    first, second = duel
    for step in steps:
        alive(clock, 1)
        stepped(clock, step)
        assert 10 <= left(first) <= 30
        assert first.view()["clock"]["kind"] == "turn"
    pass_turn(first)
    assert left(second) == 30
    alive(clock, 30.5)
    assert second.view()["clock"]["kind"] == "extra"
    alive(clock, 30)
    assert second.view()["phase"] == "result"


def test_a_heartbeat_in_the_future_is_set_right_and_a_start_clock_is_not_put_off(clock: Clock, table: Any) -> None:
    """A process started in the wrong time zone and was stopped; it wrote nothing else."""
    ServerHeartbeat.objects.create(at_ms=clock.now + ZONE * 1000)
    place = table()
    clients = seated_at(place, "asha", "ravi", amount=800)
    alive(clock, 10.5)
    assert ServerHeartbeat.objects.get().at_ms == clock.now
    assert clients[0].view()["phase"] == "playing"


def test_computer_players_of_a_time_that_was_ahead_do_not_think_for_hours(
    clock: Clock, player: Any, client_of: Any
) -> None:
    user = player("asha")
    place = open_table(terms=terms(), title="Practice", currency="FUN", practice_for=user, computers=1)
    play.sit(table_id=place.pk, user=user, amount=800)
    client_of(place, user)
    alive(clock, 11)
    Table.objects.update(computer_due_ms=clock.now + ZONE * 1000)
    assert place.pk in clocks.overdue_tables(clock.now)
    tasks.sweep()
    assert (Table.objects.get().computer_due_ms or 0) < clock.now + clocks.FAR_AHEAD_MS


def test_who_was_last_heard_of_in_the_future_is_not_there_for_ever(duel: tuple[Client, Client], clock: Clock) -> None:
    first, second = duel
    stepped(clock, -ZONE)
    seats = {seat["name"]: seat["connected"] for seat in second.view()["seats"]}
    assert seats == {"asha": False, "ravi": False}
    presence.record_sign_of_life(table_id=first.table, user_id=first.user.pk, connection=first.connection)
    assert [seat["connected"] for seat in second.view()["seats"] if seat["name"] == first.user.username] == [True]


def test_who_waits_for_company_and_is_long_gone_gives_up_their_seat_and_keeps_their_chips(
    clock: Clock, player: Any, table: Any, client_of: Any
) -> None:
    absent, present, place = player("asha"), player("ravi"), table(seats=6)
    play.sit(table_id=place.pk, user=absent, amount=500)
    alone = table()
    play.sit(table_id=alone.pk, user=present, amount=500)
    client_of(alone, present)
    clock.wait(clocks.ABANDONED_AFTER_MS / 1000)
    assert play.release_seats() == 0
    presence.record_sign_of_life(table_id=alone.pk, user_id=present.pk, connection=f"c{present.pk}")
    clock.wait(1)
    assert play.release_seats() == 1
    assert list(Seating.objects.filter(left_at=None).values_list("user__username", flat=True)) == ["ravi"]
    assert Table.objects.get(pk=place.pk).seated == 0
    play.sit(table_id=place.pk, user=absent, amount=10_000)
