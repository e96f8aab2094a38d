"""Writing a posting into the books: its row, its transfers, and the changes of its accounts.

On PostgreSQL one statement does all three, since each would cost a round trip to the server. SQLite has no such
statement, and no round trips.

PostgreSQL plans such statements once a connection, since every move or every posting runs them. Their texts never
change: rows, however many, are one value in JSON. The driver would convert them item by item, and each number of rows
would be a statement of its own.
"""

# ruff: noqa: S608  Every part of these statements is written in this file.
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import orjson
import psycopg
from django.db import connection

from wallet.base.places import COLUMNS
from wallet.models import Posting

TransferRow = tuple[Any, ...]


class _PreparingCursor(psycopg.Cursor[TransferRow]):
    """Prepares each statement the first time that a connection runs it."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> "_PreparingCursor":
        super().execute(query, params, **{**options, "prepare": True})
        return self


def preparing_cursor() -> AbstractContextManager[Any]:
    """Return a cursor of Django's connection that prepares its statements where the database is PostgreSQL."""
    if connection.vendor != "postgresql":
        return connection.cursor()
    connection.ensure_connection()
    return connection._prepare_cursor(_PreparingCursor(connection.connection))  # type: ignore[attr-defined, no-any-return]


def records(columns: Mapping[str, str]) -> str:
    """Return the query for the rows of one value of `rows_as_json`, of columns with these names and SQL types."""
    typed = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    return f"SELECT * FROM json_to_recordset(%s::json) AS record ({typed})"


def rows_as_json(columns: Iterable[str], rows: Iterable[TransferRow]) -> str:
    """Return the rows as one value in JSON; bytes become the hex format that PostgreSQL reads."""
    return orjson.dumps([dict(zip(columns, row, strict=True)) for row in rows], default=_hex).decode()


def _hex(value: bytes | memoryview) -> str:
    return "\\x" + value.hex()


#: The columns of each part, with their types in PostgreSQL.
_POSTING = {
    "key": "text",
    "digest": "text",
    "reason": "text",
    "created_at": "timestamptz",
    **dict(zip(COLUMNS, ("bigint", "bigint", "bigint", "bigint", "text", "text"), strict=True)),
    "trail_entry": "bigint",
}
_TRANSFER = {
    "line": "smallint",
    "debit_id": "bigint",
    "credit_id": "bigint",
    "amount": "bigint",
    "debit_balance": "bigint",
    "credit_balance": "bigint",
    "seal": "text",
}
_CHANGE = {"account": "bigint", "before": "bigint", "after": "bigint", "new_head": "text"}
_INSERT = f"INSERT INTO wallet_posting ({', '.join(_POSTING)}) {{row}} ON CONFLICT (key) DO NOTHING RETURNING id, key"
_INSERT_TRANSFERS = f"INSERT INTO wallet_transfer (posting_id, {', '.join(_TRANSFER)})"
#: The triggers of transfers and accounts see what the parts before theirs have written.
_WRITE_ALL = f"""WITH posting AS ({_INSERT.format(row=records(_POSTING))}),
    inserted AS ({_INSERT_TRANSFERS}
        SELECT posting.id, {", ".join(f"move.{column}" for column in _TRANSFER)} FROM posting
        JOIN ({records({"number": "bigint", "key": "text", **_TRANSFER})}) AS move ON move.key = posting.key
        ORDER BY number RETURNING 1),
    changed AS (UPDATE wallet_account SET balance = change.after, head = change.new_head
        FROM ({records(_CHANGE)}) AS change, (SELECT COUNT(*) AS count FROM inserted) AS transfers
        WHERE id = change.account AND balance = change.before AND transfers.count > 0 RETURNING 1)
    SELECT (SELECT json_object_agg(key, id) FROM posting), (SELECT COUNT(*) FROM changed)"""


class WrittenTransfer(NamedTuple):
    """A transfer as it is written: its line, the two accounts, the amount, their balances after it, its link."""

    line: int
    debit: int
    credit: int
    amount: int
    debit_balance: int
    credit_balance: int
    seal: str


class AccountChange(NamedTuple):
    """The change of an account: from the balance that was read under its lock to the new balance and head."""

    account: int
    before: int
    after: int
    head: str


class NewPosting(NamedTuple):
    """A posting without an id yet, and its transfers."""

    posting: Posting
    moves: Sequence[WrittenTransfer]


def write_postings(postings: Sequence[NewPosting], changes: Sequence[AccountChange]) -> bool:
    """Write the postings, in their order, and what they change together; give each its id.

    False where a key is taken: of one posting nothing is written then, of several the caller undoes what was.
    RuntimeError where a balance differs from the one that was read.
    """
    write = write_at_once if connection.vendor == "postgresql" else write_by_table
    return write(postings, changes)


def write_at_once(postings: Sequence[NewPosting], changes: Sequence[AccountChange]) -> bool:
    """Write like `write_postings`, by one statement. For PostgreSQL."""
    moves = [(posting.key, *move) for posting, of_posting in postings for move in of_posting]
    rows = [
        rows_as_json(_POSTING, [_values(posting) for posting, _ in postings]),
        rows_as_json(("number", "key", *_TRANSFER), [(number, *move) for number, move in enumerate(moves)]),
        rows_as_json(_CHANGE, changes),
    ]
    with preparing_cursor() as cursor:
        cursor.execute(_WRITE_ALL, rows)
        ids, changed = cursor.fetchone()
    for posting, _ in postings:
        posting.pk = (ids or {}).get(posting.key)
    return _check_written(postings, changed, changes)


def write_by_table(postings: Sequence[NewPosting], changes: Sequence[AccountChange]) -> bool:
    """Write like `write_postings`, by a statement for each table, and for the transfers of each posting."""
    with connection.cursor() as cursor:
        for posting, moves in postings:
            cursor.execute(_INSERT.format(row=f"VALUES {_marks([_values(posting)])}"), _values(posting))
            posting.pk, _ = cursor.fetchone() or (None, None)
            if posting.pk is None:
                return False
            rows = [(posting.pk, *move) for move in moves]
            cursor.execute(f"{_INSERT_TRANSFERS} VALUES {_marks(rows)}", _flat(rows))
        cursor.executemany(
            "UPDATE wallet_account SET balance = %s, head = %s WHERE id = %s AND balance = %s",
            [(change.after, change.head, change.account, change.before) for change in changes],
        )
        return _check_written(postings, cursor.rowcount, changes)


def _check_written(postings: Sequence[NewPosting], changed: int, changes: Sequence[AccountChange]) -> bool:
    """Return whether all are written. RuntimeError where fewer accounts than those of `changes` were changed."""
    if any(posting.pk is None for posting, _ in postings):
        return False
    if changed != len(changes):
        accounts = sorted(change.account for change in changes)
        raise RuntimeError(f"A balance of accounts {accounts} changed although they were locked.")
    return True


def _values(posting: Posting) -> tuple[Any, ...]:
    made_at = connection.ops.adapt_datetimefield_value(posting.created_at)
    at = [getattr(posting, column) for column in COLUMNS]
    return (posting.key, posting.digest, str(posting.reason), made_at, *at, posting.trail_entry)


def _marks(rows: Sequence[tuple[Any, ...]]) -> str:
    return ", ".join([f"({', '.join(['%s'] * len(rows[0]))})"] * len(rows))


def _flat(rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    return [value for row in rows for value in row]
