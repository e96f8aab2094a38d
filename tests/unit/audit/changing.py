"""Changes behind the services' back: other values in columns, and tables without constraints."""

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

from django.apps import apps
from django.db import connection

from tests.support.findings import found_by
from wallet.audit_log import row_marks
from wallet.base.findings import BROKE_OFF

#: What is another in them leads nowhere or cannot be read, or only counts as set: no check can say more of it. Nor of
#: ids, which name no row afterwards.
SAYS_NO_VALUE = {"sealed_secret", "sealed_seed", "sums", "used_at", "fingerprint", "log_pruned_at"}
#: The same in one table: with that in every row of it, the log is unreadable.
SAYS_NO_VALUE_IN = {
    "tables_deal.result", "tables_event.at_ms", "tables_event.payload", "tables_seating.seat", "tables_table.round",
    "tables_table.snapshot_version", "tables_table.terms", "tables_tournament.status",
}  # fmt: skip


def another(table: str, column: str, number: int = 0) -> str:
    """Return another value than any there is, and for each `number` up to 9 a different one, as SQL."""
    model = _model(table)
    [field] = [each for each in model._meta.concrete_fields if each.column == column]
    kind = field.target_field.get_internal_type() if field.is_relation else field.get_internal_type()
    if "Integer" in kind or "AutoField" in kind:
        # What is read in parts by its ids is read a part for each few of them.
        return f"COALESCE({column}, 0) + {(7_000 if 'Small' in kind or 'Auto' in kind else 70_000) + number}"
    return {
        "BooleanField": f"NOT {column}",
        "DateTimeField": f"'2001-02-03 04:05:0{number}+00:00'",
        "DateField": f"'2001-02-0{number + 1}'",
        "JSONField": f"""'{{"x": {number}}}'""",
        "BinaryField": f"'garbage{number}'" if connection.vendor == "sqlite" else f"'garbage{number}'::bytea",
        "GenericIPAddressField": f"'9.9.9.{number}'",
    }.get(kind, f"'z{number}'")


def change(table: str, column: str, number: int = 0) -> None:
    """Write another value into that column of every row."""
    with connection.cursor() as cursor:
        cursor.execute(f'UPDATE {table} SET "{column}" = {another(table, column, number)}')
        assert cursor.rowcount > 0


def check_all_name(table: str, column: str, names: Sequence[str]) -> None:
    """Write another value into that column of every row: each of the checks must name it, and one tell what it is.

    Otherwise whoever acknowledges the finding would acknowledge any value. Of the marks of rows only those of the table
    are looked at.
    """
    change(table, column)
    marked_here = {name: kind for name, kind in row_marks.REGISTERED.items() if kind.rows.model._meta.db_table == table}
    with patch.object(row_marks, "REGISTERED", marked_here):
        _check_named(table, column, names)


def _check_named(table: str, column: str, names: Sequence[str]) -> None:
    found = {name: found_by([name]) for name in names}
    for name in names:
        assert found[name], f"{name} does not see that every {table}.{column} is another"
    if not (column.endswith("id") or column in SAYS_NO_VALUE or f"{table}.{column}" in SAYS_NO_VALUE_IN):
        change(table, column, 1)
        # Nobody can acknowledge that a check broke off.
        broke_off = {each.check for findings in found.values() for each in findings} == {BROKE_OFF}
        told = broke_off or any(found_by([name]) != found[name] for name in names)
        assert told, f"any {table}.{column} would be acknowledged"


def bare(table: str) -> None:
    """Take every constraint and foreign key from the table, but for its key."""
    cascade = " CASCADE" if connection.vendor == "postgresql" else ""
    key = _model(table)._meta.pk.column
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE bare AS SELECT * FROM {table}")
        cursor.execute(f"DROP TABLE {table}{cascade}")
        cursor.execute(f"ALTER TABLE bare RENAME TO {table}")
        if connection.vendor == "postgresql":
            cursor.execute(f"ALTER TABLE {table} ADD PRIMARY KEY ({key})")
        else:
            cursor.execute(f"CREATE UNIQUE INDEX {table}_bare ON {table} ({key})")


def _model(table: str) -> Any:
    models = apps.get_models(include_auto_created=True)
    return next(each for each in models if each._meta.db_table == table and not each._meta.proxy)
