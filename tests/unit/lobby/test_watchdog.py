"""When a worker tells systemd that it lives, and when it does not."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError

from config.health import heartbeats, report, watchdog
from config.health.models import Heartbeat
from config.health.watchdog import HANGS_AFTER, Watchdog
from config.process import systemd
from tables.play.store import now_ms


class Worker:
    """What of Celery's consumer the watchdog touches; nothing runs before it is told to."""

    def __init__(self) -> None:
        self.connection: object | None = object()
        self.hub = self.pool = self
        self.in_the_loop: list[Callable[[], None]] = []
        self.in_the_pool: list[Callable[[], None]] = []

    def call_soon(self, call: Callable[[], None]) -> None:
        self.in_the_loop.append(call)

    def apply_async(self, call: Callable[[], None], callback: Any) -> None:
        self.in_the_pool.append(call)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    heard: list[str] = []
    monkeypatch.setattr(systemd, "notify", heard.append)
    monkeypatch.setattr(watchdog, "is_deaf", lambda: False)
    return heard


def test_the_sign_is_given_by_a_thread_of_the_pool(told: list[str]) -> None:
    worker = Worker()
    assert Watchdog(worker).look()
    assert told == [], "all of its threads hang"
    worker.in_the_pool.pop()()
    assert told == ["WATCHDOG=1"]


def test_a_loop_that_stands_gives_none_until_it_turns(told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    worker, now = Worker(), [1000.0]
    monkeypatch.setattr(watchdog.time, "monotonic", lambda: now[0])
    dog = Watchdog(worker)
    now[0] += HANGS_AFTER
    assert dog.look() and worker.in_the_pool == []
    worker.in_the_loop.pop()()
    assert dog.look() and len(worker.in_the_pool) == 1
    now[0] += HANGS_AFTER
    worker.connection = None
    assert dog.look() and len(worker.in_the_pool) == 2, "a broker that is away is no fault of the worker"


def test_a_worker_that_stops_is_watched_no_longer() -> None:
    class Stopping(Worker):
        def apply_async(self, call: Callable[[], None], callback: Any) -> None:
            raise RuntimeError("cannot schedule new futures after shutdown")

    assert not Watchdog(Stopping()).look()


@pytest.mark.django_db
def test_a_worker_is_deaf_where_beat_sends_what_no_worker_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "_written", {})
    heartbeats.record_heartbeats("beat", "worker", "sweep")
    assert not watchdog.is_deaf()
    Heartbeat.objects.filter(name="sweep").update(at_ms=now_ms() - report.SILENT_AFTER_MS - 1_000)
    assert watchdog.is_deaf()
    Heartbeat.objects.filter(name="beat").update(at_ms=1)
    assert not watchdog.is_deaf(), "where nothing is sent no worker is at fault"


def test_a_database_that_is_away_makes_no_worker_deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> list[report.Part]:
        raise OperationalError("gone")

    monkeypatch.setattr(report, "heartbeats", away)
    assert not watchdog.is_deaf()


def test_signs_are_given_as_often_as_systemd_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WATCHDOG_USEC", raising=False)
    assert systemd.every() == systemd.EVERY
    monkeypatch.setenv("WATCHDOG_USEC", "2000000")
    assert systemd.every() == 0.5
    monkeypatch.setenv("WATCHDOG_USEC", "3600000000")
    assert systemd.every() == systemd.EVERY
