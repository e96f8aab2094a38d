"""A database that version 1.0.0 made is taken over by the software of today, in the middle of a deal."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from config import env
from tests.doors import postgresql_url
from tests.support.stored_release import SECRET, stored_sql

ROOT = Path(__file__).resolve().parents[3]


def check_taken_over(environment: Mapping[str, str]) -> None:
    own = {"DJANGO_SETTINGS_MODULE": "config.settings.local", "RUMMY_SECRET_KEY": SECRET, **environment}
    for words in (["manage.py", "migrate", "-v0"], ["-m", "tests.support.stored_release", "check"]):
        command, whole = [sys.executable, *words], env.of_a_child(own)
        done = subprocess.run(command, cwd=ROOT, env=whole, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_database_of_sqlite_is_taken_over(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "rummy.sqlite3")) as database:
        database.executescript(stored_sql("sqlite"))
    check_taken_over({"RUMMY_DATA": str(tmp_path), "RUMMY_DATABASE_URL": ""})


@pytest.mark.postgres
def test_a_database_of_postgresql_is_taken_over(tmp_path: Path) -> None:
    address, name = urlsplit(postgresql_url()), f"rummy_stored_{os.getpid()}"
    url = urlunsplit(address._replace(path=f"/{name}"))
    with psycopg.connect(urlunsplit(address._replace(path="/postgres")), autocommit=True) as session:
        session.execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
        try:
            with psycopg.connect(url, autocommit=True) as stored:
                stored.execute(stored_sql("postgresql"))
            check_taken_over({"RUMMY_DATA": str(tmp_path), "RUMMY_DATABASE_URL": url})
        finally:
            session.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
