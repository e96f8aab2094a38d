"""Nudges that come too late are dropped, since the sweep has been at their tables, and none is sent for far ahead.

The broker hands a task that waits for longer than its visibility timeout to the next worker as well, again and again.
"""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from config.celery import app
from config.settings.redis import VISIBILITY_TIMEOUT
from lobby.accounts.mail import AFTER_COMMIT
from lobby.tasks import PAUSE
from rules.game import Clocks
from tables.models import Table
from tables.play import clocks, services as play
from tests.support.clock import Clock
from tests.support.redis_server import redis_server
from tests.support.tables import seated_at


@pytest.mark.parametrize("delay", [0.0, 30.0])
def test_a_nudge_is_dropped_soon_after_its_moment(monkeypatch: pytest.MonkeyPatch, delay: float) -> None:
    sent: list[dict[str, Any]] = []

    def send(name: str, arguments: tuple[int], **options: Any) -> None:
        sent.append(options)
        raise KeyboardInterrupt

    waiting: Queue[clocks.Nudge] = Queue()
    monkeypatch.setattr("celery.current_app.send_task", send)
    monkeypatch.setattr(clocks.time, "monotonic", lambda: 100.0)
    waiting.put((7, 100.0 + delay))
    with pytest.raises(KeyboardInterrupt):
        clocks._send_nudges(waiting)
    [options] = sent
    assert (options["countdown"], options["priority"]) == (delay, clocks.LAST)
    assert 1 < options["expires"] - options["countdown"] < 5


@pytest.mark.redis
def test_workers_take_the_sweep_before_nudges_that_came_earlier(tmp_path: Path) -> None:
    taken: list[str] = []
    with redis_server(tmp_path) as url, app.connection_for_write(url) as broker:
        for name, priority in [("nudge", clocks.LAST)] * 3 + [("sweep", None)]:
            app.send_task(f"tables.tasks.{name}", connection=broker, priority=priority)
        with closing(broker.SimpleQueue("celery")) as queue:
            for _ in range(4):
                message = queue.get(timeout=10)
                taken.append(message.headers["task"])
                message.ack()
    assert [name.rpartition(".")[2] for name in taken] == ["sweep", "nudge", "nudge", "nudge"]


def test_no_task_waits_for_as_long_as_the_broker_leaves_it_to_one_worker() -> None:
    nudge = clocks.FARTHEST_NUDGE_MS / 1000 + clocks.SLACK + clocks.STALE
    assert max(nudge, PAUSE, AFTER_COMMIT) < VISIBILITY_TIMEOUT


@pytest.mark.django_db
def test_a_clock_of_minutes_is_not_nudged_and_runs_out_once_by_the_sweep(
    clock: Clock, table: Callable[..., Table], nudges: list[tuple[int, float]]
) -> None:
    first, _ = seated_at(table(clocks=Clocks(turn=600_000)), "asha", "ravi", amount=800)
    clock.wait(10)
    for kind, seconds, delays in (("turn", 600, []), ("extra", 30, [30 + clocks.SLACK])):
        assert play.sweep(clock.now) == 1
        nudges.clear()
        clocks._nudges_sent.clear()
        # A nudge that comes too early sends the next.
        play.tick(table_id=first.table)
        assert (first.view()["clock"]["kind"], [delay for _, delay in nudges]) == (kind, delays)
        clock.wait(seconds - 0.1)
        assert play.sweep(clock.now) == 0
        clock.wait(0.1)
