"""The steps of the next release, taken beside transactions that lock as a move does: no deadlock, and nobody fails."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from config import env
from config.settings.databases import LOCK_WAIT
from tests.support import postgresql
from tests.support.next_release import NEXT

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

ROOT = Path(__file__).resolve().parents[3]
UPGRADE = f"""{NEXT}
call_command("migrate", skip_checks=True)
"""
#: The locks of a move, in its order, and what it writes.
MOVE = (
    "SELECT id FROM tables_table FOR UPDATE",
    "SELECT id FROM tables_seating FOR UPDATE",
    "SELECT id FROM lobby_player FOR KEY SHARE",
    "SELECT id FROM wallet_account FOR UPDATE",
    "INSERT INTO wallet_posting (id) SELECT 0 WHERE false",
    "UPDATE tables_match SET status = status WHERE false",
    "INSERT INTO tables_event (id) SELECT 0 WHERE false",
    "SELECT pg_sleep(0.002)",
    "UPDATE tables_table SET version = version WHERE false",
)
PLAYERS, TIMES = 3, 5
#: Seconds between the moves of a player, so that the processor has room for the upgrade.
PAUSE = 0.02


def address(name: str) -> str:
    """Return the address of a database beside that of the tests."""
    return urlunsplit(urlsplit(env.text("RUMMY_TEST_DATABASE_URL"))._replace(path=f"/{name}"))


def run(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments on the database of that name."""
    environment = {"RUMMY_DATABASE_URL": address(name), "DJANGO_SETTINGS_MODULE": "config.settings.local"}
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT, env=env.of_a_child(environment), capture_output=True, text=True, timeout=300,
    )  # fmt: skip


@contextmanager
def database(*, like: str | None = None) -> Iterator[str]:
    """Make a database for the block, empty or like that one; yield its name."""
    name = f"{settings.DATABASES['default']['NAME']}_{'copy' if like else 'before'}"
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{like or "template0"}"')
        try:
            yield name
        finally:
            cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def playing(name: str) -> Iterator[list[str]]:
    """Let players move on the database during the block, and its heartbeat be noted; yield what went wrong."""
    faults: list[str] = []
    ended = threading.Event()

    def play() -> None:
        try:
            with psycopg.connect(address(name), options=f"-c lock_timeout={LOCK_WAIT}") as session:
                while not ended.wait(PAUSE):
                    with session.transaction():
                        for statement in MOVE:
                            session.execute(statement)
                    with session.transaction():
                        session.execute(
                            "UPDATE tables_serverheartbeat SET at_ms = extract(epoch FROM clock_timestamp()) * 1000"
                        )
        except psycopg.Error as error:
            faults.append(str(error))

    threads = [threading.Thread(target=play) for _ in range(PLAYERS)]
    for thread in threads:
        thread.start()
    try:
        yield faults
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def test_the_steps_of_the_next_release_are_taken_under_play() -> None:
    with database() as before:
        postgresql.migrate_once(address(before), lambda: run(before, "manage.py", "migrate", "-v0", "--skip-checks"))
        with psycopg.connect(address(before)) as session:
            session.execute("INSERT INTO tables_serverheartbeat (at_ms) VALUES (0)")
        for _ in range(TIMES):
            with database(like=before) as name, psycopg.connect(address(name), autocommit=True) as session:
                with playing(name) as faults:
                    done = run(name, "-c", UPGRADE)
                assert (done.returncode, done.stderr, faults) == (0, "", [])
                assert done.stdout.count("_planted... OK") == 3, done.stdout
                deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
                assert session.execute(deadlocks).fetchone() == (0,)
