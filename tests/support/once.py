"""Folders shared by all processes of a run, and filled by one of them."""

import atexit
import fcntl
import functools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: Names the folder that the processes of a run share; a door sets it for its checks.
VARIABLE = "PYTEST_SHARED_FOLDER"
#: The name of the migrated SQLite database in the folder `database`.
MIGRATED = "migrated.sqlite3"


@contextmanager
def shared(name: str) -> Iterator[Path]:
    """Enter the folder of that name, one process at a time; the process that finds it empty fills it.

    Without VARIABLE, outside of the doors, each process has a folder of its own.
    """
    folder = _folder() / name
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def _folder() -> Path:
    path = os.environ.get(VARIABLE)
    return Path(path) if path else _own()


@functools.cache
def _own() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="shared-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
