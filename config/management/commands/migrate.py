"""Django's migrate, whole or not at all: killed at any moment, the database is as it was, and the next run does it."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands.migrate import Command as Migrate
from django.db import connections, transaction

from config.process import backup, damage, new_database, preflight
from wallet.base.timeouts import lift_timeouts


class Command(Migrate):
    def execute(self, *arguments: Any, **options: Any) -> Any:
        """Say in one sentence what is wrong with a damaged database, or with its disk."""
        with damage.explaining_damage(connections[options["database"]]):
            return super().execute(*arguments, **options)

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Refuse a database that newer code has made; an embedded one is copied before it changes."""
        connection = connections[options["database"]]
        newer = preflight.newer_schema(connection)
        if newer:
            raise CommandError(newer[0], returncode=2)
        copy = backup.before_migrating(connection)
        if copy is not None and options["verbosity"]:
            self.stdout.write(f"As it was before, the database is kept in {copy}.")
        # SQLite cannot leave its constraints unchecked once a transaction has begun.
        with connection.constraint_checks_disabled(), transaction.atomic(using=options["database"]):
            lift_timeouts()
            if _is_whole(options):
                new_database.make_schema(connection)
            super().handle(*arguments, **options)


def _is_whole(options: dict[str, Any]) -> bool:
    """Return whether every migration of every app is to be applied, and not only looked at."""
    return not (options["app_label"] or options["plan"] or options["check_unapplied"])
