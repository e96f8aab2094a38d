"""An upgrade killed in the middle is finished by the next one, and the database before it is kept."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.next_release import NEXT
from tests.support.platform import copy_migrated

ROOT = Path(__file__).resolve().parents[3]

#: The process dies when the first of its steps is done.
KILLED = f"""{NEXT}
keep = MigrationRecorder.record_applied
def die(self, app, name):
    keep(self, app, name)
    if name == "9998_planted":
        os._exit(137)
MigrationRecorder.record_applied = die
call_command("migrate", verbosity=0)
"""
UPGRADED = f"""{NEXT}
call_command("migrate", verbosity=0)
"""


def run(code: str, data: Path) -> int:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.local", "RUMMY_DATA": str(data)}
    environment.pop("RUMMY_DATABASE_URL", None)
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, timeout=120).returncode


def tables(file: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(file)) as database:
        return set(database.execute("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"))


@pytest.mark.slow
def test_a_killed_upgrade_is_finished_by_the_next(tmp_path: Path) -> None:
    old, unharmed = tmp_path / "old", tmp_path / "unharmed"
    old.mkdir()
    copy_migrated(old)
    shutil.copytree(old, unharmed)
    assert run(UPGRADED, unharmed) == 0
    before = tables(old / "rummy.sqlite3")
    assert run(KILLED, old) == 137
    assert tables(old / "rummy.sqlite3") == before, "all of it or nothing"
    assert run(UPGRADED, old) == 0
    assert tables(old / "rummy.sqlite3") == tables(unharmed / "rummy.sqlite3") != before
    [copy] = old.glob("rummy.sqlite3.before-*")
    assert tables(copy) == before
    assert copy.stat().st_mode & 0o077 == 0
