"""Retrying whole transactions that the database aborts because of others: deadlocks, conflicts, full queues."""

import logging
import random
import sqlite3
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import DatabaseError, connection

log = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")

#: For how many seconds further attempts of a service begin.
PATIENCE = 25.0
#: The first pauses are at most this long, in seconds; each further one at most as long as all before it has taken.
PAUSE = 0.01

#: PostgreSQL: serialization failure, deadlock, and a transaction that was idle for too long since its process was
#: suspended. A lock that was not acquired in time (55P03) is not among them: waiting again would take too long.
_SQLSTATES = frozenset({"40001", "40P01", "25P03"})
_SQLITE_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
#: The low byte of SQLite's extended result codes is the primary code.
_PRIMARY = 0xFF


def retried(service: Callable[P, R]) -> Callable[P, R]:
    """Retry the service while the database aborts its transaction because of others.

    An aborted attempt leaves nothing behind, so the service takes effect once. Inside a caller's transaction, the
    caller's outermost service is retried instead. DatabaseError after too long, or at once for any other reason.

    Only time is bounded: a transaction may take a hundred times as long on a busy machine as on an idle one, and those
    that lock crosswise come out of each other's way once their pauses exceed that.
    """

    @wraps(service)
    def whole(*args: P.args, **named: P.kwargs) -> R:
        began = time.monotonic()
        while True:
            try:
                return service(*args, **named)
            except DatabaseError as error:
                taken = time.monotonic() - began
                if taken > PATIENCE or connection.in_atomic_block or not is_passing(error):
                    raise
                log.info("%s is begun again: %s", service.__name__, type(error.__cause__).__name__)
                longest = min(max(PAUSE, taken), PATIENCE - taken)
                time.sleep(random.uniform(0, longest))  # noqa: S311  a pause, not a card

    return whole


def is_passing(error: DatabaseError) -> bool:
    """Return whether the same transaction may succeed on another attempt."""
    cause = error.__cause__
    code = getattr(cause, "sqlite_errorcode", None)
    return getattr(cause, "sqlstate", None) in _SQLSTATES or (code is not None and code & _PRIMARY in _SQLITE_CODES)
