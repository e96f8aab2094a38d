"""Django's migrate, under play: killed at any moment, each migration is whole or not at all; the next run goes on.

On PostgreSQL each has a transaction of its own, see `migrating`. The embedded database is changed in a single one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from config.process import embedded_database, preflight
from config.process.migrating import PatientExecutor
from wallet.base.commands import first_line

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
                reason = first_line(preflight.reason_of(error)).rstrip(".")
                raise CommandError(f"The database did not let migrate end: {reason}. Run it again.") from error

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Refuse a database of newer code, or of before 1.0.0; an embedded one is copied before it changes."""
        connection = connections[options["database"]]
        if refusals := preflight.newer_schema(connection):
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
