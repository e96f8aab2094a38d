"""What workers have done, counted in each process and added up in the database: one address tells it for all."""

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F

from config.health.models import TaskCount

#: The header in which a task says when it was sent, in ms since 1970.
SENT = "sent_ms"


@dataclass(slots=True)
class Count:
    """What is to be added for one task."""

    done: int = 0
    failed: int = 0
    busy_ms: int = 0
    late_ms: int = 0


class Tally:
    """Count the tasks of this process; its threads may all do so at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun: dict[str, tuple[float, int]] = {}
        self._counts: dict[str, Count] = {}

    def begin(self, task_id: str, late_ms: int) -> None:
        with self._lock:
            self._begun[task_id] = time.monotonic(), late_ms

    def end(self, task_id: str, name: str, *, well: bool) -> None:
        with self._lock:
            began, late_ms = self._begun.pop(task_id, (time.monotonic(), 0))
            count = self._counts.setdefault(name, Count())
            count.done += well
            count.failed += not well
            count.busy_ms += int((time.monotonic() - began) * 1000)
            count.late_ms += late_ms

    def take(self) -> dict[str, Count]:
        """Return what was counted since this was last asked; from here on it is the caller's to keep."""
        with self._lock:
            taken, self._counts = self._counts, {}
            return taken

    def give_back(self, counts: dict[str, Count]) -> None:
        """Count these again: they could not be kept."""
        with self._lock:
            for name, missed in counts.items():
                count = self._counts.setdefault(name, Count())
                for part in Count.__slots__:
                    setattr(count, part, getattr(count, part) + getattr(missed, part))


tally = Tally()


def stamp(headers: dict[str, Any]) -> None:
    """Write into the task that is about to be sent when that was."""
    headers[SENT] = int(time.time() * 1000)


def lateness(request: Any) -> int:
    """Return how many ms later the task begins than it was sent, or was to begin."""
    due = int(request.get(SENT) or 0)
    if request.get("eta"):
        due = max(due, int(datetime.fromisoformat(request.eta).timestamp() * 1000))
    return max(0, int(time.time() * 1000) - due) if due else 0


def add(counts: dict[str, Count], at_ms: int) -> None:
    """Count these in the database as well. One row after the other: several workers do it at once. DatabaseError."""
    for name, count in sorted(counts.items()):
        TaskCount.objects.get_or_create(name=name)
        TaskCount.objects.filter(name=name).update(
            at_ms=at_ms, **{part: F(part) + getattr(count, part) for part in Count.__slots__}
        )


def all_tasks() -> Iterable[TaskCount]:
    """Return every task that was ever ended, by name."""
    return TaskCount.objects.order_by("name")
