"""Nudges on their way to Celery. They go from a thread of their own: no player waits for a broker that is not well."""

import logging
import threading
import time
from functools import lru_cache
from queue import Empty, Full, Queue

from celery import current_app

log = logging.getLogger(__name__)

#: So many nudges may wait for the broker; more are dropped, and the sweep or a socket sees to those tables.
MOST_WAITING = 1_000

Nudge = tuple[int, float]


def send_nudge(table_id: int, delay: float) -> None:
    """Celery looks at the table in `delay` seconds, if the broker takes it; this returns at once and never fails."""
    try:
        _waiting().put_nowait((table_id, time.monotonic() + delay))
    except Full:
        log.warning("a nudge was dropped: the broker is behind")


@lru_cache(maxsize=1)
def _waiting() -> Queue[Nudge]:
    waiting: Queue[Nudge] = Queue(MOST_WAITING)
    threading.Thread(target=_send_on, args=(waiting,), name="nudges", daemon=True).start()
    return waiting


def _send_on(waiting: Queue[Nudge]) -> None:
    while True:
        table_id, moment = waiting.get()
        delay = max(0.0, moment - time.monotonic())
        try:
            current_app.send_task("tables.tasks.nudge", (table_id,), countdown=delay, retry=False)
        except Exception as fault:
            log.warning("the broker takes no nudges: %r; %s are dropped", fault, 1 + _emptied(waiting))


def _emptied(waiting: Queue[Nudge]) -> int:
    """How many waited. They would be late: whoever looks at the clocks themselves has seen to them by then."""
    count = 0
    try:
        while True:
            waiting.get_nowait()
            count += 1
    except Empty:
        return count
