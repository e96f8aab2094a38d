"""Databases that tests and harnesses make and drop: never the one on which people play."""

import json
import logging
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.db import connection, transaction
from django.test.utils import setup_databases, teardown_databases

from config import env
from tests.support import once, postgresql

SETTINGS = "config.settings.test"
#: Tables whose rows stay when a database is emptied, since they belong to the installation.
_PRESERVED = {"django_migrations", "django_content_type", "auth_permission", "auth_group", "auth_group_permissions"}
Figures = dict[str, Any]


def on_its_own(harness: str, play: Callable[[int, int], Figures], seed: int, size: int) -> Figures:
    """Return the result of `play(seed, size)`, run here under the settings of tests, else in a child process with them.

    RUMMY_TEST_DATABASE_URL puts the child on PostgreSQL.
    """
    if settings.SETTINGS_MODULE == SETTINGS:
        return play(seed, size)
    command = [sys.executable, "-m", "tests.support.database", harness, str(seed), str(size)]
    child = subprocess.run(
        command, env=env.of_a_child({"DJANGO_SETTINGS_MODULE": SETTINGS}), stdout=subprocess.PIPE, check=True
    )
    return dict(json.loads(child.stdout.splitlines()[-1]))


@contextmanager
def fresh() -> Iterator[None]:
    """Set up a migrated database for the block. It need not survive a power cut: nothing in it is of value."""
    old = setup_databases(verbosity=0, interactive=False)
    try:
        hurry()
        yield
    finally:
        teardown_databases(old, verbosity=0)


@contextmanager
def migrated_once() -> Iterator[None]:
    """Make test databases within the block as copies of the first one that this run has migrated."""
    creation = connection.creation
    create = creation.create_test_db

    def copy_or_create_file(*arguments: Any, **options: Any) -> str:
        with once.shared("database") as folder:
            migrated = folder / once.MIGRATED
            if migrated.exists():
                shutil.copy(migrated, connection.settings_dict["TEST"]["NAME"])
                return create(*arguments, **{**options, "keepdb": True})
            name = create(*arguments, **options)
            with connection.cursor() as cursor:
                cursor.execute("VACUUM INTO %s", [str(migrated)])
            return name

    def copy_or_create(*arguments: Any, **options: Any) -> str:
        kept = {**options, "keepdb": True}
        name = creation._create_test_db(verbosity=0, autoclobber=True)
        address = urlunsplit(urlsplit(env.text("RUMMY_TEST_DATABASE_URL"))._replace(path=f"/{name}"))
        postgresql.migrate_once(address, lambda: create(*arguments, **kept))
        return create(*arguments, **kept)

    own = copy_or_create_file if connection.vendor == "sqlite" else copy_or_create
    with patch.object(creation, "create_test_db", own):
        yield


def hurry() -> None:
    """Let commits not wait for the disk: tests check the content of the database, not its durability."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA synchronous=OFF")
        else:
            cursor.execute(f'ALTER DATABASE "{connection.settings_dict["NAME"]}" SET synchronous_commit = off')
            cursor.execute("SET synchronous_commit = off")


def send_away() -> None:
    """End all other connections to the database, such as those of pool threads, so that it can be dropped."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            other_sessions = "datname = current_database() AND pid <> pg_backend_pid()"
            cursor.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {other_sessions}")


@contextmanager
def rolled_back() -> Iterator[None]:
    """Roll back what the block does."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    forget()


def forget() -> None:
    """Forget what the process remembers of rows that are gone: tables, standings, nudges, answers, the trail's end."""
    from tables import standings
    from tables.history import kept
    from tables.play import clocks
    from tables.play.fast import table_cache
    from wallet.audit_log import ends

    ends._named = ""
    table_cache.evict_all()
    standings._standings.clear()
    clocks._nudges_sent.clear()
    kept._kept.clear()


def wipe() -> None:
    """Empty the database to its state after the migrations: no player, no table, no posting."""
    from tables.log.triggers import TRIGGERS as LOG_TRIGGERS
    from wallet.base import triggers
    from wallet.ledger.triggers import TRIGGERS

    _await_threads()
    forget()
    installed = [*TRIGGERS, *LOG_TRIGGERS, *triggers.append_only(*triggers.APPEND_ONLY)]
    filled = _filled()
    triggers.remove(connection, [each for each in installed if each.event == "DELETE" and each.table in filled])
    # Foreign keys are checked when the transaction ends; deleting the few rows of a test is faster than TRUNCATE.
    with transaction.atomic(), connection.cursor() as cursor:
        for table in filled:
            cursor.execute(f"DELETE FROM {table}")
    missing = set(triggers.missing(connection, installed))
    again = [trigger for trigger in installed if trigger.name in missing]
    triggers.remove(connection, again)
    triggers.install(connection, again)


def _await_threads() -> None:
    """Wait until the threads of play have done what closed sockets have left to them, else that is stored afterwards.

    A heartbeat, for example, would tell the next test of an outage.
    """
    from tables.play import executors
    from tables.play.fast.group_commit import WRITER
    from tables.sockets.monitor import LOOKS

    for thread in (LOOKS, WRITER):
        done = threading.Event()
        thread.submit(done.set)
        done.wait()
    for executor in (executors.MOVES, executors.JOINS, executors.SIGN_INS):
        # Each thread takes one of these, and goes on when all have come.
        together = threading.Barrier(executor.threads)
        wait([executor.begin(together.wait) for _ in range(executor.threads)])


def _filled() -> set[str]:
    """Return the tables with rows that a test may have left."""
    query = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table})" for table in _tables())
    with connection.cursor() as cursor:
        cursor.execute(query)
        return {name for (name,) in cursor.fetchall()}


@cache
def _tables() -> list[str]:
    return [name for name in connection.introspection.django_table_names(only_existing=True) if name not in _PRESERVED]


def main(harness: str, seed: str, size: str) -> None:
    """Run a harness as `python -m tests.support.database HARNESS SEED SIZE`; print its figures as the last line."""
    from importlib import import_module

    import django

    django.setup()
    # Planted faults are expected by the thousand.
    logging.disable(logging.CRITICAL)
    module = import_module(f"tests.fleet.{harness}")
    with fresh():
        figures = module.run(seed=int(seed), size=int(size))
    print(json.dumps(figures))


if __name__ == "__main__":
    main(*sys.argv[1:])
