"""An upgrade that is killed in the middle is finished by the next one, and the database before it is kept."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

#: An older database is brought up to date, and the process dies when a migration has made its tables.
KILLED = """
import os, django
django.setup()
from django.core.management import call_command
from django.db.migrations.recorder import MigrationRecorder
call_command("migrate", "lobby", "0001", verbosity=0)
keep = MigrationRecorder.record_applied
def die(self, app, name):
    keep(self, app, name)
    if (app, name[:4]) == ("lobby", "0002"):
        os._exit(137)
MigrationRecorder.record_applied = die
call_command("migrate", verbosity=0)
"""
WHOLE = """
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
"""


def run(code: str, data: Path) -> int:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.local", "RUMMY_DATA": str(data)}
    environment.pop("RUMMY_DATABASE_URL", None)
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, timeout=120).returncode


def tables(file: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(file)) as database:
        return set(database.execute("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"))


def test_an_upgrade_killed_in_the_middle_is_finished_by_the_next(tmp_path: Path) -> None:
    fresh, old = tmp_path / "fresh", tmp_path / "old"
    assert run(WHOLE, fresh) == 0
    assert run(KILLED, old) == 137
    before = tables(old / "rummy.sqlite3")
    assert "lobby_signin" not in {name for name, _ in before}
    assert run(WHOLE, old) == 0
    assert tables(old / "rummy.sqlite3") == tables(fresh / "rummy.sqlite3")
    [copy] = old.glob("rummy.sqlite3.before-*")
    assert tables(copy) == before
    assert copy.stat().st_mode & 0o077 == 0
    assert not list(fresh.glob("rummy.sqlite3.before-*"))
