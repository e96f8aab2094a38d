"""Settings of Redis, in which processes share pushes, counts and tasks under the prefix of their installation."""

import hashlib
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

#: Names of one and the same machine.
LOOPBACK = {"", "localhost", "127.0.0.1", "::1"}
#: Seconds after which the broker hands a task that a worker has not finished to another one, be its moment still ahead.
VISIBILITY_TIMEOUT = 120
_PREFIX = re.compile(r"[A-Za-z0-9._-]{1,40}")


def channel_layers(url: str, prefix: str, keys: list[str]) -> dict[str, Any]:
    """Return the settings of the channel layer; the first of the keys encrypts pushes, and every key reads them."""
    config = {"hosts": [url], "prefix": f"{prefix}.layer.", "symmetric_encryption_keys": keys}
    return {"default": {"BACKEND": "config.layers.PushLayer", "CONFIG": config}}


def caches(url: str, prefix: str) -> dict[str, Any]:
    """Return the settings of the caches, which count attempts."""
    return {"default": {"BACKEND": "config.caches.RedisCounts", "LOCATION": url, "KEY_PREFIX": prefix}}


def broker_options(prefix: str) -> dict[str, Any]:
    """Return the settings of the broker; another worker gets the tasks of a dead one within two minutes."""
    return {
        "visibility_timeout": VISIBILITY_TIMEOUT,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "global_keyprefix": f"{prefix}:tasks:",
    }


def prefix(configured: str, database: dict[str, Any]) -> str:
    """Return the chosen prefix, or one derived from the database's host, port and name, which differs for a copy.

    ValueError if the chosen one is not allowed.
    """
    if not configured:
        # An SQLite database is a file on this machine: it has neither host nor port.
        host = database.get("HOST", "").lower()
        place = f"{'localhost' if host in LOOPBACK else host}:{database.get('PORT') or 5432}/{database['NAME']}"
        return f"rummy-{hashlib.sha256(place.encode()).hexdigest()[:10]}"
    if not _PREFIX.fullmatch(configured):
        raise ValueError("RUMMY_REDIS_PREFIX must be 1 to 40 letters, digits, dots, dashes or underscores")
    return configured


def checked_url(url: str) -> str:
    """Return the url of a Redis unchanged. ValueError says what is wrong with it."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(f"RUMMY_REDIS_URL is no address: {error}") from error
    if parts.scheme not in {"redis", "rediss"}:
        raise ValueError("RUMMY_REDIS_URL names no Redis (redis://host:port/number)")
    if not host or not re.fullmatch(r"(/\d{0,5})?", parts.path):
        raise ValueError("RUMMY_REDIS_URL must read redis://user:password@host:port/number")
    options = {"ssl_cert_reqs", "ssl_ca_certs"} if parts.scheme == "rediss" else set()
    unknown = parse_qs(parts.query, keep_blank_values=True).keys() - options
    if unknown or parts.fragment:
        raise ValueError(f"RUMMY_REDIS_URL has what is not known there: {', '.join(sorted(unknown)) or '#'}")
    return url


def is_loopback(url: str) -> bool:
    """Return whether the Redis is on this machine, so that nobody outside it reads along or reaches its port."""
    return (urlsplit(url).hostname or "") in LOOPBACK


def has_password(url: str) -> bool:
    """Return whether the url has a password, of the default user or of one with an ACL."""
    return bool(urlsplit(url).password)


def check_protected(url: str) -> None:
    """Check that a Redis on another machine asks for a password and is reached by TLS. ValueError in one sentence.

    Whoever has Redis can hold up play, and set back counters of attempts. On this machine a process may go without,
    with a warning (`config.process.preflight`): its port is reached by nobody else, and trials begin like that.
    """
    parts = urlsplit(url)
    if parse_qs(parts.query).get("ssl_cert_reqs", ["required"]) != ["required"]:
        raise ValueError("RUMMY_REDIS_URL must not switch off the check of the certificate: ssl_cert_reqs=required")
    if not is_loopback(url) and (parts.scheme != "rediss" or not has_password(url)):
        raise ValueError(
            "RUMMY_REDIS_URL leads to another machine: it must read rediss://user:password@host:port/number, with TLS"
            " and a password, since whoever has Redis can hold up play"
        )


def verifying(url: str) -> str:
    """Return the url of a Redis so that every client checks its certificate: the one of tasks would not by itself."""
    if urlsplit(url).scheme != "rediss" or "ssl_cert_reqs=" in url:
        return url
    return f"{url}{'&' if '?' in url else '?'}ssl_cert_reqs=required"
