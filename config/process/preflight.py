"""Checks before a process starts beside others: services, schema, leftovers of a trial."""

import logging
from collections.abc import Iterator
from typing import Any

import psycopg
from django.conf import settings
from django.contrib.auth.hashers import check_password
from django.db import DatabaseError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from psycopg_pool import PoolTimeout
from redis import Redis, RedisError

from config.process.demo import ACCOUNTS
from config.settings import operator
from config.settings.redis import has_password
from lobby.models import Player
from wallet.keys import key_registry
from wallet.ledger import database_role

log = logging.getLogger(__name__)

#: The only policy under which Redis never drops tasks or messages when memory is short.
POLICY = "noeviction"
#: A migration that every database from before version 1.0.0 has, and none since: it has another name there.
_BEFORE_1_0 = ("wallet", "0001_initial")


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


def schema_faults() -> list[str]:
    """Return a sentence that says what to do if the schema of the database is not exactly that of this code."""
    try:
        loader = MigrationLoader(connection)
    except DatabaseError as error:
        return [f"The database does not answer: {reason_of(error).rstrip('.')}."]
    return [*_newer_faults(loader), *_older_faults(loader)]


def reason_of(error: DatabaseError) -> str:
    """Return why the database cannot be reached: the pool says only for how long it tried, so it is tried once more."""
    if isinstance(error.__cause__, PoolTimeout):
        try:
            psycopg.connect(**connection.get_connection_params()).close()
        except psycopg.Error as refusal:
            return str(refusal).strip()
    return str(error).strip()


def newer_schema(database: BaseDatabaseWrapper) -> list[str]:
    """Return a sentence if the database was made by newer code; an older one is no fault here."""
    return list(_newer_faults(MigrationLoader(database)))


def _newer_faults(loader: MigrationLoader) -> Iterator[str]:
    if _BEFORE_1_0 in loader.applied_migrations:
        yield "The database is of a version before 1.0.0, whose data is not carried over: move it away, or start that."
        return
    apps = {app for app, _ in loader.disk_migrations}
    unknown = sorted(
        f"{app}.{name}" for app, name in loader.applied_migrations
        if app in apps and (app, name) not in loader.disk_migrations and not _replaced(loader, app, name)
    )  # fmt: skip
    if unknown:
        yield f"The database was made by newer code ({', '.join(unknown)}): start that code, or restore a backup."


def _replaced(loader: MigrationLoader, app: str, name: str) -> bool:
    return any((app, name) in migration.replaces for migration in loader.disk_migrations.values())


def _older_faults(loader: MigrationLoader) -> Iterator[str]:
    missing = [key for key in loader.graph.leaf_nodes() if key not in loader.applied_migrations]
    if missing:
        yield "The database is older than this code: run `manage.py migrate` first."


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
