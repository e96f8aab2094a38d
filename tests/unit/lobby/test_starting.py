"""What keeps a process from starting among others, and what keeps a database from software that is too old for it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from redis import Redis

from config.process import demo, embedded_database, preflight
from lobby.accounts import services as accounts
from tests.support.platform import free_port
from tests.support.redis_server import redis_server
from wallet.base import schema

pytestmark = pytest.mark.django_db
REDIS = "redis://127.0.0.1:6379/0"


def test_settings_of_a_single_process_are_refused(settings: Any) -> None:
    faults = preflight.preflight_faults()
    assert any("layer in memory serves one process only" in fault for fault in faults)
    assert any("SQLite" in fault for fault in faults) == (connection.vendor == "sqlite")
    with pytest.raises(CommandError, match="does not start"):
        call_command("serve")


def test_an_unreachable_redis_is_reported() -> None:
    assert "Redis does not answer" in preflight.redis_faults(f"redis://127.0.0.1:{free_port()}/0")[0]


@pytest.mark.parametrize(("url", "told"), [(REDIS, 1), ("redis://:word@127.0.0.1:6379/0", 0)])
def test_a_redis_that_asks_for_no_password_is_warned_of(settings: Any, caplog: Any, url: str, told: int) -> None:
    settings.REDIS_URL = url
    preflight.warn_of_redis()
    assert [record.levelname for record in caplog.records if "no password" in record.message] == ["WARNING"] * told


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[str]:
    with redis_server(tmp_path) as url:
        yield url


@pytest.mark.redis
def test_a_redis_that_forgets_under_pressure_is_refused(own_redis: str) -> None:
    assert preflight.redis_faults(own_redis) == []
    with Redis.from_url(own_redis) as redis:
        for policy in ("allkeys-lru", "volatile-ttl", "allkeys-random", "volatile-lfu"):
            redis.config_set("maxmemory-policy", policy)
            [fault] = preflight.redis_faults(own_redis)
            assert policy in fault and "noeviction" in fault


def test_code_older_than_the_database_is_refused() -> None:
    assert schema.schema_faults() == []
    MigrationRecorder(connection).record_applied("tables", "9999_from_the_future")
    [fault] = schema.schema_faults()
    assert "made by newer code (tables.9999_from_the_future)" in fault
    assert schema.newer_schema(connection) == [fault]
    with pytest.raises(CommandError, match="made by newer code"):
        call_command("migrate")


def test_a_database_of_before_the_first_release_is_reported() -> None:
    MigrationRecorder(connection).record_applied("wallet", "0001_initial")
    [fault] = schema.schema_faults()
    assert "before 1.0.0" in fault
    with pytest.raises(CommandError, match="not carried over"):
        call_command("migrate")


def test_code_newer_than_the_database_needs_migrations() -> None:
    last = MigrationRecorder(connection).migration_qs.filter(app="lobby").latest("id")
    MigrationRecorder(connection).record_unapplied("lobby", last.name)
    assert schema.schema_faults() == ["The database is older than this code: run `manage.py migrate` first."]
    assert schema.newer_schema(connection) == []


def test_demo_accounts_are_no_leftovers_once_their_passwords_are_changed() -> None:
    assert preflight.leftovers() == []
    demo.ensure_accounts()
    names = [name for name, *_ in demo.ACCOUNTS]
    assert names == ["asha", "ravi", "staff", "support", "operations", "finance"]
    assert [name for name in names if name in str(preflight.leftovers())] == names
    for name, *_ in demo.ACCOUNTS:
        player = preflight.Player.objects.get(username=name)
        accounts.change_hash(player=player, password_hash=accounts.new_hash("a quite different one"))
    assert preflight.leftovers() == []


def test_a_database_that_needs_no_change_is_not_copied() -> None:
    assert embedded_database.copy_before_migrating(connection) is None


def test_a_new_database_is_not_copied() -> None:
    MigrationRecorder(connection).migration_qs.delete()
    assert embedded_database.copy_before_migrating(connection) is None
