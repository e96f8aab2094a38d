"""Django's migrate, under play: killed at any moment, each migration is whole or not at all; the next run goes on.

The embedded database is changed in a single transaction. On PostgreSQL each migration has its own, holds its locks
briefly, and waits its turn. What it changes of the schema is gathered while Django works it out, which takes longer
than the database does, and is run in one go at its end, or before it asks for rows. So moves wait for the statements
alone. Whoever moves locks the table first; so does a migration, and neither can hold what the other waits for. Where
locks are not to be had, or the statements take longer than play may stand, the migration is undone, moves go on, and it
is tried again.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import DatabaseError, OperationalError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.migration import Migration
from django.db.migrations.state import ProjectState

from config.process import embedded_database
from config.settings.databases import IDLE_IN_TRANSACTION
from tables.models import ServerHeartbeat, Table
from tables.play import outages
from wallet.base.commands import first_line
from wallet.base.queries import lift_timeouts
from wallet.base.schema import newer_schema, reason_of

#: How long a migration waits for a lock, in ms: moves that come later wait behind it. First less than the second after
#: which PostgreSQL looks for a deadlock; in later tries more, since only then autovacuum gives way.
LOCK_WAIT, LATER_LOCK_WAIT = 500, 1_200
#: How long the statements of a migration may take under play, each and together, in ms.
STATEMENTS = 1_000
#: The pauses between tries, in seconds; from `_PATIENT` on a try waits longer for its locks.
PAUSES = (0.2, 0.4, 0.8, 1.6, 3, 5, 5, 5, 5)
_PATIENT = 3
#: SQLSTATEs after which another try may succeed: deadlock, lock not available, statement timeout, ended sessions.
_AGAIN = {"40P01", "55P03", "57014", "25P03", "57P01"}
#: The statements that change the schema.
_CHANGES = ("ALTER", "CREATE", "DROP", "COMMENT", "SET CONSTRAINTS")


class PatientExecutor(MigrationExecutor):
    """Django's executor, with each migration and the note of it in a transaction of its own that is tried again."""

    def apply_migration(
        self, state: ProjectState, migration: Migration, fake: bool = False, fake_initial: bool = False
    ) -> ProjectState:
        """Apply the migration. CommandError, with nothing of it done, if play leaves it no room."""
        if self.connection.vendor != "postgresql":
            return super().apply_migration(state, migration, fake=fake, fake_initial=fake_initial)
        if not migration.atomic:
            # It takes long and locks nothing, as an index that is made CONCURRENTLY.
            with self.connection.cursor() as cursor:
                cursor.execute("SET statement_timeout = 0")
            return super().apply_migration(state, migration, fake=fake, fake_initial=fake_initial)
        for tried, pause in enumerate((*PAUSES, None)):
            before = state.clone()
            try:
                with transaction.atomic(using=self.connection.alias), _gathering(self.connection, tried):
                    return super().apply_migration(before, migration, fake=fake, fake_initial=fake_initial)
            except DatabaseError as error:
                self._despair(migration, error, last=pause is None)
            time.sleep(pause or 0)
        raise AssertionError("the last try returns or raises")

    def _despair(self, migration: Migration, error: DatabaseError, *, last: bool) -> None:
        """Raise the error, or CommandError after the last try; return if another try may succeed."""
        if not _may_succeed_later(error):
            raise error
        with suppress(DatabaseError):
            self.connection.close_if_unusable_or_obsolete()
        if last:
            raise CommandError(
                f"{migration} was not applied, since play left it no room ({first_line(error)}). What was applied"
                " before stays, and play goes on. Run migrate again; where that fails as well, stop the web processes"
                " and workers for it."
            ) from error


def _may_succeed_later(error: DatabaseError) -> bool:
    return isinstance(error, _TakesLong) or getattr(error.__cause__, "sqlstate", None) in _AGAIN


class _TakesLong(OperationalError):
    """The statements together take longer than play may stand."""


@contextmanager
def _gathering(connection: BaseDatabaseWrapper, tried: int) -> Iterator[None]:
    """Gather what the transaction changes of the schema, and run it when it ends or reads rows."""
    lift_timeouts()
    changes = _Changes(connection, LOCK_WAIT if tried < _PATIENT else LATER_LOCK_WAIT)
    with connection.execute_wrapper(changes):
        yield
        changes.run()


