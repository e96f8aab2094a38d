"""Heartbeats and counts of tasks, which processes write to the database at most every two seconds.

A heartbeat is the sign of life of one part of the platform. That of the sweep names the end of the trail, so that the
audit sees whether the trail still reaches as far. The counts of all workers are summed, so that one address shows them.
"""

import logging
import threading
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.models import F

from config.health import systemd
from config.health.models import Heartbeat, TaskCount
from tables.play.store import now_ms
from wallet.audit_log import ends
from wallet.base.findings import MISSING, UNSIGNED, Differences, Finding, register

log = logging.getLogger(__name__)

SWEEP = "tables.tasks.sweep"
#: The least seconds between two heartbeats of a part.
EVERY = 2.0
#: The header of a task with the time when it was sent, in ms since 1970.
SENT_AT = "sent_ms"

_written: dict[str, float] = {}


@dataclass(slots=True)
class Count:
    """The counts of one task that are not yet in the database."""

    done: int = 0
    failed: int = 0
    busy_ms: int = 0
    late_ms: int = 0


class TaskTally:
    """The counts of the tasks of this process, shared by its threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, tuple[float, int]] = {}
        self._counts: dict[str, Count] = {}

    def begin(self, task_id: str, late_ms: int) -> None:
        with self._lock:
            self._running[task_id] = time.monotonic(), late_ms

    def end(self, task_id: str, name: str, *, well: bool) -> None:
        with self._lock:
            began, late_ms = self._running.pop(task_id, (time.monotonic(), 0))
            count = self._counts.setdefault(name, Count())
            count.done += well
            count.failed += not well
            count.busy_ms += int((time.monotonic() - began) * 1000)
            count.late_ms += late_ms

    def take(self) -> dict[str, Count]:
        """Return the counts since the last call and forget them; the caller must store them."""
        with self._lock:
            counts, self._counts = self._counts, {}
            return counts

    def give_back(self, counts: dict[str, Count]) -> None:
        """Add these counts again, since they could not be stored."""
        with self._lock:
            for name, unsaved in counts.items():
                count = self._counts.setdefault(name, Count())
                for field in Count.__slots__:
                    setattr(count, field, getattr(count, field) + getattr(unsaved, field))


tally = TaskTally()


def task_began(task_id: str = "", task: Any = None, **_: Any) -> None:
    """Note that a worker begins a task."""
    tally.begin(task_id, lateness(task.request))


def task_ended(task: Any = None, state: str | None = None, task_id: str = "", **_: Any) -> None:
    """Note that a worker has ended a task; a successful sweep is a heartbeat of the sweep, too."""
    tally.end(task_id, task.name, well=state == "SUCCESS")
    swept = task.name == SWEEP and state == "SUCCESS"
    record_heartbeats("worker", *(["sweep"] if swept else []))


def task_due(sender: Any = None, headers: Any = None, **_: Any) -> None:
    """Note that a task is about to be sent. Only beat sends the sweep, so systemd gets a sign of life of beat then."""
    if headers is not None:
        stamp(headers)
    if sender == SWEEP:
        systemd.notify("WATCHDOG=1")


def task_published(sender: Any = None, **_: Any) -> None:
    """Note that the broker has accepted a task. If it is the sweep, that is a heartbeat of beat."""
    if sender == SWEEP:
        record_heartbeats("beat")


def record_heartbeats(*names: str) -> None:
    """Write the current time into the row of each part, at most every EVERY seconds, and the task counts as well.

    A database that cannot be reached is logged; no error is raised.
    """
    moment = time.monotonic()
    due = [name for name in names if moment - _written.get(name, -EVERY) >= EVERY]
    if not due:
        return
    _written.update(dict.fromkeys(due, moment))
    counts = tally.take()
    try:
        at = now_ms()
        rows = [Heartbeat(name=name, at_ms=at, trail_end=_trail_end(name)) for name in due]
        columns = ["at_ms", "trail_end"]
        with transaction.atomic():
            add_counts(counts, at)
            Heartbeat.objects.bulk_create(rows, update_conflicts=True, unique_fields=["name"], update_fields=columns)
    except DatabaseError:
        tally.give_back(counts)
        log.warning("a heartbeat could not be written", exc_info=True)
    finally:
        if not connection.in_atomic_block:
            connection.close()


def stamp(headers: dict[str, Any]) -> None:
    """Write the current time into the headers of a task that is about to be sent."""
    headers[SENT_AT] = int(time.time() * 1000)


def lateness(request: Any) -> int:
    """Return how many ms after its planned start, or else after being sent, the task begins."""
    due = int(request.get(SENT_AT) or 0)
    if request.get("eta"):
        due = max(due, int(datetime.fromisoformat(request.eta).timestamp() * 1000))
    return max(0, int(time.time() * 1000) - due) if due else 0


def add_counts(counts: dict[str, Count], at_ms: int) -> None:
    """Add these counts to those in the database, row by row, since several workers do so at once. DatabaseError."""
    for name, count in sorted(counts.items()):
        more = {field: F(field) + getattr(count, field) for field in Count.__slots__}
        if not TaskCount.objects.filter(name=name).update(at_ms=at_ms, **more):
            TaskCount.objects.get_or_create(name=name)
            TaskCount.objects.filter(name=name).update(at_ms=at_ms, **more)


def _trail_end(name: str) -> str:
    """Return the end of the trail to store with the sweep's heartbeat, which one worker writes; empty for others."""
    if name != "sweep":
        return ""
    return ends.name_end(Heartbeat.objects.filter(name=name).values_list("trail_end", flat=True).first() or "")


@register
def ends_that_were_named() -> Differences:
    """Find ends of the trail that the heartbeat named and that are gone, now or at an earlier beat."""
    named = Heartbeat.objects.exclude(trail_end="").values_list("trail_end", flat=True)
    for fault in (*map(ends.end_fault, named), *ends.ends_cut_off()):
        if fault:
            is_signed, expected, found = fault
            yield Finding("trail", "end of the trail", MISSING if is_signed else UNSIGNED, expected, found)
