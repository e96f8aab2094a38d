"""Database settings for SQLite and PostgreSQL, and the local key file."""

import secrets
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

#: Seconds between two tries of a process to reach a database that is away.
RECONNECT_EVERY = 0.3


def database(url: str, data_dir: Path) -> dict[str, Any]:
    """Django's settings for `postgres://user:password@host:port/name`; without url, for SQLite in `data_dir`."""
    return _postgresql(url) if url else sqlite(data_dir / "rummy.sqlite3")


def sqlite(file: Path) -> dict[str, Any]:
    """SQLite as this platform needs it: writers queue instead of failing, and a commit survives a power cut."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": file,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=20000;",
        },
    }


def _postgresql(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/"):
        raise ValueError("RUMMY_DATABASE_URL must read postgres://user:password@host:port/name")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 0,
        # The pool hands out no connection that a restart of the server has broken.
        "CONN_HEALTH_CHECKS": True,
        # Who waits for a connection has one as soon as the pool has: it must not give up trying before he does.
        "OPTIONS": {
            "connect_timeout": 3,
            "pool": {"min_size": 2, "max_size": 8, "timeout": 4, "reconnect_timeout": _steadily(60)},
        },
    }


def _steadily(seconds: float) -> float:
    """For so long the pool tries to connect again, every RECONNECT_EVERY.

    By itself it waits twice as long after each failure, so that players would wait for a pause to end after the server
    has long been back; and each connection that a restart has broken would cost whoever is handed it such a pause.
    """
    from psycopg_pool.base import AttemptWithBackoff

    AttemptWithBackoff.INITIAL_DELAY, AttemptWithBackoff.DELAY_BACKOFF = RECONNECT_EVERY, 1.0
    return seconds


def local_secret(data_dir: Path) -> str:
    """The secret of this installation, made on first use and kept beside the database, readable by its owner only."""
    file = data_dir / "secret.key"
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(64))
    return file.read_text().strip()
