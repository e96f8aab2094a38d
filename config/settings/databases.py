"""Database settings for SQLite and PostgreSQL."""

from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

#: Seconds between two tries of a process to reach a database that is away.
RECONNECT_EVERY = 0.3
#: What may stand behind the `?` of a database's url, as PostgreSQL's own clients know it, and the values it may have.
OPTIONS: dict[str, tuple[str, ...]] = {
    "sslmode": ("disable", "allow", "prefer", "require", "verify-ca", "verify-full"),
    "sslrootcert": (), "sslcert": (), "sslkey": (), "sslpassword": (), "sslcrl": (),
    "ssl_min_protocol_version": ("TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"),
    "channel_binding": ("disable", "prefer", "require"),
    "gssencmode": ("disable", "prefer", "require"),
    "target_session_attrs": ("any", "read-write", "primary"),
    "application_name": (), "connect_timeout": (), "tcp_user_timeout": (),
    "keepalives": (), "keepalives_idle": (), "keepalives_interval": (), "keepalives_count": (),
}  # fmt: skip
#: Those of them that are whole numbers.
_NUMBERS = {name for name in OPTIONS if name.startswith("keepalives") or name.endswith("_timeout")}
_FORM = "RUMMY_DATABASE_URL must read postgres://user:password@host:port/name"
#: What PostgreSQL holds every transaction to, in ms. Who stops in the middle of one is ended, and what they held is
#: free again, before those who wait for it give up; a statement takes no longer than a page may.
IDLE_IN_TRANSACTION, LOCK_WAIT, STATEMENT = 3_000, 4_000, 30_000
#: By when a line is dead, at this end and at the server's: unheard of for so long, asked so often so many times, in
#: seconds; and unconfirmed for so long, in ms.
QUIET, ASK_EVERY, ASK_TIMES, UNCONFIRMED = 5, 2, 3, 10_000
#: Connections that a process has at most.
CONNECTIONS = 16
LIMITS = {
    "idle_in_transaction_session_timeout": IDLE_IN_TRANSACTION,
    "lock_timeout": LOCK_WAIT,
    "statement_timeout": STATEMENT,
    "tcp_keepalives_idle": QUIET,
    "tcp_keepalives_interval": ASK_EVERY,
    "tcp_keepalives_count": ASK_TIMES,
    "tcp_user_timeout": UNCONFIRMED,
}


def database_settings(url: str, data_dir: Path) -> dict[str, Any]:
    """Return Django's settings for `postgres://user:password@host:port/name?option=…`.

    Without url, for SQLite in `data_dir`.

    ValueError says in one sentence what in the url cannot be followed: nothing in it is passed over.
    """
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
    parts, port = _split(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path[1:]),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(port or ""),
        "CONN_MAX_AGE": 0,
        # The pool hands out no connection that a restart of the server has broken.
        "CONN_HEALTH_CHECKS": True,
        # Who waits for a connection has one as soon as the pool has: it must not give up trying before they do.
        "OPTIONS": {
            "connect_timeout": 3,
            "keepalives_idle": QUIET,
            "keepalives_interval": ASK_EVERY,
            "keepalives_count": ASK_TIMES,
            "tcp_user_timeout": UNCONFIRMED,
            "options": " ".join(f"-c {name}={value}" for name, value in LIMITS.items()),
            # What is the same text every time is planned by the server once, where a cursor of its own asks for it.
            "prepare_threshold": 5,
            "pool": {"min_size": 2, "max_size": CONNECTIONS, "timeout": 4, "reconnect_timeout": _steadily(60)},
            **_options(parts.query),
        },
    }


def _split(url: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"{_FORM}: {error}") from error
    name = parts.path[1:]
    if parts.scheme not in {"postgres", "postgresql"} or not name or "/" in name or parts.fragment:
        raise ValueError(f"{_FORM}, with # ? / and @ in a password written as %23 %3F %2F and %40")
    return parts, port


def _options(query: str) -> dict[str, str]:
    """Read what stands behind the `?`, each option known and once."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError as error:
        raise ValueError(f"{_FORM}?option=value&option=value") from error
    found: dict[str, str] = {}
    for name, value in pairs:
        if name not in OPTIONS:
            raise ValueError(f"RUMMY_DATABASE_URL has {name[:40]!r}, which is no option here: {', '.join(OPTIONS)}")
        allowed = OPTIONS[name]
        if name in found or (allowed and value not in allowed):
            raise ValueError(f"RUMMY_DATABASE_URL must say {name} once, as one of {', '.join(allowed) or 'its values'}")
        if name in _NUMBERS and not (value.isascii() and value.isdigit() and len(value) < 8):
            raise ValueError(f"RUMMY_DATABASE_URL must say {name} as a whole number")
        found[name] = value
    return found


def _steadily(seconds: float) -> float:
    """Let the pool try for so long to connect again, every RECONNECT_EVERY.

    By itself it waits twice as long after each failure, so that players would wait for a pause to end after the server
    has long been back; and each connection that a restart has broken would cost whoever is handed it such a pause.
    """
    from psycopg_pool.base import AttemptWithBackoff

    AttemptWithBackoff.INITIAL_DELAY, AttemptWithBackoff.DELAY_BACKOFF = RECONNECT_EVERY, 1.0
    return seconds
