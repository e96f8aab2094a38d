"""Workers' task counts: kept in their processes, added up in the database and exported by every web process."""

import time
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError
from prometheus_client import REGISTRY

from config.celery import app
from config.health import heartbeats, metrics
from config.health.models import Heartbeat, TaskCount
from tables.play.store import now_ms
from tables.tasks import nudge, sweep

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_counted_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "_written", {})
    heartbeats.tally.take()


def run(task: Any, number: int, *, well: bool = True) -> None:
    heartbeats.task_began(task_id=str(number), task=task)
    heartbeats.task_ended(task_id=str(number), task=task, state="SUCCESS" if well else "FAILURE")


def exported(name: str, **labels: str) -> float:
    metrics.refresh()
    return REGISTRY.get_sample_value(name, labels) or 0


def test_done_and_failed_tasks_are_counted_at_the_next_heartbeat() -> None:
    run(sweep, 1)
    for number in range(2, 12):
        run(nudge, number, well=number % 5 != 0)
    assert not TaskCount.objects.filter(name=nudge.name).exists(), "the second heartbeat within two seconds is none"
    heartbeats._written.clear()
    run(sweep, 12)
    assert exported("rummy_tasks_total", task=nudge.name, outcome="done") == 8
    assert exported("rummy_tasks_total", task=nudge.name, outcome="failed") == 2
    assert exported("rummy_tasks_total", task=sweep.name, outcome="done") == 2
    assert exported("rummy_task_age_seconds", task=nudge.name) < 60


def test_counts_of_processes_add_up() -> None:
    for _ in range(2):
        heartbeats.add_counts(
            {"a": heartbeats.Count(done=3, busy_ms=500, late_ms=20), "b": heartbeats.Count(failed=1)}, now_ms()
        )
    assert TaskCount.objects.values_list("name", "done", "failed", "busy_ms", "late_ms").order_by("name")[0] == (
        "a", 6, 0, 1_000, 40
    )  # fmt: skip
    assert exported("rummy_task_seconds_total", task="a") == 1
    assert exported("rummy_task_late_seconds_total", task="a") == 0.04


def test_nothing_is_lost_while_the_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> None:
        raise OperationalError("away")

    with monkeypatch.context() as patch:
        patch.setattr(heartbeats, "now_ms", away)
        run(nudge, 1)
    heartbeats._written.clear()
    run(nudge, 2)
    assert TaskCount.objects.get().done == 2


def test_a_task_is_late_by_what_passed_since_it_was_due() -> None:
    def late(**request: Any) -> int:
        return heartbeats.lateness(SimpleNamespace(get=request.get, **request))

    headers: dict[str, Any] = {}
    heartbeats.task_due(sender=nudge.name, headers=headers)
    assert abs(headers[heartbeats.SENT_AT] - time.time() * 1000) < 5_000
    assert not Heartbeat.objects.exists()
    assert 0 <= late(**headers) < 5_000
    assert 9_000 < late(**{heartbeats.SENT_AT: headers[heartbeats.SENT_AT] - 10_000}) < 15_000
    assert late(**{heartbeats.SENT_AT: headers[heartbeats.SENT_AT] - 10_000, "eta": "2999-01-01T00:00:00+00:00"}) == 0
    assert late() == 0


def test_a_task_carries_when_it_was_sent() -> None:
    app.conf.update(broker_url="memory://localhost//", task_always_eager=False)
    with app.connection_for_write() as connection:
        queue = connection.SimpleQueue("tally-test")
        nudge.apply_async((1,), queue="tally-test", connection=connection)
        message = queue.get(timeout=5)
        queue.close()
    assert message.headers[heartbeats.SENT_AT] > 0
