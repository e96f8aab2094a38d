"""Heartbeats: each moving part leaves a sign of life in the database, every two seconds at most."""

import logging
import time
from typing import Any

from django.db import DatabaseError, connection

from lobby.watch import supervisor
from lobby.watch.models import Heartbeat
from tables.store import now_ms

log = logging.getLogger(__name__)

SWEEP = "tables.tasks.sweep"
#: Seconds that pass before a part writes again.
EVERY = 2.0

_written: dict[str, float] = {}


def task_ended(task: Any = None, state: str | None = None, **_: Any) -> None:
    """A worker has ended a task; where it was the sweep and all went well, the sweep lives, too."""
    swept = task is not None and task.name == SWEEP and state == "SUCCESS"
    if swept:
        supervisor.tell("WATCHDOG=1")
    note("worker", *(["sweep"] if swept else []))


def task_sent(sender: Any = None, **_: Any) -> None:
    """Beat has sent the sweep; nobody else sends it."""
    if sender == SWEEP:
        supervisor.tell("WATCHDOG=1")
        note("beat")


def note(*names: str) -> None:
    """Each part's row says now, unless it said so moments ago. A database that is away is no reason to fail."""
    moment = time.monotonic()
    due = [name for name in names if moment - _written.get(name, -EVERY) >= EVERY]
    if not due:
        return
    _written.update(dict.fromkeys(due, moment))
    try:
        at = now_ms()
        rows = [Heartbeat(name=name, at_ms=at) for name in due]
        Heartbeat.objects.bulk_create(rows, update_conflicts=True, unique_fields=["name"], update_fields=["at_ms"])
    except DatabaseError:
        log.warning("a heartbeat could not be written", exc_info=True)
    finally:
        if not connection.in_atomic_block:
            connection.close()
