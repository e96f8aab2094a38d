"""Triggers by which the database itself keeps a table append-only: rows are added, never changed, never removed."""

# ruff: noqa: S608  Table names come from migrations in this repository only.
from collections.abc import Iterable

from django.db.backends.base.base import BaseDatabaseWrapper

#: Every table kept so. A migration that changes one calls `remove` before and `install` after.
TABLES = ("trail_record", "lobby_signin", "lobby_note", "care_change", "gateways_event")
#: Where a guard in PostgreSQL looks for names: temporary ones come first unless they are named, and so they are: last.
PATH = "pg_catalog, pg_temp"


def install(connection: BaseDatabaseWrapper, tables: Iterable[str] = TABLES) -> None:
    """Afterwards the database refuses UPDATE, DELETE, REPLACE and TRUNCATE on the tables."""
    statements = _sqlite if connection.vendor == "sqlite" else _postgresql
    with connection.cursor() as cursor:
        for table in tables:
            for statement in statements(table):
                cursor.execute(statement)


def remove(connection: BaseDatabaseWrapper, tables: Iterable[str] = TABLES) -> None:
    """Afterwards the tables can be changed like any other."""
    with connection.cursor() as cursor:
        for table in tables:
            if connection.vendor == "sqlite":
                for name in _names(table):
                    cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
            else:
                cursor.execute(f"DROP FUNCTION IF EXISTS {table}_refuse() CASCADE")


def missing(connection: BaseDatabaseWrapper) -> list[str]:
    """The names of guards that do not stand, or are switched off."""
    sqlite = connection.vendor == "sqlite"
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        if sqlite
        else "SELECT tgname FROM pg_trigger WHERE tgenabled IN ('O', 'A') AND NOT tgisinternal"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        standing = {name for (name,) in cursor.fetchall()}
    wanted = {name for table in TABLES for name in (_names(table) if sqlite else [f"{table}_kept", f"{table}_full"])}
    return sorted(wanted - standing)


def _names(table: str) -> list[str]:
    return [f"{table}_kept", f"{table}_fixed", f"{table}_placed"]


def _sqlite(table: str) -> list[str]:
    kept, fixed, placed = _names(table)
    refuse = "SELECT RAISE(ABORT, 'trail: what was written stays')"
    # REPLACE takes rows away without asking the guard of DELETE.
    return [
        f"CREATE TRIGGER {kept} BEFORE DELETE ON {table} BEGIN {refuse}; END",
        f"CREATE TRIGGER {fixed} BEFORE UPDATE ON {table} BEGIN {refuse}; END",
        f"CREATE TRIGGER {placed} BEFORE INSERT ON {table} BEGIN {refuse}"
        f" WHERE EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id); END",
    ]


def _postgresql(table: str) -> list[str]:
    function = f"{table}_refuse"
    return [
        f"CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql SET search_path = {PATH} AS $$ BEGIN"
        " RAISE EXCEPTION 'trail: what was written stays' USING ERRCODE = 'integrity_constraint_violation'; END $$",
        f"CREATE TRIGGER {table}_kept BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {function}()",
        # Guards of rows let TRUNCATE through.
        f"CREATE TRIGGER {table}_full BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION {function}()",
    ]
