"""The embedded worker runs tasks, and a worker that ends is replaced."""

import threading
import time
from collections.abc import Iterator

import pytest
from celery import shared_task

from config.celery import app
from config.process.embedded_worker import EmbeddedWorker

pytestmark = pytest.mark.slow

ran = threading.Event()


@shared_task(name="tests.note_that_it_ran")
def note_that_it_ran() -> None:
    ran.set()


@pytest.fixture
def worker() -> Iterator[EmbeddedWorker]:
    app.conf.update(
        broker_url="memory://localhost//",
        broker_transport_options={"polling_interval": 0.02},
        worker_prefetch_multiplier=0,
        beat_schedule={},
    )
    running = EmbeddedWorker()
    running.start()
    yield running
    running.stop()


def runs_a_task() -> bool:
    ran.clear()
    note_that_it_ran.apply_async()
    return ran.wait(20)


def test_a_worker_that_ends_is_replaced_and_tasks_run_again(worker: EmbeddedWorker) -> None:
    assert runs_a_task()
    first = worker._worker
    assert first is not None
    first.stop()
    give_up = time.monotonic() + 30
    while worker._worker is first and time.monotonic() < give_up:
        time.sleep(0.05)
    assert worker._worker is not first
    assert runs_a_task()
