"""Statements that PostgreSQL plans once a connection, since every move or every posting runs them.

Their texts never change: rows, however many, are one value in JSON. The driver would convert them item by item, and
each number of rows would be a statement of its own.
"""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any

import orjson
import psycopg
from django.db import connection

Row = tuple[Any, ...]


class _PreparingCursor(psycopg.Cursor[Row]):
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
    return f"SELECT * FROM json_to_recordset(%s::json) AS record ({typed})"  # noqa: S608  Every name is written in code.


def rows_as_json(columns: Iterable[str], rows: Iterable[Row]) -> str:
    """Return the rows as one value in JSON; bytes become the hex format that PostgreSQL reads."""
    return orjson.dumps([dict(zip(columns, row, strict=True)) for row in rows], default=_hex).decode()


def _hex(value: bytes | memoryview) -> str:
    return "\\x" + value.hex()
