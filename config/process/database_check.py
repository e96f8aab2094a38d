"""Checks of the embedded database when the platform starts; each fault is a sentence that says what to do."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError
from django.db import DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper

from config.process import backup, exits

#: Parts of SQLite's messages about a damaged or foreign file, and about a disk that cannot be written.
_DAMAGED = ("malformed", "not a database", "unsupported file format", "file is encrypted")
#: The least free bytes: with fewer, play could begin but would stop within its first deals.
LEAST_FREE = 16 * 1024 * 1024
_NOT_WRITTEN = ("disk is full", "disk i/o error", "readonly database", "unable to open database file")


def check_database(connection: BaseDatabaseWrapper) -> None:
    """Check that every page of the embedded database can be read, and that there is room to write.

    Reads the whole file. CommandError `exits.DATABASE` or `exits.DISK`.
    """
    if connection.vendor != "sqlite":
        return
    file = Path(connection.settings_dict["NAME"])
    if _is_full(file.parent):
        raise _disk_refusal(file.parent, f"less than {LEAST_FREE >> 20} MB are left")
    if file.is_file() and not file.stat().st_size and backup.copies(file):
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
    copies = backup.copies(file)
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
