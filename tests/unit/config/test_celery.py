"""Worker and beat reconnect to a broker that was away, a worker to one that was full; beat says why it ends."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from celery.beat import ScheduleEntry, Scheduler
from celery.bootsteps import RUN, TERMINATE
from celery.schedules import schedule
from celery.worker.consumer import Consumer
from kombu.asynchronous.hub import Hub
from kombu.asynchronous.timer import Timer
from redis.exceptions import OutOfMemoryError

from config.celery import RECONNECT_EVERY, app

ROOT = Path(__file__).resolve().parents[3]
UNREACHABLE = "redis://127.0.0.1:1/0"
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def by_worker() -> Any:
    consumer = Consumer.__new__(Consumer)
    consumer.app, consumer.first_connection_attempt, consumer.broker_connection_retry_attempt = app, False, 0
    return consumer.ensure_connected(app.connection_for_read(UNREACHABLE))


def by_beat() -> Any:
    scheduler = Scheduler(app, lazy=True)
    scheduler.connection = app.connection_for_write(UNREACHABLE)
    return scheduler._ensure_connected()


@pytest.mark.parametrize("connect", [by_worker, by_beat])
def test_reconnection_to_the_broker_does_not_slow_down(
    connect: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    class Back(Exception):
        pass

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 400:
            raise Back

    monkeypatch.setattr("kombu.utils.functional.sleep", pause)
    with pytest.raises(Back):
        connect()
    assert max(pauses) <= RECONNECT_EVERY <= 0.5


def test_the_beat_sleeps_until_its_next_task_is_due() -> None:
    every_second = schedule(1.0, nowfun=lambda: NOON, app=app)
    scheduler = Scheduler(app, schedule={"sweep": {"task": "sweep", "schedule": every_second}}, lazy=True)
    entry = ScheduleEntry("sweep", "sweep", last_run_at=NOON, schedule=every_second, app=app)
    scheduler.data = {"sweep": entry}
    assert scheduler.tick() == 1.0


def test_a_worker_does_not_wait_for_messages_while_timers_are_due() -> None:
    fired: list[int] = []
    loop = Hub(timer=Timer())
    for number in range(25):
        loop.timer.call_at(0, fired.append, (number,))
    pauses = [loop.fire_timers() for _ in range(3)]
    assert pauses == [0, 0, 0]
    assert len(fired) == 25


def test_a_worker_lives_on_when_its_broker_is_full() -> None:
    tries: list[str] = []

    def start(consumer: Consumer) -> None:
        tries.append("refused")
        if len(tries) > 2:
            blueprint.state = TERMINATE
            return
        raise OutOfMemoryError("command not allowed when used memory > 'maxmemory'.")

    blueprint = SimpleNamespace(state=RUN, start=start, restart=lambda consumer: None)
    consumer = Consumer.__new__(Consumer)
    broker = app.connection_for_read(UNREACHABLE)
    consumer.app, consumer.conninfo, consumer.blueprint, consumer.connection = app, broker, blueprint, None
    consumer.connection_errors, consumer.channel_errors = broker.connection_errors, broker.channel_errors
    consumer._restart_state = SimpleNamespace(step=lambda: None)
    consumer.restart_count, consumer.first_connection_attempt, consumer.on_close = 0, False, lambda: None
    consumer.start()
    assert len(tries) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "services", "reasons"),
    [
        ("worker", {}, ["SQLite serves one process only"]),
        (
            "beat",
            {"RUMMY_DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "RUMMY_REDIS_URL": UNREACHABLE},
            ["Redis does not answer", "The database does not answer", "Connection refused"],
        ),
    ],
    ids=["embedded", "away"],
)
def test_what_does_not_start_says_why(
    program: str, services: dict[str, str], reasons: list[str], tmp_path: Path
) -> None:
    """One function asks for both; Celery has taken standard error of beat by the time when it is asked."""
    settings = {"DJANGO_SETTINGS_MODULE": "config.settings.local", "RUMMY_DATA": str(tmp_path), "PYTHONPATH": str(ROOT)}
    # Beat keeps its schedule where it is started.
    environment = {name: text for name, text in os.environ.items() if not name.startswith("RUMMY_")}
    command = [sys.executable, "-m", "celery", "--workdir", str(tmp_path), "-A", "config.celery", program]
    ended = subprocess.run(
        command, cwd=tmp_path, env={**environment, **settings, **services}, capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 1
    assert [reason for reason in reasons if reason not in ended.stderr] == []
    assert "Traceback" not in ended.stderr
