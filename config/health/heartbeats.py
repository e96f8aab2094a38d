"""Heartbeats: each part of the platform writes a sign of life to the database, at most every two seconds.

That of the sweep names the end of the trail, so that the audit sees whether the trail still reaches as far.
"""

import logging
import time
from typing import Any

from django.db import DatabaseError, connection, transaction

from config.health import systemd
from config.health.models import Heartbeat
from config.health.task_counts import add, lateness, stamp, tally
from tables.play.store import now_ms
from wallet.audit_log import ends
from wallet.audit_log.ends import name_end
from wallet.base.findings import MISSING, UNSIGNED, Differences, Finding, register

log = logging.getLogger(__name__)

SWEEP = "tables.tasks.sweep"
#: The least seconds between two heartbeats of a part.
EVERY = 2.0

_written: dict[str, float] = {}


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
            add(counts, at)
            Heartbeat.objects.bulk_create(rows, update_conflicts=True, unique_fields=["name"], update_fields=columns)
    except DatabaseError:
        tally.give_back(counts)
        log.warning("a heartbeat could not be written", exc_info=True)
    finally:
        if not connection.in_atomic_block:
            connection.close()


def _trail_end(name: str) -> str:
    """Return the end of the trail to store with the sweep's heartbeat, which one worker writes; empty for others."""
    if name != "sweep":
        return ""
    return name_end(Heartbeat.objects.filter(name=name).values_list("trail_end", flat=True).first() or "")


@register
def ends_that_were_named() -> Differences:
    """Find ends of the trail that the heartbeat named and that are gone, now or at an earlier beat."""
    named = Heartbeat.objects.exclude(trail_end="").values_list("trail_end", flat=True)
    for fault in (*map(ends.end_fault, named), *ends.ends_cut_off()):
        if fault:
            is_signed, expected, found = fault
            yield Finding("trail", "end of the trail", MISSING if is_signed else UNSIGNED, expected, found)
