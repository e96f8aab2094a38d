"""Whether the schema of the database is that of this code, and what to do where it is not."""

from collections.abc import Iterator

import psycopg
from django.db import DatabaseError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from psycopg_pool import PoolTimeout

from wallet.base.commands import first_line

#: A migration that every database from before version 1.0.0 has, and none since: it has another name there.
_BEFORE_1_0 = ("wallet", "0001_initial")


def schema_faults() -> list[str]:
    """Return a sentence that says what to do if the schema of the database is not exactly that of this code."""
    try:
        loader = MigrationLoader(connection)
    except DatabaseError as error:
        return [f"The database does not answer: {reason_of(error).rstrip('.')}."]
    return [*_newer_faults(loader), *_older_faults(loader)]


def why_unread(error: DatabaseError) -> str:
    """Return in one line why a command could not read the database, and what to do where its schema is another one."""
    return first_line(" ".join(map(first_line, schema_faults())) or error)


def reason_of(error: DatabaseError) -> str:
    """Return why the database cannot be reached: the pool says only for how long it tried, so it is tried once more."""
    if isinstance(error.__cause__, PoolTimeout):
        try:
            psycopg.connect(**connection.get_connection_params()).close()
        except psycopg.Error as refusal:
            return str(refusal).strip()
    return str(error).strip()


def newer_schema(database: BaseDatabaseWrapper) -> list[str]:
    """Return a sentence if the database was made by newer code; an older one is no fault here."""
    return list(_newer_faults(MigrationLoader(database)))


def _newer_faults(loader: MigrationLoader) -> Iterator[str]:
    if _BEFORE_1_0 in loader.applied_migrations:
        yield "The database is of a version before 1.0.0, whose data is not carried over: move it away, or start that."
        return
    apps = {app for app, _ in loader.disk_migrations}
    unknown = sorted(
        f"{app}.{name}" for app, name in loader.applied_migrations
        if app in apps and (app, name) not in loader.disk_migrations and not _replaced(loader, app, name)
    )  # fmt: skip
    if unknown:
        yield f"The database was made by newer code ({', '.join(unknown)}): start that code, or restore a backup."


def _replaced(loader: MigrationLoader, app: str, name: str) -> bool:
    return any((app, name) in migration.replaces for migration in loader.disk_migrations.values())


def _older_faults(loader: MigrationLoader) -> Iterator[str]:
    missing = [key for key in loader.graph.leaf_nodes() if key not in loader.applied_migrations]
    if missing:
        yield "The database is older than this code: run `manage.py migrate` first."
