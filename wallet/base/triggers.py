"""Triggers by which the database itself protects rows from changes: one form for SQLite and PostgreSQL.

A migration that creates a table installs its triggers. One that changes it removes them before and installs them
after, since SQLite rebuilds a changed table without its triggers; a changed trigger needs a migration that does the
same. The audit compares the installed triggers with those written here and in `wallet.ledger.triggers`.

In PostgreSQL a trigger names the schema of each table that it reads, and its search path is fixed: otherwise a session
could hide the real table behind a temporary one of the same name, and the trigger would read that.
"""

# ruff: noqa: S608  Every part of these statements is written in this repository.
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.backends.base.base import BaseDatabaseWrapper

#: The tables of all apps, except those of the ledger, whose rows are only added and never changed.
APPEND_ONLY = (
    "audit_log_auditentry",
    "lobby_signin",
    "lobby_note",
    "responsible_gaming_settingschange",
    "months_closedmonth",
)
#: Precedes each table that a condition reads, and is replaced by its schema.
HERE = "@"
#: The search path of a trigger in PostgreSQL. Temporary tables would come first unless the path names them later.
_PATH = "pg_catalog, pg_temp"
#: Django's names of the databases, for triggers that only one of them needs.
SQLITE, POSTGRESQL = "sqlite", "postgresql"


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger that refuses, with `message`, any `event` on `table` that makes `condition` true."""

    name: str
    event: str
    table: str
    condition: str
    message: str
    only: str = ""


def append_only(*tables: str, message: str = "what was written stays") -> Iterator[Trigger]:
    """Yield the triggers that let rows only be added to the tables: no UPDATE, DELETE, TRUNCATE or REPLACE."""
    for table in tables:
        yield Trigger(f"{table}_kept", "DELETE", table, "TRUE", message)
        yield Trigger(f"{table}_fixed", "UPDATE", table, "TRUE", message)
        yield never_emptied(table, message)
        yield never_replaced(table, "FALSE", message)


def never_emptied(table: str, message: str) -> Trigger:
    """Return the trigger that forbids TRUNCATE, which PostgreSQL's row triggers do not see; SQLite has no TRUNCATE."""
    return Trigger(f"{table}_full", "TRUNCATE", table, "TRUE", message, only=POSTGRESQL)


def never_replaced(table: str, same: str, message: str) -> Trigger:
    """Return the trigger that forbids SQLite's REPLACE of a row with that id, or of one that meets `same`.

    REPLACE deletes such rows without firing the triggers of DELETE.
    """
    exists = f"EXISTS (SELECT 1 FROM {HERE}{table} WHERE id = NEW.id OR ({same}))"
    return Trigger(f"{table}_placed", "INSERT", table, exists, message, only=SQLITE)


def install(connection: BaseDatabaseWrapper, triggers: Iterable[Trigger]) -> None:
    """Create the triggers. Raises Django's database errors where one exists already."""
    with connection.cursor() as cursor:
        for statement in _statements(connection, _of(connection, triggers)).values():
            cursor.execute(statement)


def remove(connection: BaseDatabaseWrapper, triggers: Iterable[Trigger]) -> None:
    """Drop the triggers that exist."""
    with connection.cursor() as cursor:
        for each in _of(connection, triggers):
            if connection.vendor == SQLITE:
                cursor.execute(f"DROP TRIGGER IF EXISTS {each.name}")
            else:
                cursor.execute(f"DROP TRIGGER IF EXISTS {each.name} ON {each.table}")
                cursor.execute(f"DROP FUNCTION IF EXISTS {each.name}()")


def missing(connection: BaseDatabaseWrapper, triggers: Iterable[Trigger]) -> list[str]:
    """Return the names of triggers that are missing, switched off, or different from these."""
    query = (
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        if connection.vendor == SQLITE
        else "SELECT t.tgname, p.prosrc || array_to_string(p.proconfig, '; ')"
        " FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.tgenabled IN ('O', 'A') AND NOT t.tgisinternal"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        installed = dict(cursor.fetchall())
    texts = _texts(connection, _of(connection, triggers))
    return sorted(name for name, text in texts.items() if installed.get(name) != text)


def _of(connection: BaseDatabaseWrapper, triggers: Iterable[Trigger]) -> list[Trigger]:
    return [each for each in triggers if each.only in ("", connection.vendor)]


def _texts(connection: BaseDatabaseWrapper, triggers: list[Trigger]) -> dict[str, str]:
    """Return for each trigger its stored text: the whole statement, or the body of its function and its path."""
    if connection.vendor == SQLITE:
        return _statements(connection, triggers)
    schema = _schema(connection)
    return {each.name: f"{_body(each, schema)}search_path={_PATH}" for each in triggers}


def _statements(connection: BaseDatabaseWrapper, triggers: list[Trigger]) -> dict[str, str]:
    if connection.vendor == SQLITE:
        return {each.name: _sqlite(each) for each in triggers}
    schema = _schema(connection)
    return {each.name: _postgresql(each, schema) for each in triggers}


def _schema(connection: BaseDatabaseWrapper) -> str:
    """Return the schema of the tables, as PostgreSQL quotes it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        return str(cursor.fetchone()[0])


def _sqlite(trigger: Trigger) -> str:
    return (
        f"CREATE TRIGGER {trigger.name} BEFORE {trigger.event} ON {trigger.table} BEGIN"
        f" SELECT RAISE(ABORT, '{_message(trigger)}') WHERE {trigger.condition.replace(HERE, '')}; END"
    )


def _postgresql(trigger: Trigger, schema: str) -> str:
    """Return the statements for PostgreSQL.

    Its function sees the rows that the same statement has already written, as SQLite's triggers do.
    """
    each = "STATEMENT" if trigger.event == "TRUNCATE" else "ROW"
    return (
        f"CREATE FUNCTION {schema}.{trigger.name}() RETURNS trigger LANGUAGE plpgsql SET search_path = {_PATH}"
        f" AS $${_body(trigger, schema)}$$;"
        f" CREATE TRIGGER {trigger.name} BEFORE {trigger.event} ON {trigger.table}"
        f" FOR EACH {each} EXECUTE FUNCTION {schema}.{trigger.name}()"
    )


def _body(trigger: Trigger, schema: str) -> str:
    # Returning NULL would silently skip the deletion of the row, and in a DELETE trigger NEW is NULL.
    goes_on = "OLD" if trigger.event == "DELETE" and trigger.condition != "TRUE" else "NEW"
    return (
        f" BEGIN IF {trigger.condition.replace(HERE, f'{schema}.')} THEN"
        f" RAISE EXCEPTION '{_message(trigger)}' USING ERRCODE = 'integrity_constraint_violation'; END IF;"
        f" RETURN {goes_on}; END "
    )


def _message(trigger: Trigger) -> str:
    return f"{trigger.table}: {trigger.message}"
