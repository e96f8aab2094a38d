"""Copies of the embedded database, made before a migration changes its tables."""

import sqlite3
from contextlib import closing
from pathlib import Path

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

#: The part of a copy's name between that of the database and the number of migrations; the suffix of unfinished ones.
_BEFORE, _UNFINISHED = ".before-", ".unfinished"


def copies(file: Path) -> list[Path]:
    """Return the finished copies beside the database, newest first."""
    finished = [copy for copy in file.parent.glob(f"{file.name}{_BEFORE}*") if copy.suffix != _UNFINISHED]
    return sorted(finished, key=lambda copy: copy.stat().st_mtime, reverse=True)


def before_migrating(connection: BaseDatabaseWrapper) -> Path | None:
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
