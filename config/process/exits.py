"""How a process ends that cannot go on although no code is wrong: by its exit status, and a sentence of what to do.

Standard library alone until the database is what is wrong: manage.py begins with it, and settings use it while they are
read. Status 3 means that .venv could not be set up.
"""

import errno
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: An option or an environment variable is wrong.
SETTING = 2
#: The port is in use, or may not be used.
PORT = 4
#: The database is damaged.
DATABASE = 5
#: The disk is full or cannot be written.
DISK = 6
#: What a shell says of a command that Ctrl-C ended, and of one whose reader had enough.
INTERRUPTED, NOT_READ = 130, 141
#: SQLSTATEs of PostgreSQL: the role may not do that; nothing may be written there.
_NOT_ALLOWED = {"42501", "25006"}


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """Run a command; end it with the status that says why where it is interrupted, or not read, or has no database.

    Every other fault keeps its traceback, whatever becomes of the output; with `--traceback` those of the database do.
    """
    if sys.stdout is None:
        # Closed by the caller, who wants the status alone. Its number would be that of the next file opened.
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115
    try:
        try:
            yield
        except (SystemExit, KeyboardInterrupt):
            sys.stdout.flush()
            raise
        sys.stdout.flush()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:
        if not _reader_is_gone():
            raise
        _write_no_more()
        raise SystemExit(NOT_READ) from None
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        _write_no_more()
        _end(f"{error.strerror}: free some space.", DISK)
    except Exception as error:
        sentence = "" if "--traceback" in sys.argv else _about_the_database(error)
        if not sentence:
            raise
        _end(sentence, SETTING)


def _reader_is_gone() -> bool:
    """Return whether the output is the pipe that broke: not one to Redis, to a server or to another program."""
    output = select.poll()
    output.register(sys.stdout, 0)
    return bool(output.poll(0))


def _write_no_more() -> None:
    # What has not been written yet would be written at the end, and fail again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end(sentence: str, status: int) -> None:
    print(f"CommandError: {sentence}", file=sys.stderr)  # noqa: T201
    raise SystemExit(status) from None


def _about_the_database(error: Exception) -> str:
    """Return why the database did not let a command end; empty where the fault is another one."""
    if "django.db" not in sys.modules:
        return ""
    import sqlite3

    from django.db import DatabaseError, OperationalError

    from wallet.base.commands import first_line
    from wallet.base.schema import schema_faults

    if not isinstance(error, DatabaseError):
        return ""
    if faults := schema_faults():
        return " ".join(map(first_line, faults))
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error) and getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR:
        # Wrong SQL, which PostgreSQL tells apart.
        return ""
    if isinstance(error, OperationalError) or getattr(cause, "sqlstate", "") in _NOT_ALLOWED:
        return f"The database does not let it: {first_line(error).rstrip('.')}."
    return ""
