"""The platform was away: nobody pays for time in which he could not act, and nobody gets it twice."""

from typing import Any

import pytest

from tables import presence, services, timers
from tables.models import Event, Pulse, Seating, Table
from tests.tables.conftest import Client, Clock

pytestmark = pytest.mark.django_db

AWAY = 120


def alive(clock: Clock, seconds: float) -> None:
    """Time goes by, and the sweep watches all along."""
    for _ in range(int(seconds * 2)):
        clock.wait(0.5)
        services.sweep()


def kinds(table: int) -> list[str]:
    return list(Event.objects.filter(table=table).order_by("pk").values_list("kind", flat=True))


@pytest.mark.parametrize("overdue", [-4, 0.1, 3, 4.9, 5.1, 40])
def test_a_deadline_in_or_right_after_an_outage_is_put_off_for_ten_seconds_from_the_return(
    duel: tuple[Client, Client], clock: Clock, overdue: float
) -> None:
    """`overdue`: so many seconds before the return the extra time had run out."""
    first, _ = duel
    services.sweep()
    clock.wait(30)
    Pulse.objects.update(at_ms=clock.now)
    services.tick(table_id=first.table)
    assert first.view()["clock"]["kind"] == "extra"
    clock.now = first.view()["clock"]["deadline"] + int(overdue * 1000) - AWAY * 1000
    Pulse.objects.update(at_ms=clock.now)
    back = clock.now + AWAY * 1000
    clock.now = back
    alive(clock, 4.5)
    shown = first.view()["clock"]
    assert shown["kind"] == "extra", "the player was dropped by the outage"
    assert back + 9_000 <= shown["deadline"] <= back + 10_500
    assert kinds(first.table)[-1] == "clock_credited"
    assert first.send("draw", pile="closed")["type"] == "ack"


def test_the_grace_ends_and_comes_once(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    services.sweep()
    clock.wait(AWAY)
    alive(clock, 9.5)
    assert first.view()["clock"]["kind"] == "turn"
    alive(clock, 1)
    assert first.view()["clock"]["kind"] == "extra"
    alive(clock, 30)
    assert first.view()["phase"] == "result"
    assert kinds(first.table).count("clock_credited") == 1


def test_whoever_looks_first_after_the_outage_a_socket_or_the_sweep_sees_it(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    first, _ = duel
    services.sweep()
    clock.now = first.view()["clock"]["deadline"] + 1_000
    services.tick(table_id=first.table)
    assert kinds(first.table)[-1] == "clock_credited"
    services.sweep()
    assert kinds(first.table).count("clock_credited") == 1


def test_without_any_worker_the_signs_of_life_of_sockets_keep_the_clocks_honest(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    first, _ = duel
    for _ in range(12):
        clock.wait(5)
        presence.seen(table_id=first.table, user_id=first.user.pk, connection=first.connection)
        services.tick(table_id=first.table)
    assert first.view()["phase"] == "result"
    assert "clock_credited" not in kinds(first.table)


def test_a_pause_of_a_few_seconds_is_no_outage(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    services.sweep()
    for _ in range(6):
        clock.wait(5)
        services.sweep()
    assert first.view()["clock"]["kind"] == "extra"
    assert "clock_credited" not in kinds(first.table)


def test_who_waits_for_company_and_is_long_gone_gives_up_his_seat_and_keeps_his_chips(
    clock: Clock, player: Any, table: Any, client_of: Any
) -> None:
    gone, here, place = player("asha"), player("ravi"), table(seats=6)
    services.sit(table_id=place.pk, user=gone, amount=500)
    alone = table()
    services.sit(table_id=alone.pk, user=here, amount=500)
    client_of(alone, here)
    clock.wait(timers.ABANDONED_AFTER_MS / 1000)
    assert services.release_seats() == 0
    presence.seen(table_id=alone.pk, user_id=here.pk, connection=f"c{here.pk}")
    clock.wait(1)
    assert services.release_seats() == 1
    assert list(Seating.objects.filter(left_at=None).values_list("user__username", flat=True)) == ["ravi"]
    assert Table.objects.get(pk=place.pk).seated == 0
    services.sit(table_id=place.pk, user=gone, amount=10_000)
