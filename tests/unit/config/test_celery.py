"""Worker and beat reconnect to a broker that was away."""

from collections.abc import Callable
from typing import Any

import pytest
from celery.beat import Scheduler
from celery.worker.consumer import Consumer
from kombu.asynchronous.hub import Hub
from kombu.asynchronous.timer import Timer

from config.celery import RECONNECT_EVERY, app

UNREACHABLE = "redis://127.0.0.1:1/0"


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


def test_a_worker_does_not_wait_for_messages_while_timers_are_due() -> None:
    fired: list[int] = []
    loop = Hub(timer=Timer())
    for number in range(25):
        loop.timer.call_at(0, fired.append, (number,))
    pauses = [loop.fire_timers() for _ in range(3)]
    assert pauses == [0, 0, 0]
    assert len(fired) == 25
