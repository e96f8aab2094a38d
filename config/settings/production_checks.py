"""The demands of production on its environment: each demand yields a sentence for each fault."""

import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar
from urllib.parse import urlsplit

from config import env
from config.process import exits
from config.settings import mail, operator, redis, variables
from config.settings.databases import database_settings

T = TypeVar("T")

#: The least length of a key that cannot be guessed, and the least number of different characters in it.
KEY_LENGTH, KEY_LETTERS = 50, 12
#: Parts of published keys: Django's own, those of examples and of tests.
PUBLISHED = ("django-insecure", "only-for-tests", "change-me", "changeme", "your-secret", "example", "secret-key")
#: A host as in requests; a dot in front allows all its subdomains.
_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = re.compile(rf"\.?{_LABEL}(\.{_LABEL})*|\[[0-9A-Fa-f:.]+\]")


def known() -> set[str]:
    """Return the names of all variables that production reads."""
    return {variable.name for variable in variables.DECLARED if not variable.for_trials}


def check_demands() -> None:
    """Return if nothing is wrong; otherwise print every fault at once, and end the process with 1."""
    faults = [fault for demand in DEMANDS for fault in demand()]
    if faults:
        print(in_words(faults), file=sys.stderr)  # noqa: T201
        raise SystemExit(1)


def check_readable() -> None:
    """Check, for the embedded default, that every variable can be read; otherwise end the process with 2."""
    readings: list[Callable[[], Any]] = [
        lambda: database_settings(variables.DATABASE_URL(), Path()),
        lambda: variables.REDIS_URL() and redis.checked_url(variables.REDIS_URL()),
        _redis_prefix,
        *variables.DECLARED,
        mail.read_mail,
        *(partial(_host, host) for host in variables.ALLOWED_HOSTS() if host != "*"),
        *(partial(_origin, origin, "http", "https") for origin in variables.TRUSTED_ORIGINS()),
    ]
    for reading in readings:
        read_or_exit(reading)


def read_or_exit(read: Callable[[], T]) -> T:
    """Return the value that `read` returns.

    If it raises ValueError, print one sentence and end the process: see config/process/exits.py.
    """
    try:
        return read()
    except ValueError as error:
        _exit(f"{error}.", exits.SETTING)
    except OSError as error:
        _exit(
            f"{error}: free some space for the data, let this account write there, or name another folder.", exits.DISK
        )


def _exit(sentence: str, status: int) -> NoReturn:
    print(sentence, file=sys.stderr)  # noqa: T201
    raise SystemExit(status) from None


def in_words(faults: list[str]) -> str:
    """Return one message with all faults."""
    return "Production does not start. What is wrong:" + "".join(f"\n  - {fault}" for fault in faults)


def _keys() -> Iterator[str]:
    key = variables.SECRET_KEY()
    if not key:
        yield "RUMMY_SECRET_KEY is not set."
    named_keys = [("RUMMY_SECRET_KEY", key)]
    named_keys += [("RUMMY_NEXT_SECRET_KEY", secret) for secret in variables.NEXT_SECRET_KEY()]
    named_keys += [("RUMMY_OLD_SECRET_KEYS", secret) for secret in variables.OLD_SECRET_KEYS()]
    for name, secret in named_keys:
        if any(part in secret.lower() for part in PUBLISHED):
            yield f"{name} is a published example: make one of your own."
        elif secret and (len(secret) < KEY_LENGTH or len(set(secret)) < KEY_LETTERS):
            yield f"{name} is too weak: {KEY_LENGTH} random characters at least."
    token = variables.METRICS_TOKEN()
    if token and len(token) < 24:
        yield "RUMMY_METRICS_TOKEN is too short: 24 random characters at least."


def _hosts() -> Iterator[str]:
    hosts = variables.ALLOWED_HOSTS()
    if not hosts:
        yield "RUMMY_ALLOWED_HOSTS is not set: the names under which the site is reached, with commas."
    if "*" in hosts:
        yield "RUMMY_ALLOWED_HOSTS has *, which allows every name: give the site's own."
    for host in hosts:
        if host != "*":
            yield from _fault_of(partial(_host, host))
    for origin in variables.TRUSTED_ORIGINS():
        yield from _fault_of(partial(_origin, origin, "https"))


def _fault_of(read: Callable[[], object]) -> Iterator[str]:
    """Yield the ValueError of `read` as a sentence, if it raises one."""
    try:
        read()
    except ValueError as error:
        yield f"{error}."


def _host(host: str) -> None:
    # A name of the first level, such as .com, would be that of everybody below it.
    if len(host) > 255 or not _HOST.fullmatch(host) or (host.startswith(".") and "." not in host[1:]):
        raise ValueError(
            f"RUMMY_ALLOWED_HOSTS has {host[:80]!r}: a host reads name.example, without https://, port and path"
        )


def _origin(origin: str, *schemes: str) -> None:
    refusal = ValueError(f"RUMMY_TRUSTED_ORIGINS has {origin[:80]!r}: an origin reads https://name")
    try:
        parts = urlsplit(origin)
        has_more = any((parts.path, parts.query, parts.fragment, parts.username))
        is_host = parts.port != 0 and _HOST.fullmatch(parts.hostname or "")
    except ValueError as error:
        raise refusal from error
    if parts.scheme not in schemes or has_more or not is_host:
        raise refusal


def _services() -> Iterator[str]:
    if not variables.DATABASE_URL().startswith(("postgres:", "postgresql:")):
        yield (
            "RUMMY_DATABASE_URL names no PostgreSQL (postgres://user:password@host:port/name): "
            "SQLite serves one process, production has several."
        )
    if not variables.REDIS_URL().startswith(("redis:", "rediss:")):
        yield (
            "RUMMY_REDIS_URL names no Redis (redis://host:port/number): "
            "the layer in memory serves one process, production has several."
        )


def _addresses() -> Iterator[str]:
    """Yield a fault for each address with a part that is not understood; no part is ignored."""
    for check in _ADDRESSES:
        yield from _fault_of(check)


def _database_url() -> None:
    if variables.DATABASE_URL().startswith(("postgres:", "postgresql:")):
        database_settings(variables.DATABASE_URL(), Path())


def _redis_url() -> None:
    if variables.REDIS_URL().startswith(("redis:", "rediss:")):
        redis.check_protected(redis.checked_url(variables.REDIS_URL()))


def _redis_prefix() -> None:
    if variables.REDIS_PREFIX():
        redis.prefix(variables.REDIS_PREFIX(), {})


_ADDRESSES = (_database_url, _redis_url, _redis_prefix)


def _kinds() -> Iterator[str]:
    readings: list[Callable[[], object]] = [*variables.DECLARED, mail.read_mail]
    # What is wrong by itself is so among the settings of e-mail, too.
    yield from dict.fromkeys(fault for reading in readings for fault in _fault_of(reading))


def _not_for_production() -> Iterator[str]:
    """Yield a fault for each unknown variable: switches of tests, and misspelt names, which would have no effect."""
    for name in sorted(env.variables("RUMMY_") - known()):
        if name == "RUMMY_DEBUG":
            if env.text(name).strip().lower() not in {"0", "false", "no", "off"}:
                yield "RUMMY_DEBUG is on: pages of errors would show the inside."
        elif "SEED" in name:
            yield f"{name} is set: a shuffle with a seed of the tests can be foreseen."
        else:
            yield f"{name} is set, and production knows no such variable."


DEMANDS = (_keys, _hosts, _services, _addresses, _kinds, operator.demand, _not_for_production)
