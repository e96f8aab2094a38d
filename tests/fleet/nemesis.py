"""Faults between any two writes of a service, found by counting its statements, so that no write is missed.

Point 1 is before the first write, point n + 1 after the n-th and before the commit. The product has no code for this.
"""

import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import psycopg
from django.db import OperationalError, connection

from tables.play.fast import commit as moves
from tables.play.fast.line import Answered, DatabaseLine

#: What `kill -9` leaves as an exit status.
KILLED = 137
COMMIT = "COMMIT"
_MAY_WRITE = re.compile(r"\s*(INSERT|UPDATE|DELETE|WITH)\b", re.IGNORECASE)
_WRITE = re.compile(r"(?<!FOR )\b(INSERT|UPDATE|DELETE)\s+(?:INTO\s+|FROM\s+)?\"?(\w+)", re.IGNORECASE)


@dataclass
class Writes:
    """The writes of a block, each like `INSERT wallet_transfer`; `strike` is called at point `at`, if it is reached.

    A point is given by its number or by its write; COMMIT is the commit.
    """

    at: int | str = 0
    strike: Callable[[], None] = lambda: None
    after_commit: Callable[[], None] = lambda: None
    #: Called when moves are sent by the line of a loop, before anything is heard of them.
    after_sending: Callable[[], None] = lambda: None
    log: list[str] = field(default_factory=list)
    struck: str = ""

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if write := _first_write(sql):
            self._reach(write)
        return execute(sql, params, many, context)

    def _reach(self, write: str) -> None:
        self.log.append(write)
        if self.at in (len(self.log), write):
            self.struck = write
            # A commit fails by the database alone.
            lose_database() if write == COMMIT and self.strike is raise_fault else self.strike()


@contextmanager
def counting(writes: Writes) -> Iterator[Writes]:
    """Record every write and every commit of the block on this thread's connection, or by a line, in `writes`."""
    connection.ensure_connection()
    commit = connection._commit

    def committing() -> None:
        writes._reach(COMMIT)
        commit()
        writes.after_commit()

    connection._commit = committing  # type: ignore[method-assign]
    try:
        with connection.execute_wrapper(writes), _counting_bare(writes), _counting_lines(writes):
            yield writes
    finally:
        del connection._commit  # type: ignore[method-assign]


@contextmanager
def _counting_bare(writes: Writes) -> Iterator[None]:
    """Count the statements that bypass Django as well: bare psycopg cursors on the same connection.

    Outside a transaction such a statement is its own commit.
    """
    execute = psycopg.Cursor.execute

    def executing(cursor: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        bare = type(cursor) in {psycopg.Cursor, psycopg.RawCursor} and cursor.connection is connection.connection
        write = _first_write(str(query)) if bare else ""
        if write:
            writes._reach(write)
        if not write or connection.in_atomic_block:
            return execute(cursor, query, *arguments, **options)
        writes._reach(COMMIT)
        result = execute(cursor, query, *arguments, **options)
        writes.after_commit()
        return result

    with patch.object(psycopg.Cursor, "execute", executing):
        yield


@contextmanager
def _counting_lines(writes: Writes) -> Iterator[None]:
    """Count what loops send by their lines: each batch is one write and its own commit. An exception is no fault there.

    What a line cannot send is written by a thread, so that only a death leaves it undone.
    """
    send = DatabaseLine.send

    def sending(line: DatabaseLine, made: Any, answered: Answered) -> bool:
        def heard(tables: Collection[int] | None) -> None:
            writes.after_commit()
            answered(tables)

        writes._reach(_first_write(moves.writing_statement()))
        writes._reach(COMMIT)
        sent = send(line, made, heard)
        writes.after_sending()
        return sent

    with patch.object(DatabaseLine, "send", sending):
        yield


def die() -> None:
    """Die as by `kill -9`: nothing is rolled back, closed or flushed by our code."""
    os._exit(KILLED)


class DriverError(Exception):
    """The error by which psycopg reports a transaction that the server ended."""

    def __init__(self, sqlstate: str) -> None:
        super().__init__(sqlstate)
        self.sqlstate = sqlstate


def raise_fault() -> None:
    """Raise an exception as a fault of our own would. At the commit only the database itself can fail."""
    raise ZeroDivisionError("a planted fault")


def lose_database() -> None:
    raise OperationalError("the database went away") from DriverError("57P01")


def abort_transaction() -> None:
    raise OperationalError("could not serialize access") from DriverError("40001")


def _first_write(sql: str) -> str:
    """Return the first write of the statement, empty if it only reads; a lock for an update is no write."""
    match = _WRITE.search(sql) if _MAY_WRITE.match(sql) else None
    return f"{match[1].upper()} {match[2]}" if match else ""
