"""Counts of the workers' tasks, collected in each process and summed in the database, so that one address shows all."""

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F

from config.health.models import TaskCount

#: The header of a task with the time when it was sent, in ms since 1970.
SENT_AT = "sent_ms"


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


def stamp(headers: dict[str, Any]) -> None:
    """Write the current time into the headers of a task that is about to be sent."""
    headers[SENT_AT] = int(time.time() * 1000)


def lateness(request: Any) -> int:
    """Return how many ms after its planned start, or else after being sent, the task begins."""
    due = int(request.get(SENT_AT) or 0)
    if request.get("eta"):
        due = max(due, int(datetime.fromisoformat(request.eta).timestamp() * 1000))
    return max(0, int(time.time() * 1000) - due) if due else 0


def add(counts: dict[str, Count], at_ms: int) -> None:
    """Add these counts to those in the database, row by row, since several workers do so at once. DatabaseError."""
    for name, count in sorted(counts.items()):
        more = {field: F(field) + getattr(count, field) for field in Count.__slots__}
        if not TaskCount.objects.filter(name=name).update(at_ms=at_ms, **more):
            TaskCount.objects.get_or_create(name=name)
            TaskCount.objects.filter(name=name).update(at_ms=at_ms, **more)


def all_tasks() -> Iterable[TaskCount]:
    """Return the counts of every task that has ever ended, by name."""
    return TaskCount.objects.order_by("name")
