"""Changes behind the services' back: other values in columns, and tables without constraints."""

from typing import Any

from django.apps import apps
from django.db import connection


def another(table: str, column: str) -> str:
    """Return another value than any there is, as SQL."""
    model = _model(table)
    [field] = [each for each in model._meta.concrete_fields if each.column == column]
    kind = field.target_field.get_internal_type() if field.is_relation else field.get_internal_type()
    if "Integer" in kind or "AutoField" in kind:
        return f"COALESCE({column}, 0) + {7_000 if 'Small' in kind else 70_000}"
    return {
        "BooleanField": f"NOT {column}",
        "DateTimeField": "'2001-02-03 04:05:06+00:00'",
        "DateField": "'2001-02-03'",
        "JSONField": """'{"x": 1}'""",
        "BinaryField": "'garbage'" if connection.vendor == "sqlite" else "'garbage'::bytea",
        "GenericIPAddressField": "'9.9.9.9'",
    }.get(kind, "'zz'")


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
