"""A new embedded database made from its finished schema; the migrations that lead there would take three seconds.

`new_database.sql` holds what the migrations named in it make of an empty file, a statement a line. It may be older than
the code: newer migrations are applied on top, as in any upgrade. It is written anew by
`python -m config.process.new_database FILE > config/process/new_database.sql`, FILE being an embedded database.
"""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from django.db.backends.base.base import BaseDatabaseWrapper

SCHEMA = Path(__file__).with_suffix(".sql")


def make_schema(connection: BaseDatabaseWrapper) -> None:
    """Make the tables of an embedded database that has none; do nothing to any other."""
    if connection.vendor == "sqlite" and not connection.introspection.table_names():
        with connection.cursor() as cursor:
            for statement in SCHEMA.read_text().splitlines():
                cursor.execute(statement)


def statements(file: Path) -> Iterator[str]:
    """Yield the statements that make a database with the schema and migrations of this one, without its other rows."""
    with closing(sqlite3.connect(file)) as database:
        yield from (
            f"{sql};"
            for (sql,) in database.execute(
                "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'sqlite_sequence'"
                " ORDER BY type = 'trigger', type = 'index', name"
            )
        )
        for app, name in database.execute("SELECT app, name FROM django_migrations ORDER BY id"):
            yield f"INSERT INTO django_migrations (app, name, applied) VALUES ('{app}', '{name}', CURRENT_TIMESTAMP);"  # noqa: S608


if __name__ == "__main__":
    sys.stdout.writelines(f"{statement}\n" for statement in statements(Path(sys.argv[1])))
