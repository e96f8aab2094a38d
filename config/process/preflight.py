"""Checks before a process starts beside others: services, schema, leftovers of a trial."""

import logging
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import check_password
from django.db import connection
from redis import Redis, RedisError

from config.process.demo import ACCOUNTS
from config.settings import operator
from config.settings.redis import has_password
from lobby.models import Player
from wallet.base.schema import schema_faults
from wallet.keys import key_registry
from wallet.ledger import database_role

log = logging.getLogger(__name__)

#: The only policy under which Redis never drops tasks or messages when memory is short.
POLICY = "noeviction"


def preflight_faults() -> list[str]:
    """Return a sentence for each reason why this process must not start beside others; empty if it may."""
    single_process = list(_single_process_faults())
    if single_process:
        return single_process
    faults = [*redis_faults(settings.CELERY_BROKER_URL), *schema_faults()]
    if not faults:
        faults += key_registry.key_faults()
    if settings.PRODUCTION and not faults:
        faults += leftovers()
    if not faults:
        warn_of_power()
        warn_of_redis()
        warn_of_operator()
    return faults


def warn_of_redis() -> None:
    """Log a warning if Redis asks nobody for a password; on another machine the start is refused."""
    if not has_password(settings.REDIS_URL):
        log.warning(
            "Redis asks for no password: every program of this machine can hold up play, and set back the counters of"
            " attempts. Give it one (requirepass), and name it in RUMMY_REDIS_URL"
        )


def warn_of_operator() -> None:
    """Log a warning that names what the pages cannot tell; a site that others reach does not start without it."""
    if faults := operator.unnamed():
        log.warning("nobody can be told who runs this place: %s", " ".join(faults))


def warn_of_power() -> None:
    """Log a warning if the database role could rewrite the books; the process still starts."""
    reason = database_role.why_unbound(connection) if connection.vendor == "postgresql" else ""
    if reason:
        log.warning(
            "this process serves as %s and could rewrite the books: serve as the role that database_role makes", reason
        )


def in_words(faults: list[str]) -> str:
    """Return one message with all faults."""
    return "This process does not start. What is wrong:" + "".join(f"\n  - {fault}" for fault in faults)


def _single_process_faults() -> Iterator[str]:
    """Yield a sentence for each setting that serves only a single process."""
    if connection.vendor == "sqlite":
        yield "SQLite serves one process only: start `manage.py play`, or set RUMMY_DATABASE_URL."
    if "hosts" not in settings.CHANNEL_LAYERS["default"].get("CONFIG", {}):
        yield "The layer in memory serves one process only: start `manage.py play`, or set RUMMY_REDIS_URL."


def redis_faults(url: str) -> list[str]:
    """Return a sentence if Redis does not answer, or may drop data."""
    try:
        with Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5) as redis:
            memory: Any = redis.info("memory")
    except RedisError as error:
        return [f"Redis does not answer: {str(error).rstrip('.')}."]
    policy = memory.get("maxmemory_policy", POLICY)
    if policy == POLICY:
        return []
    return [f"Redis may drop tasks and messages (maxmemory-policy is {policy}): set it to {POLICY}."]


def leftovers() -> list[str]:
    """Return a sentence for each leftover of a trial that must not exist in production."""
    return [
        f"The demo account {name!r} is open with its published password: lock it or give it another."
        for name, password, _ in ACCOUNTS
        if _has_password(name, password)
    ]


def _has_password(name: str, password: str) -> bool:
    stored = Player.objects.filter(username__iexact=name, is_active=True).values_list("password", flat=True).first()
    return stored is not None and check_password(password, stored)
