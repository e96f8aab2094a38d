"""Triggers by which the database itself keeps what was written, whoever writes: one form for SQLite and PostgreSQL.

A migration that makes a table installs its triggers. One that changes it removes them before and installs them after,
since SQLite rebuilds a changed table without its triggers; whoever changes a trigger adds a migration that does the
same. The audit compares what stands with what is written here and in `wallet.ledger.triggers`.

In PostgreSQL a trigger names the schema of each table that it reads, and its path is fixed: otherwise a session could
put a temporary table of the same name in front of the real one, and the trigger would believe that.
"""

# ruff: noqa: S608  Every part of these statements is written in this repository.
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.backends.base.base import BaseDatabaseWrapper

#: The tables of every app, but for those of the ledger, to which rows are added, and that is all.
APPEND_ONLY = (
    *("trail_record", "lobby_signin", "lobby_note", "care_change", "gateways_event", "months_closedmonth"),
    "witness_witness",
)
#: Stands before each table that a condition reads, until it is known in which schema that lies.
HERE = "@"
#: Where a trigger in PostgreSQL looks for names: temporary ones come first unless they are named, as they are: last.
_PATH = "pg_catalog, pg_temp"
#: The vendors of Django, for what only one of them needs.
SQLITE, POSTGRESQL = "sqlite", "postgresql"


@dataclass(frozen=True, slots=True)
class Trigger:
    """Before `event` on `table`, whatever makes `condition` true is refused with `message`."""

    name: str
    event: str
    table: str
    condition: str
    message: str
    only: str = ""


def append_only(*tables: str, message: str = "what was written stays") -> Iterator[Trigger]:
    """Yield the triggers by which the tables take rows and keep them: no UPDATE, DELETE, TRUNCATE, and no REPLACE."""
    for table in tables:
        yield Trigger(f"{table}_kept", "DELETE", table, "TRUE", message)
        yield Trigger(f"{table}_fixed", "UPDATE", table, "TRUE", message)
        yield never_emptied(table, message)
        yield never_replaced(table, "FALSE", message)


def never_emptied(table: str, message: str) -> Trigger:
    """PostgreSQL's triggers of rows let TRUNCATE through; SQLite has no such statement."""
    return Trigger(f"{table}_full", "TRUNCATE", table, "TRUE", message, only=POSTGRESQL)


def never_replaced(table: str, same: str, message: str) -> Trigger:
    """SQLite's REPLACE takes rows of that id, or the `same` ones, away without asking the triggers of DELETE."""
    taken = f"EXISTS (SELECT 1 FROM {HERE}{table} WHERE id = NEW.id OR ({same}))"
    return Trigger(f"{table}_placed", "INSERT", table, taken, message, only=SQLITE)


def install(connection: BaseDatabaseWrapper, triggers: Iterable[Trigger]) -> None:
    """Make the triggers stand. Raises Django's errors of the database where one already does."""
    with connection.cursor() as cursor:
        for statement in _statements(connection, _of(connection, triggers)).values():
            cursor.execute(statement)


def remove(connection: BaseDatabaseWrapper, triggers: Iterable[Trigger]) -> None:
    """Take the triggers away, as far as they stand."""
    with connection.cursor() as cursor:
        for each in _of(connection, triggers):
            if connection.vendor == SQLITE:
                cursor.execute(f"DROP TRIGGER IF EXISTS {each.name}")
            else:
                cursor.execute(f"DROP TRIGGER IF EXISTS {each.name} ON {each.table}")
                cursor.execute(f"DROP FUNCTION IF EXISTS {each.name}()")


def missing(connection: BaseDatabaseWrapper, triggers: Iterable[Trigger]) -> list[str]:
    """Return the names of triggers that do not stand, are switched off, or say something else than here."""
    query = (
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        if connection.vendor == SQLITE
        else "SELECT t.tgname, p.prosrc || array_to_string(p.proconfig, '; ')"
        " FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.tgenabled IN ('O', 'A') AND NOT t.tgisinternal"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        standing = dict(cursor.fetchall())
    wanted = _texts(connection, _of(connection, triggers))
    return sorted(name for name, text in wanted.items() if standing.get(name) != text)


def _of(connection: BaseDatabaseWrapper, triggers: Iterable[Trigger]) -> list[Trigger]:
    return [each for each in triggers if each.only in ("", connection.vendor)]


def _texts(connection: BaseDatabaseWrapper, triggers: list[Trigger]) -> dict[str, str]:
    """Return what the database must hold of each: the whole trigger, or the body of its function and its path."""
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
    """Return where the tables lie, as PostgreSQL quotes it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        return str(cursor.fetchone()[0])


def _sqlite(trigger: Trigger) -> str:
    return (
        f"CREATE TRIGGER {trigger.name} BEFORE {trigger.event} ON {trigger.table} BEGIN"
        f" SELECT RAISE(ABORT, '{_message(trigger)}') WHERE {trigger.condition.replace(HERE, '')}; END"
    )


def _postgresql(trigger: Trigger, schema: str) -> str:
    """Write the trigger for PostgreSQL: a function sees the rows that its own statement has already written, as
    SQLite's triggers do.
    """
    each = "STATEMENT" if trigger.event == "TRUNCATE" else "ROW"
    return (
        f"CREATE FUNCTION {schema}.{trigger.name}() RETURNS trigger LANGUAGE plpgsql SET search_path = {_PATH}"
        f" AS $${_body(trigger, schema)}$$;"
        f" CREATE TRIGGER {trigger.name} BEFORE {trigger.event} ON {trigger.table}"
        f" FOR EACH {each} EXECUTE FUNCTION {schema}.{trigger.name}()"
    )


def _body(trigger: Trigger, schema: str) -> str:
    # A row that a trigger answers nothing for stays undeleted, without a word; of a deletion there is no new one.
    goes_on = "OLD" if trigger.event == "DELETE" and trigger.condition != "TRUE" else "NEW"
    return (
        f" BEGIN IF {trigger.condition.replace(HERE, f'{schema}.')} THEN"
        f" RAISE EXCEPTION '{_message(trigger)}' USING ERRCODE = 'integrity_constraint_violation'; END IF;"
        f" RETURN {goes_on}; END "
    )


def _message(trigger: Trigger) -> str:
    return f"{trigger.table}: {trigger.message}"