class _Changes:
    """The statements of one migration that wait to be run; an `execute_wrapper` of Django."""

    def __init__(self, connection: BaseDatabaseWrapper, lock_wait: int) -> None:
        self._connection = connection
        self._lock_wait = lock_wait
        self._waiting: list[tuple[str, Any]] = []
        self._running = False
        #: When the first statement began, in seconds; None while no lock is held.
        self._since: float | None = None
        self._bounded = _is_played(connection)

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if self._running:
            return execute(sql, params, many, context)
        statement = sql.lstrip().upper()
        if statement.startswith(_CHANGES):
            self._waiting.append((sql, params))
            return None
        if statement.startswith("ROLLBACK"):
            self._waiting.clear()
        elif "FROM" in statement or not statement.startswith("SELECT"):
            self.run()
        self._check_time()
        return execute(sql, params, many, context)

    def run(self) -> None:
        """Run the statements that wait."""
        statements, self._waiting = self._waiting, []
        if not statements:
            return
        self._running = True
        try:
            with self._connection.cursor() as cursor:
                self._begin(cursor)
                for sql, params in statements:
                    self._check_time()
                    cursor.execute(sql, params)
        finally:
            self._running = False

    def _begin(self, cursor: Any) -> None:
        """Set the limits and lock the tables at play, once: no move is then in the middle."""
        if self._since is not None:
            return
        self._since = time.monotonic()
        cursor.execute(f"SET LOCAL lock_timeout = {self._lock_wait}")
        if self._bounded:
            cursor.execute(f"SET LOCAL statement_timeout = {STATEMENTS}")
            cursor.execute(f"SET LOCAL idle_in_transaction_session_timeout = {IDLE_IN_TRANSACTION}")
            cursor.execute(f"LOCK TABLE {Table._meta.db_table} IN EXCLUSIVE MODE")

    def _check_time(self) -> None:
        since = self._since
        if self._bounded and since is not None and time.monotonic() - since > (self._lock_wait + STATEMENTS) / 1000:
            raise _TakesLong(f"moves would stand for more than {STATEMENTS} ms")


def _is_played(connection: BaseDatabaseWrapper) -> bool:
    """Return whether a web process serves on the database, by its heartbeat."""
    table = ServerHeartbeat._meta.db_table
    if table not in connection.introspection.table_names():
        return False
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT max(at_ms) > extract(epoch FROM clock_timestamp()) * 1000 - %s FROM {table}",  # noqa: S608
            [outages.OUTAGE_AFTER_MS],
        )
        return bool(cursor.fetchone()[0])


#: Django's command makes its executor by this name.
migrate.MigrationExecutor = PatientExecutor  # type: ignore[attr-defined]


class Command(migrate.Command):
    def execute(self, *arguments: Any, **options: Any) -> Any:
        """Say in one sentence what is wrong with a damaged database, or with its disk."""
        with embedded_database.explaining_damage(connections[options["database"]]):
            try:
                return super().execute(*arguments, **options)
            except OperationalError as error:
                if connections[options["database"]].vendor != "postgresql":
                    raise
                reason = first_line(reason_of(error)).rstrip(".")
                raise CommandError(f"The database did not let migrate end: {reason}. Run it again.") from error

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Refuse a database of newer code, or of before 1.0.0; an embedded one is copied before it changes."""
        connection = connections[options["database"]]
        if refusals := newer_schema(connection):
            raise CommandError(refusals[0], returncode=2)
        copy = embedded_database.copy_before_migrating(connection)
        if copy is not None and options["verbosity"]:
            self.stdout.write(f"As it was before, the database is kept in {copy}.")
        with _at_once(connection):
            super().handle(*arguments, **options)


@contextmanager
def _at_once(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Put all of the block into one transaction of the embedded database; do nothing on PostgreSQL."""
    if connection.vendor != "sqlite":
        yield
        return
    # SQLite cannot leave its constraints unchecked once a transaction has begun.
    with connection.constraint_checks_disabled(), transaction.atomic(using=connection.alias):
        yield
