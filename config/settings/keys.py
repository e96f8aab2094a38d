"""The keys of an installation: from the environment, or, for the embedded platform, from a file beside its database.

What is sealed is sealed with the first key. All of them open it, so that a key changes in two steps: the next one is
readable everywhere before anybody seals with it, and the former one is until everything has been sealed anew.
"""

import contextlib
import os
import secrets
import sqlite3
from pathlib import Path
from typing import Any

from config import env
from wallet.keys.deriving import session

#: The key's file beside an embedded database.
FILE = "secret.key"


def readable() -> list[str]:
    """Return the keys that open what is sealed, besides the present one: the next, and former ones."""
    return [*next_keys(), *env.words("RUMMY_OLD_SECRET_KEYS")]


def next_keys() -> list[str]:
    """Return the key that every process must know before one of them seals with it."""
    return env.words("RUMMY_NEXT_SECRET_KEY")


def name_sessions(database: dict[str, Any], key: str) -> None:
    """PostgreSQL can tell with which key its sessions seal, unless the url names them otherwise."""
    if "postgresql" in database["ENGINE"]:
        database["OPTIONS"].setdefault("application_name", session(key))


def local_secret(data_dir: Path, database: dict[str, Any]) -> str:
    """Return the key of an embedded installation, made on first use, readable by its owner only.

    ValueError says in one sentence why there is none: the file is empty or unreadable, or gone while the database that
    was sealed with it is there. Beside PostgreSQL the start looks whether it is the right one.
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
    """Write the file, whole and on disk, also after a power cut; one that another has made stays."""
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
    """Link, which takes no other's place, as a rename does; where the disk knows no links, rename."""
    try:
        os.link(unfinished, file)
    except FileExistsError:
        return
    except OSError:
        if not file.exists():
            unfinished.rename(file)


def _is_sealed(database: Path | str) -> bool:
    """Return whether something in the embedded database was sealed; one that cannot be read is looked at later."""
    if not isinstance(database, Path) or not database.exists():
        return False
    with contextlib.suppress(sqlite3.Error), contextlib.closing(
        sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
    ) as opened:  # fmt: skip
        known = {name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        marks = known & {"keys_key", "tables_table"}
        return any(opened.execute(f"SELECT EXISTS (SELECT 1 FROM {mark})").fetchone()[0] for mark in marks)  # noqa: S608
    return False
