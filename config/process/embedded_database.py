"""The embedded database: checked when the platform starts, and copied before a migration changes its tables.

Each fault is a sentence that says what to do.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.core.management.base import CommandError
from django.db import DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from config.process import exits

#: Parts of SQLite's messages about a damaged or foreign file, and about a disk that cannot be written.
_DAMAGED = ("malformed", "not a database", "unsupported file format", "file is encrypted")
_NOT_WRITTEN = ("disk is full", "disk i/o error", "readonly database", "unable to open database file")
#: The least free bytes: with fewer, play could begin but would stop within its first deals.
LEAST_FREE = 16 * 1024 * 1024
#: The part of a copy's name between that of the database and the number of migrations; the suffix of unfinished ones.
_BEFORE, _UNFINISHED = ".before-", ".unfinished"


def check_database(connection: BaseDatabaseWrapper) -> None:
    """Check that every page of the embedded database can be read, and that there is room to write.

    Reads the whole file. CommandError `exits.DATABASE` or `exits.DISK`.
    """
    if connection.vendor != "sqlite":
        return
    file = Path(connection.settings_dict["NAME"])
    if _is_full(file.parent):
        raise _disk_refusal(file.parent, f"less than {LEAST_FREE >> 20} MB are left")
    if file.is_file() and not file.stat().st_size and copies_of(file):
        raise _damage_refusal(file, "it is empty")
    with explaining_damage(connection), connection.cursor() as cursor:
        cursor.execute("PRAGMA quick_check(1)")
        verdict = str(cursor.fetchone()[0])
    if verdict != "ok":
        raise _damage_refusal(file, verdict)


@contextmanager
def explaining_damage(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Turn failures of the embedded database or its disk within the block into one sentence for people.

    CommandError `exits.DATABASE` or `exits.DISK`; other errors are not changed.
    """
    try:
        yield
    except (DatabaseError, OSError) as error:
        if connection.vendor != "sqlite":
            raise
        file, message = Path(connection.settings_dict["NAME"]), str(error).lower()
        if any(part in message for part in _DAMAGED):
            raise _damage_refusal(file, str(error)) from error
        if isinstance(error, OSError) or any(part in message for part in _NOT_WRITTEN):
            raise _disk_refusal(file.parent, error) from error
        raise


def copies_of(file: Path) -> list[Path]:
    """Return the finished copies beside the database, newest first."""
    finished = [copy for copy in file.parent.glob(f"{file.name}{_BEFORE}*") if copy.suffix != _UNFINISHED]
    return sorted(finished, key=lambda copy: copy.stat().st_mtime, reverse=True)


def copy_before_migrating(connection: BaseDatabaseWrapper) -> Path | None:
    """Copy the database and return the copy; None if nothing will change, the database is new, or it is not SQLite.

    An earlier copy of the same state is not replaced: after an interrupted migration it is the one worth keeping.
    """
    if connection.vendor != "sqlite":
        return None
    executor = MigrationExecutor(connection)
    applied = executor.loader.applied_migrations
    if not applied or not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return None
    file = Path(connection.settings_dict["NAME"])
    copy = file.with_name(f"{file.name}{_BEFORE}{len(applied)}")
    if not copy.exists():
        _copy(file, copy)
    return copy


def _copy(file: Path, copy: Path) -> None:
    unfinished = copy.with_name(f"{copy.name}{_UNFINISHED}")
    unfinished.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(unfinished)) as target:
        source.backup(target)
    unfinished.chmod(0o600)
    unfinished.rename(copy)


def _disk_refusal(folder: Path, reason: object) -> CommandError:
    full = _is_full(folder)
    problem, remedy = ("is full", "free some space") if full else ("takes nothing", "let this account write")
    return CommandError(
        f"The disk of {folder} {problem} ({reason}): {remedy} there, or name another folder with --data;"
        " nothing is lost.",
        returncode=exits.DISK,
    )


def _is_full(folder: Path) -> bool:
    return shutil.disk_usage(folder).free < LEAST_FREE


def _damage_refusal(file: Path, reason: str) -> CommandError:
    copies = copies_of(file)
    location, replacement = (
        (f"copies lie in {', '.join(map(str, copies))}", "a copy or your own backup")
        if copies
        else (f"no copy of it lies in {file.parent}", "your own backup")
    )
    return CommandError(
        f"The database {file} is damaged ({' '.join(reason.split())[:120]}); {location}: put {replacement} in its"
        f" place and take {file.name}-wal and {file.name}-shm away, or name another folder with --data.",
        returncode=exits.DATABASE,
    )
