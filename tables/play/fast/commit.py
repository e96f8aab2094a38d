"""The conditional write of the fast way: one for each move, and one commit for all moves that wait at that moment.

The conditions are a part of the write: nobody has changed the table, nothing has stopped it, this socket plays the seat
and its player has not left it, the clock has not run out by the database clock, and the request was never answered. A
move whose row does not match, or is locked, is not written, and the others are: a move that waited for a lock here
would hold up all of them.

On PostgreSQL all this is one statement and its own transaction: one message to the database, and one back after the
commit. The statement sees the seats as they were when it began, so a socket that is replaced at that instant still
makes its move.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import psycopg
from django.db import connection, transaction

from rules.game import Transition
from tables.models import Seating
from tables.play import protocol
from tables.play.guards import MoveRequest
from tables.play.store import EventRow, TableSnapshot
from wallet.ledger.writing import TransferRow, records, rows_as_json

#: The columns that are written for a move, and for each of its events, with their types in PostgreSQL.
_MOVE = {
    "m_table": "bigint",
    "m_expected": "bigint",
    "m_version": "bigint",
    "m_snapshot": "bytea",
    "m_deadline": "bigint",
    "m_seating": "bigint",
    "m_connection": "text",
    "m_request": "text",
    "m_answer": "text",
    "m_now": "bigint",
}
_EVENT = dict(zip(EventRow._fields, ("bigint", "bigint", "bigint", "integer", "text", "bigint", "bytea"), strict=True))
# Most moves leave the snapshot alone.
_WRITE = """UPDATE tables_table AS t SET version = m_version, deadline_ms = m_deadline,
    snapshot = COALESCE(m_snapshot, t.snapshot),
    snapshot_version = CASE WHEN m_snapshot IS NULL THEN snapshot_version ELSE m_version END
    FROM m{free}
    WHERE t.id = m_table AND t.version = m_expected AND t.status = 'open' AND t.deadline_ms > m_now
    AND EXISTS (SELECT 1 FROM tables_seating AS s
        WHERE s.id = m_seating AND s.connection = m_connection AND s.left_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM tables_answer AS a WHERE a.seating_id = m_seating AND a.request_id = m_request)
    RETURNING id"""
_EVENTS = f"INSERT INTO tables_event ({', '.join(_EVENT)}) SELECT {', '.join(_EVENT)} FROM e"  # noqa: S608
_ANSWERS = "INSERT INTO tables_answer (seating_id, request_id, answer) SELECT m_seating, m_request, {answer} FROM m"
_FREE = """SELECT f.id AS free_table FROM tables_table AS f JOIN m ON f.id = m_table ORDER BY f.id
    FOR UPDATE OF f SKIP LOCKED"""


@dataclass(frozen=True, slots=True, eq=False)
class MadeMove:
    """A move that was made in memory and is to be written: the table after it, and the transition that led there."""

    #: The table after the move; its events are those of the move alone.
    table: TableSnapshot
    transition: Transition
    seating: Seating
    request: MoveRequest
    #: The rows of its events.
    events: Sequence[EventRow]

    @property
    def request_id(self) -> str:
        """The id of the request; empty for a request without one."""
        return "" if self.request.frame.id is None else str(self.request.frame.id)

    @property
    def answer(self) -> dict[str, Any]:
        """The `ack` of the move."""
        return protocol.ack(self.transition.after.version)


def write(moves: Sequence[MadeMove]) -> list[MadeMove]:
    """Write the moves, at most one of each table, and commit them; return those whose rows matched.

    After an exception nobody knows whether they are written; the stored answer to each request shows it.
    """
    if not moves:
        return []
    written = (_write_at_once if connection.vendor == "postgresql" else _write_in_turn)(moves)
    return [move for move in moves if move.table.row.pk in written]


def _write_at_once(moves: Sequence[MadeMove]) -> set[int]:
    """Write moves, events and answers by one statement."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.RawCursor(connection.connection) as cursor:
        return {row[0] for row in cursor.execute(writing_statement(), values_of(moves), prepare=True)}


def writing_statement() -> str:
    """Return what writes moves on PostgreSQL: it returns the tables, and never changes, so that it is planned once."""
    update = _WRITE.format(free=" JOIN free ON free_table = m_table")
    answers = _ANSWERS.format(answer="m_answer::jsonb")
    sql = f"""WITH m AS ({records(_MOVE)}), e AS ({records(_EVENT)}), free AS ({_FREE}), written AS ({update}),
        happened AS ({_EVENTS} JOIN written ON id = table_id),
        answered AS ({answers} JOIN written ON id = m_table WHERE m_request <> '')
        SELECT id FROM written"""  # noqa: S608  Every part of it is written in this file.
    return sql % ("$1", "$2")


def values_of(moves: Sequence[MadeMove]) -> list[str]:
    """Return the two values of the `writing_statement`: the moves, and their events."""
    events = [event for move in moves for event in move.events]
    return [rows_as_json(_MOVE, [_move(move) for move in moves]), rows_as_json(_EVENT, events)]


def _write_in_turn(moves: Sequence[MadeMove]) -> set[int]:
    """Do the same by three statements, on a database that cannot do it in one."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(*_with("m", _MOVE, [_move(move) for move in moves], _WRITE.format(free="")))
        written = {row[0] for row in cursor.fetchall()}
        fit = [move for move in moves if move.table.row.pk in written]
        if fit:
            cursor.execute(*_with("e", _EVENT, [event for move in fit for event in move.events], _EVENTS))
        if named := [_move(move) for move in fit if move.request_id]:
            cursor.execute(*_with("m", _MOVE, named, _ANSWERS.format(answer="m_answer")))
    return written


def _with(name: str, columns: Mapping[str, str], rows: Sequence[TransferRow], statement: str) -> tuple[str, list[Any]]:
    """Return the statement with these rows as a common table expression of that name, and its parameters."""
    row = f"({', '.join(['%s'] * len(columns))})"
    values = ", ".join([row] * len(rows))
    return f"WITH {name} ({', '.join(columns)}) AS (VALUES {values}) {statement}", [
        each for row in rows for each in row
    ]


def _move(move: MadeMove) -> TransferRow:
    row = move.table.row
    expected = move.transition.before.version
    snapshot = row.snapshot if row.snapshot_version == row.version else None
    return (
        *(row.pk, expected, row.version, snapshot, row.deadline_ms),
        *(
            move.seating.pk,
            move.request.connection,
            move.request_id,
            orjson.dumps(move.answer).decode(),
            move.table.now,
        ),
    )
