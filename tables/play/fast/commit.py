"""One guarded write a move, and one commit for all the moves that wait at that moment.

The guard says all that must still be true of the table, in one statement: nobody has changed it, nothing has stopped
it, this socket plays the seat and has not left it, the clock has not run out by the clock of the database, and the
request was never answered. A move whose row does not fit is not written, and takes no other down with it.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from rules.game import Transition
from tables.models import Answer, LoggedEvent, Seating, Table
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


def lock(table_ids: Collection[int]) -> dict[int, int]:
    """Lock those of the tables that nobody else holds, in the order of their ids; return their versions.

    Who finds a row held does not wait for it here, where all others would wait as well.
    """
    rows = Table.objects.select_for_update(skip_locked=True).filter(pk__in=table_ids, status=Table.Status.OPEN)
    return dict(rows.order_by("pk").values_list("pk", "version"))


def write(moves: Sequence[MadeMove]) -> list[MadeMove]:
    """Write the moves, at most one of each table, inside the caller's transaction; return those that fit."""
    if not moves:
        return []
    written = _guarded(moves)
    fit = [move for move in moves if move.table.row.pk in written]
    LoggedEvent.objects.bulk_create(_events(fit))
    named = (move for move in fit if move.request)
    Answer.objects.bulk_create(
        Answer(seating=move.seating, request_id=move.request, answer=move.answer) for move in named
    )
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


def _events(moves: Iterable[MadeMove]) -> list[LoggedEvent]:
    return [row for move in moves for row in store.event_rows(move.table, move.transition, move.table.row.deal)]
