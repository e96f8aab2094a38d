"""When a worker notifies systemd's watchdog, and when it does not."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError

from config.health import heartbeats, report, systemd
from config.health.models import Heartbeat
from config.health.systemd import HANGS_AFTER, Watchdog
from tables.play.store import now_ms


class Worker:
    """The part of Celery's consumer that the watchdog touches; nothing runs before there is somebody to notify."""

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
def notifications(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    messages: list[str] = []
    monkeypatch.setattr(systemd, "notify", messages.append)
    monkeypatch.setattr(systemd, "is_deaf", lambda: False)
    return messages


def test_the_pool_sends_the_sign_of_life(notifications: list[str]) -> None:
    worker = Worker()
    assert Watchdog(worker).look()
    assert notifications == [], "all of its threads hang"
    worker.in_the_pool.pop()()
    assert notifications == ["WATCHDOG=1"]


def test_a_hanging_loop_sends_none_until_it_runs_again(
    notifications: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    worker, now = Worker(), [1000.0]
    monkeypatch.setattr(systemd.time, "monotonic", lambda: now[0])
    dog = Watchdog(worker)
    now[0] += HANGS_AFTER
    assert dog.look() and worker.in_the_pool == []
    worker.in_the_loop.pop()()
    assert dog.look() and len(worker.in_the_pool) == 1
    now[0] += HANGS_AFTER
    worker.connection = None
    assert dog.look() and len(worker.in_the_pool) == 2, "a broker that is away is no fault of the worker"


def test_the_watchdog_ends_with_its_worker() -> None:
    class Stopping(Worker):
        def apply_async(self, call: Callable[[], None], callback: Any) -> None:
            raise RuntimeError("cannot schedule new futures after shutdown")

    assert not Watchdog(Stopping()).look()


@pytest.mark.django_db
def test_a_worker_is_deaf_while_no_worker_ends_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "_written", {})
    heartbeats.record_heartbeats("beat", "worker", "sweep")
    assert not systemd.is_deaf()
    Heartbeat.objects.filter(name="sweep").update(at_ms=now_ms() - report.SILENT_AFTER_MS - 1_000)
    assert systemd.is_deaf()
    Heartbeat.objects.filter(name="beat").update(at_ms=1)
    assert not systemd.is_deaf(), "where nothing is sent no worker is at fault"


def test_an_unreachable_database_makes_no_worker_deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> list[report.Part]:
        raise OperationalError("gone")

    monkeypatch.setattr(report, "heartbeats", away)
    assert not systemd.is_deaf()


def test_signs_are_sent_as_often_as_systemd_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WATCHDOG_USEC", raising=False)
    assert systemd.every() == systemd.EVERY
    monkeypatch.setenv("WATCHDOG_USEC", "2000000")
    assert systemd.every() == 0.5
    monkeypatch.setenv("WATCHDOG_USEC", "3600000000")
    assert systemd.every() == systemd.EVERY
