"""The line of an event loop to PostgreSQL, by which it writes batches of moves itself.

A thread that writes must be woken, competes with the loop for the interpreter, and wakes the loop again: that was a
quarter of a move at human pace. psycopg's own asynchronous connection costs as much as the thread. Here the statement
that the connection has prepared is sent as it is, and its answer is read as it comes.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

import psycopg
from django.db import connection
from psycopg.errors import DuplicatePreparedStatement, error_from_result
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult

from tables.metrics import COMMIT_SECONDS, spend
from tables.play.executors import MOVES
from tables.play.fast import commit

log = logging.getLogger(__name__)

#: Seconds without a move after which a line is closed, so that an idle process holds none.
IDLE = 10.0
#: Called with the ids of the tables whose moves are written, after the commit; with None where nobody knows.
Answered = Callable[[Collection[int] | None], None]
_STATEMENT = b"moves"


class DatabaseLine:
    """A connection of one loop; at most one batch is under way on it."""

    def __init__(self, database: Any) -> None:
        self._database = database
        self._server = database.connection.pgconn
        #: Its number, which a connection that is lost does not tell any more.
        self._socket = self._server.socket
        self._answered: Answered | None = None
        self._results: list[PGresult] = []
        #: When the last batch was sent, in seconds.
        self._sent_at = time.perf_counter()
        self.is_open = True

    @classmethod
    def prepared(cls) -> "DatabaseLine":
        """Return a line to PostgreSQL; it waits for a connection, so call it in a thread. DatabaseError without one."""
        database = connection.copy()
        database.inc_thread_sharing()
        database.ensure_connection()
        result = database.connection.pgconn.prepare(_STATEMENT, commit.writing_statement().encode())
        fault = None if result.status == ExecStatus.COMMAND_OK else error_from_result(result)
        # A line before this one may have had the same connection of the pool.
        if fault is not None and not isinstance(fault, DuplicatePreparedStatement):
            database.close()
            raise fault
        return cls(database)

    def listen(self) -> None:
        """Let the running loop hear the answers from now on."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self._socket, self._read)
        loop.call_later(IDLE, self._rest)

    def send(self, moves: Sequence[commit.MadeMove], answered: Answered) -> bool:
        """Write the moves in one commit and call `answered` after it; False if the line is broken.

        Then nothing is written, or the conditions of each move show that it is.
        """
        try:
            self._server.send_query_prepared(_STATEMENT, [value.encode() for value in commit.values_of(moves)])
            if self._server.flush():
                asyncio.get_running_loop().add_writer(self._socket, self._flush)
        except Exception as fault:
            self._break(fault)
            return False
        self._answered, self._sent_at = answered, time.perf_counter()
        return True

    def close(self) -> None:
        """Give the connection back."""
        if self.is_open:
            self.is_open = False
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._socket)
            loop.remove_writer(self._socket)
            MOVES.begin(self._database.close)

    def __del__(self) -> None:
        """Close the connection with its loop, as at the end of a test."""
        if self.is_open:
            self._database.connection.close()

    def _flush(self) -> None:
        """Send the rest of a large batch; where that fails, so does reading the answer."""
        try:
            waits = self._server.flush()
        except psycopg.Error:
            waits = 0
        if not waits:
            asyncio.get_running_loop().remove_writer(self._socket)

    def _read(self) -> None:
        """Take what has come; with the whole answer, call who waits for it."""
        began = time.thread_time()
        try:
            self._server.consume_input()
            while not self._server.is_busy():
                result = self._server.get_result()
                if result is None:
                    break
                self._results.append(result)
            else:
                return
            written = _tables_of(self._results)
        except psycopg.Error as fault:
            self._break(fault)
            written = None
        self._results.clear()
        answered, self._answered = self._answered, None
        spend("writing", began)
        if answered is not None:
            COMMIT_SECONDS.observe(time.perf_counter() - self._sent_at)
            answered(written)

    def _break(self, fault: Exception) -> None:
        log.warning("the line to the database broke: %r", fault)
        self.close()

    def _rest(self) -> None:
        """Close the line if it has been idle for long."""
        if not self.is_open:
            return
        if self._answered is None and time.perf_counter() - self._sent_at >= IDLE:
            self.close()
        else:
            asyncio.get_running_loop().call_later(IDLE, self._rest)


def _tables_of(results: Sequence[PGresult]) -> set[int]:
    """Return the first column of the rows; psycopg.Error if the statement failed."""
    tables: set[int] = set()
    for result in results:
        if result.status != ExecStatus.TUPLES_OK:
            raise error_from_result(result)
        tables.update(int(result.get_value(row, 0) or 0) for row in range(result.ntuples))
    return tables
