"""What a database ends for want of order among many at once is done again, whole, from outside its transaction."""

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

#: So often a service is begun, and so long, in seconds, it is begun again.
ATTEMPTS, PATIENCE = 8, 25.0
#: The first pause is at most this long, in seconds; each further one at most twice as long as the one before.
PAUSE = 0.01

#: PostgreSQL: serialization failure, deadlock, and a transaction that stood idle for too long: its process was stopped
#: in the middle. A lock that was not had in time (55P03) has been waited for long enough.
_SQLSTATES = frozenset({"40001", "40P01", "25P03"})
_SQLITE_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
#: The low byte of an extended code of SQLite is the code itself.
_PRIMARY = 0xFF


def retried(service: Callable[P, R]) -> Callable[P, R]:
    """Begin the service again while the database ends its transaction for others' sake.

    Nothing of an attempt that failed is left, so that it is done once. Inside a transaction of the caller's it is
    the caller's outermost service that is begun again. DatabaseError when the patience is at its end, and for
    any other reason at once.
    """

    @wraps(service)
    def whole(*args: P.args, **named: P.kwargs) -> R:
        began = time.monotonic()
        for attempt in range(ATTEMPTS):
            try:
                return service(*args, **named)
            except DatabaseError as error:
                at_an_end = attempt + 1 == ATTEMPTS or time.monotonic() - began > PATIENCE
                if at_an_end or connection.in_atomic_block or not is_passing(error):
                    raise
                log.info("%s is begun again: %s", service.__name__, type(error.__cause__).__name__)
                time.sleep(random.uniform(0, PAUSE * 2**attempt))  # noqa: S311  a pause, not a card
        raise AssertionError("the last attempt answers or raises")

    return whole


def is_passing(error: DatabaseError) -> bool:
    """Return whether the same transaction may well succeed when it is begun again."""
    cause = error.__cause__
    code = getattr(cause, "sqlite_errorcode", None)
    return getattr(cause, "sqlstate", None) in _SQLSTATES or (code is not None and code & _PRIMARY in _SQLITE_CODES)
