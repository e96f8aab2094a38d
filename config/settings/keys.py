"""The keys of an installation: from the environment, or, for the embedded platform, from a file beside its database.

The first key seals, and all of them open. So a key is changed in two steps: every process knows the next key before
one of them seals with it, and knows the former one until everything has been sealed again.
"""

import contextlib
import os
import secrets
import sqlite3
from pathlib import Path
from typing import Any

from config.settings import variables
from wallet.keys.deriving import session

#: The key's file beside an embedded database.
FILE = "secret.key"


def readable() -> list[str]:
    """Return the keys that open besides the current one: the next one, and former ones."""
    return [*variables.NEXT_SECRET_KEY(), *variables.OLD_SECRET_KEYS()]


def name_sessions(database: dict[str, Any], key: str) -> None:
    """Name the sessions of PostgreSQL after the key that they seal with, unless the url names them otherwise."""
    if "postgresql" in database["ENGINE"]:
        database["OPTIONS"].setdefault("application_name", session(key))


def local_secret(data_dir: Path, database: dict[str, Any]) -> str:
    """Return the key of an embedded installation, made on first use, readable by its owner only.

    ValueError says in one sentence why there is none: the file is empty or unreadable, or missing although there is a
    database sealed with it. With PostgreSQL the start checks whether it is the right key.
    """
    file = data_dir / FILE
    with contextlib.suppress(FileNotFoundError):
        return _read(file)
    if _is_sealed(database["NAME"]):
        raise ValueError(
            f"{file} is gone, and without it nobody opens what lies in {database['NAME']}: put the file back from"
            " your copy of it. To begin anew without what was, move the database away"
        )
    _write(file)
    return _read(file)


def _read(file: Path) -> str:
    try:
        key = file.read_text(encoding="ascii").strip()
    except (UnicodeDecodeError, IsADirectoryError, PermissionError) as error:
        raise ValueError(
            f"{file} cannot be read as a key ({type(error).__name__}): put it back from your copy"
        ) from error
    if not key:
        raise ValueError(f"{file} is empty: put it back from your copy of it")
    return key


def _write(file: Path) -> None:
    """Write the file so that even a power cut leaves it complete or missing; keep one that another process has made."""
    unfinished = file.with_name(f"{file.name}.{os.getpid()}.new")
    unfinished.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
            new.write(secrets.token_urlsafe(64))
            new.flush()
            os.fsync(new.fileno())
        _rename(unfinished, file)
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    finally:
        unfinished.unlink(missing_ok=True)


def _rename(unfinished: Path, file: Path) -> None:
    """Give the file its name by a link, which replaces no other file; by a rename if the disk has no links."""
    try:
        os.link(unfinished, file)
    except FileExistsError:
        return
    except OSError:
        if not file.exists():
            unfinished.rename(file)


def _is_sealed(database: Path | str) -> bool:
    """Return whether the embedded database has sealed content; an unreadable one is checked later."""
    if not isinstance(database, Path) or not database.exists():
        return False
    with contextlib.suppress(sqlite3.Error), contextlib.closing(
        sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
    ) as opened:  # fmt: skip
        tables = {name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        marks = tables & {"keys_key", "tables_table"}
        return any(opened.execute(f"SELECT EXISTS (SELECT 1 FROM {mark})").fetchone()[0] for mark in marks)  # noqa: S608
    return False
