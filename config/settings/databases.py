"""Database settings for SQLite and PostgreSQL."""

from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

#: Seconds between two attempts of a process to reach a database that is away.
RECONNECT_EVERY = 0.3
#: The options after the `?` of a database's url, named as in PostgreSQL's own clients, and their allowed values.
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
#: The options whose values are whole numbers.
_NUMBERS = {name for name in OPTIONS if name.startswith("keepalives") or name.endswith("_timeout")}
_FORM = "RUMMY_DATABASE_URL must read postgres://user:password@host:port/name"
#: Limits of PostgreSQL on every transaction, in ms. The session of a process that stops in the middle of one is ended,
#: and its locks are free again, before others who wait for them give up; a statement takes no longer than a page may.
IDLE_IN_TRANSACTION, LOCK_WAIT, STATEMENT = 3_000, 4_000, 30_000
#: When a connection counts as dead, here and at the server: the seconds of silence before it is probed, the seconds
#: between probes, and their number; and the ms that sent data may stay unacknowledged.
QUIET, PROBE_EVERY, PROBES, UNCONFIRMED = 5, 2, 3, 10_000
#: Connections that a process has at most, how many only the executors of play get, and how long others wait, in s.
CONNECTIONS, KEPT_FOR_PLAY, POOL_WAIT = 16, 6, 4
LIMITS = {
    "idle_in_transaction_session_timeout": IDLE_IN_TRANSACTION,
    "lock_timeout": LOCK_WAIT,
    "statement_timeout": STATEMENT,
    "tcp_keepalives_idle": QUIET,
    "tcp_keepalives_interval": PROBE_EVERY,
    "tcp_keepalives_count": PROBES,
    "tcp_user_timeout": UNCONFIRMED,
}


def database_settings(url: str, data_dir: Path) -> dict[str, Any]:
    """Return Django's settings for the database at `postgres://user:password@host:port/name?option=…`.

    Without a url it is SQLite's, in a file in `data_dir`. ValueError names in one sentence the part of the url that is
    not understood; no part is ignored.
    """
    return _postgresql(url) if url else sqlite(data_dir / "rummy.sqlite3")


def sqlite(file: Path) -> dict[str, Any]:
    """Return the settings for SQLite, where writers queue instead of failing and a commit survives a power cut."""
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
        "ENGINE": "config.postgresql",
        "NAME": unquote(parts.path[1:]),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(port or ""),
        "CONN_MAX_AGE": 0,
        # So the pool hands out no connection that a restart of the server has broken.
        "CONN_HEALTH_CHECKS": True,
        # The pool must go on reconnecting for longer than its callers wait for a connection.
        "OPTIONS": {
            "connect_timeout": 3,
            "keepalives_idle": QUIET,
            "keepalives_interval": PROBE_EVERY,
            "keepalives_count": PROBES,
            "tcp_user_timeout": UNCONFIRMED,
            "options": " ".join(f"-c {name}={value}" for name, value in LIMITS.items()),
            # The server plans repeated statements only once, where the cursor allows prepared statements.
            "prepare_threshold": 5,
            "pool": {
                "min_size": 2,
                "max_size": CONNECTIONS,
                "timeout": POOL_WAIT,
                "reconnect_timeout": _retry_steadily(60),
            },
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
    """Return the options after the `?`. ValueError for an unknown or repeated one."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError as error:
        raise ValueError(f"{_FORM}?option=value&option=value") from error
    options: dict[str, str] = {}
    for name, value in pairs:
        if name not in OPTIONS:
            raise ValueError(f"RUMMY_DATABASE_URL has {name[:40]!r}, which is no option here: {', '.join(OPTIONS)}")
        allowed = OPTIONS[name]
        if name in options or (allowed and value not in allowed):
            raise ValueError(f"RUMMY_DATABASE_URL must say {name} once, as one of {', '.join(allowed) or 'its values'}")
        if name in _NUMBERS and not (value.isascii() and value.isdigit() and len(value) < 8):
            raise ValueError(f"RUMMY_DATABASE_URL must say {name} as a whole number")
        options[name] = value
    return options


def _retry_steadily(seconds: float) -> float:
    """Let every pool try again each RECONNECT_EVERY seconds; return `seconds`, for which it tries.

    By default its pause doubles after each failure, and players would wait long after the server is back.
    """
    from psycopg_pool.base import AttemptWithBackoff

    AttemptWithBackoff.INITIAL_DELAY, AttemptWithBackoff.DELAY_BACKOFF = RECONNECT_EVERY, 1.0
    return seconds
