"""One guarded write a move, and one commit for all the moves that wait at that moment.

The guard says all that must still be true of the table, in one statement: nobody has changed it, nothing has stopped
it, this socket plays the seat and has not left it, the clock has not run out by the clock of the database, and the
request was never answered. A move whose row does not fit is not written, and takes no other down with it.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from rules.game import Transition
from tables.models import Seating
from tables.play import store
from tables.play.store import LockedTable

_MOVE = """SELECT %s AS m_table, %s AS m_expected, %s AS m_version, %s AS m_snapshot, %s AS m_deadline,
    %s AS m_seating, %s AS m_connection, %s AS m_request, %s AS m_now"""
_WRITE = """UPDATE tables_table AS t SET version = m_version, snapshot = m_snapshot, deadline_ms = m_deadline
    FROM ({moves}) AS m
    WHERE t.id = m_table AND t.version = m_expected AND t.status = 'open' AND t.deadline_ms > m_now
    AND EXISTS (SELECT 1 FROM tables_seating AS s
        WHERE s.id = m_seating AND s.connection = m_connection AND s.left_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM tables_answer AS a WHERE a.seating_id = m_seating AND a.request_id = m_request)
    RETURNING id"""
_LOCK = "SELECT id, version FROM tables_table WHERE status = 'open' AND id IN ({places}) ORDER BY id"
_EVENTS = "INSERT INTO tables_event (table_id, deal_id, version, number, kind, at_ms, payload) VALUES "
_ANSWERS = "INSERT INTO tables_answer (seating_id, request_id, answer) VALUES "


@dataclass(frozen=True, slots=True, eq=False)
class MadeMove:
    """A move that was made in memory, and is to be written: the table as it will be, and what led there."""

    #: The table after the move; its events are those of the move alone.
    table: LockedTable
    transition: Transition
    seating: Seating
    #: The socket that asks, and what its request is called; empty for a request without a name.
    connection: str
    request: str
    answer: dict[str, Any]


def lock_tables(table_ids: Collection[int]) -> dict[int, int]:
    """Lock those of the tables that nobody else holds, in the order of their ids; return their versions.

    Who finds a row held does not wait for it here, where all others would wait as well.
    """
    sql = _LOCK.format(places=_places(len(table_ids)))
    if connection.features.has_select_for_update_skip_locked:
        sql += " FOR UPDATE SKIP LOCKED"
    with connection.cursor() as cursor:
        cursor.execute(sql, list(table_ids))
        return dict(cursor.fetchall())


def write(moves: Sequence[MadeMove]) -> list[MadeMove]:
    """Write the moves, at most one of each table, inside the caller's transaction; return those that fit."""
    if not moves:
        return []
    written = _guarded(moves)
    fit = [move for move in moves if move.table.row.pk in written]
    _insert(_EVENTS, [values for move in fit for values in _events(move)])
    _insert(_ANSWERS, [_answer(move) for move in fit if move.request])
    return fit


def _guarded(moves: Sequence[MadeMove]) -> set[int]:
    sql = _WRITE.format(moves=" UNION ALL ".join([_MOVE] * len(moves)))
    with connection.cursor() as cursor:
        cursor.execute(sql, [value for move in moves for value in _values(move)])
        return {row[0] for row in cursor.fetchall()}


def _values(move: MadeMove) -> tuple[Any, ...]:
    row, state = move.table.row, move.table.state
    expected = move.transition.before.version
    return (
        *(row.pk, expected, state.version, row.snapshot, row.deadline_ms),
        *(move.seating.pk, move.connection, move.request, move.table.now),
    )


def _events(move: MadeMove) -> list[tuple[Any, ...]]:
    rows = store.event_rows(move.table, move.transition, move.table.row.deal)
    return [(row.table_id, row.deal_id, row.version, row.number, row.kind, row.at_ms, row.payload) for row in rows]


def _answer(move: MadeMove) -> tuple[Any, ...]:
    return move.seating.pk, move.request, json.dumps(move.answer)


def _insert(into: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert all rows by one statement. The models would take as long to put it together as all the rest takes."""
    if rows:
        row = f"({_places(len(rows[0]))})"
        with connection.cursor() as cursor:
            cursor.execute(into + ", ".join([row] * len(rows)), [value for each in rows for value in each])


def _places(number: int) -> str:
    return ", ".join(["%s"] * number)
