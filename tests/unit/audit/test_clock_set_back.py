"""A clock set back after play in the wrong time zone leaves the books clean."""

import time
from collections.abc import Callable
from typing import Any

import pytest
import time_machine

from tables import tasks
from tables.models import LoggedEvent, Outage
from tables.play import outages, services as play, store
from tests.support.clock import START
from tests.support.sampling import one_of_each
from tests.support.steering import to_move
from tests.support.tables import Client
from wallet.audit import nightly
from wallet.audit.audit import audit
from wallet.models import AuditRun, Freeze

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent", "nudges")]

#: Half past eleven in the morning, UTC, of the day after START's, in seconds.
NOON = START // 1000 + 86_400
#: How far ahead the clock is, in seconds: a zone, and a year.
AHEAD = [19_800, 366 * 86_400]


@pytest.fixture
def travel(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], Any]:
    """Return a function that sets every clock to that many seconds since 1970."""
    traveller = time_machine.travel(NOON, tick=False)
    coordinates = traveller.start()
    monkeypatch.setattr(store, "now_ms", lambda: int(time.time() * 1000))

    def to(seconds: float) -> None:
        coordinates.move_to(seconds)
        outages.record_heartbeat()
        tasks.sweep()

    yield to
    traveller.stop()


def play_on(clients: list[Client], travel: Callable[[float], None], now: float) -> float:
    """Drop a deal and begin another; return the time."""
    assert to_move(clients).send("drop")["type"] == "ack"
    for client in clients:
        assert client.send("continue")["type"] == "ack"
    for _ in range(15):
        now += 2
        travel(now)
    return now


@pytest.mark.parametrize("ahead", one_of_each(AHEAD))
def test_postings_from_while_the_clock_was_ahead_freeze_no_settlement(
    travel: Callable[[float], None], player: Any, table: Any, client_of: Any, ahead: float
) -> None:
    place, now = table(), float(NOON)
    travel(now)
    users = [player("asha"), player("ravi")]
    for user in users:
        play.sit(table_id=place.pk, user=user, amount=800)
    clients = [client_of(place, user) for user in users]
    for _ in range(6):
        now += 2
        travel(now)
    now = play_on(clients, travel, now)
    travel(now + ahead)
    play_on(clients, travel, now + ahead)
    assert nightly.run_nightly().differences == 0
    travel(now)
    now = play_on(clients, travel, now)
    for night in range(1, 4):
        travel(now + night * 86_400)
        assert nightly.run_nightly().findings == []
    assert not Freeze.objects.exists()
    assert AuditRun.objects.count() == 4
    assert LoggedEvent.objects.filter(kind="deal_ended").count() == 3


def test_a_date_that_no_clock_explains_is_still_found(
    travel: Callable[[float], None], player: Any, table: Any, client_of: Any
) -> None:
    player("asha")
    travel(NOON + 2 * 86_400)
    player("ravi")
    travel(NOON)
    player("meera")
    assert audit().differences == []
    Outage.objects.all().delete()
    findings = {(each.check, "future" in each.message) for each in audit().differences}
    assert ("time", True) in findings
