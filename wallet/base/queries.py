"""What Django would do at a high price, or not at all: one row, many rows or values, beginnings, no time limit."""

import json
from collections.abc import Collection, Iterable, Sequence
from operator import attrgetter
from typing import Any, TypeVar, cast

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.backends.ddl_references import Statement, Table
from django.db.models import BooleanField, F, Field, Func, Index, Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

One = TypeVar("One", bound=Model)


def one_or_none(rows: "QuerySet[One]") -> One | None:
    """Return the row of a query that can have only one, or None.

    `first()` would add an ORDER BY, which takes Django longer to build than all the rest of the statement.
    """
    return next(iter(rows), None)


def in_list(column: str, values: Collection[Any]) -> Func:
    """Return the condition for a filter that the column is one of the values, however many there are.

    They are sent as one list, which costs a fifth of separate parameters.
    """
    return _InList(F(column), values=list(values))


class _InList(Func):
    output_field = BooleanField()

    def __init__(self, column: F, *, values: list[Any]) -> None:
        super().__init__(column)
        self.values = values

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> tuple[str, Any]:
        template = "%(expressions)s IN (SELECT value FROM json_each(%%s))"
        sql, parameters = self.as_sql(compiler, connection, template=template)
        return sql, (*parameters, json.dumps(self.values))

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> tuple[str, Any]:
        is_text = self.get_source_expressions()[0].output_field.db_type(connection) not in ("bigint", "integer")
        template = f"%(expressions)s = ANY(%%s::{'text' if is_text else 'bigint'}[])"
        sql, parameters = self.as_sql(compiler, connection, template=template)
        return sql, (*parameters, "{" + ",".join(map(_quoted if is_text else str, self.values)) + "}")


def _quoted(value: str) -> str:
    """Return the value as a quoted element of a PostgreSQL array; the driver would take ten times as long."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


#: What `istartswith` compares: PostgreSQL the text in capitals, SQLite the text without regard to case.
_COMPARED = {"postgresql": "UPPER({column}::text) text_pattern_ops", "sqlite": "{column} COLLATE NOCASE"}


class PrefixIndex(Index):
    """The index of one text column by which `istartswith` needs not read every row, on both databases."""

    def create_sql(
        self, model: type[Model], schema_editor: BaseDatabaseSchemaEditor, using: str = "", **kwargs: Any
    ) -> Statement:
        """Return the statement that makes the index; SQLite can rename its table in it when it rebuilds that."""
        quote = schema_editor.quote_name
        column = str(getattr(model._meta.get_field(self.fields[0]), "column", ""))
        return Statement(
            f"CREATE INDEX {quote(self.name)} ON %(table)s"
            f" ({_COMPARED[schema_editor.connection.vendor].format(column=quote(column))})",
            table=Table(model._meta.db_table, quote),
        )


def update_each(rows: Iterable[Model], columns: Sequence[str], *, by: Sequence[str] = ("id",)) -> None:
    """Write these columns, each with its own value, of rows of one model, which the columns `by` name; in their order.

    What Django does in bulk builds an expression for each value, which takes several times as long. RuntimeError where
    a row is not there.
    """
    ordered = sorted(rows, key=attrgetter(*by))
    if not ordered:
        return
    meta, quote = ordered[0]._meta, connection.ops.quote_name
    fields = [cast("Field[Any, Any]", meta.get_field(column)) for column in (*columns, *by)]
    equal = [f"{quote(str(field.column))} = %s" for field in fields]
    assignments, condition = ", ".join(equal[: len(columns)]), " AND ".join(equal[len(columns) :])
    values = [
        tuple(field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields) for row in ordered
    ]
    statement = f"UPDATE {quote(meta.db_table)} SET {assignments} WHERE {condition}"  # noqa: S608
    with connection.cursor() as cursor:
        if len(values) == 1:  # Where the connection has been ended, many at once would not tell why.
            cursor.execute(statement, values[0])
        else:
            cursor.executemany(statement, values)
        if cursor.rowcount != len(ordered):
            raise RuntimeError(f"{cursor.rowcount} rows of {len(ordered)} in {meta.db_table} are there")


def lift_timeouts() -> None:
    """Let the running transaction take as long as it needs, within and between its statements."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SET LOCAL statement_timeout = 0")
            cursor.execute("SET LOCAL lock_timeout = 0")
