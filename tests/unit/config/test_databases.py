"""A process reconnects to a database that was away."""

from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from psycopg_pool.base import AttemptWithBackoff

from config.settings.databases import (
    IDLE_IN_TRANSACTION,
    LOCK_WAIT,
    OPTIONS,
    RECONNECT_EVERY,
    STATEMENT,
    database_settings,
)
from config.settings.redis import checked_url, prefix
from tables.play.executors import PATIENCE

URL = "postgres://rummy:word@db.test:5432/rummy"


def test_whoever_waits_for_a_connection_waits_no_longer_than_the_pool_tries() -> None:
    pool = database_settings("postgres://rummy:word@db.test:5432/rummy", Path())["OPTIONS"]["pool"]
    assert pool["timeout"] < pool["reconnect_timeout"]


def test_the_pool_tries_again_steadily_until_the_server_is_back() -> None:
    pool = database_settings("postgres://rummy:word@db.test:5432/rummy", Path())["OPTIONS"]["pool"]
    seconds = pool["reconnect_timeout"]
    attempt, now, pauses = AttemptWithBackoff(timeout=seconds), 1_000.0, []
    while not attempt.time_to_give_up(now):
        attempt.update_delay(now)
        pauses.append(attempt.delay)
        now += max(attempt.delay, 0.01)
    assert max(pauses) <= 1.5 * RECONNECT_EVERY
    assert now - 1_000 >= seconds


def test_options_of_the_url_reach_the_connection() -> None:
    expected = {
        "sslmode": "verify-full",
        "sslrootcert": "/etc/ca.crt",
        "application_name": "web 1",
        "connect_timeout": "9",
    }
    query = "sslmode=verify-full&sslrootcert=%2Fetc%2Fca.crt&application_name=web+1&connect_timeout=9"
    options = database_settings(f"{URL}?{query}", Path())["OPTIONS"]
    assert {name: options[name] for name in expected} == expected
    assert options["pool"], "and nothing of ours is lost"


def test_every_option_is_one_of_postgresql_itself() -> None:
    assert {option.keyword.decode() for option in psycopg.pq.Conninfo.get_defaults()} >= OPTIONS.keys()


@pytest.mark.parametrize(
    ("url", "says"),
    [
        (f"{URL}?sslmode=strict", "must say sslmode once, as one of disable, allow"),
        (f"{URL}?sslmode=", "must say sslmode once"),
        (f"{URL}?sslmode=require&sslmode=disable", "must say sslmode once"),
        (f"{URL}?ssl=true", "'ssl', which is no option here"),
        (f"{URL}?options=-c%20search_path=x", "'options', which is no option here"),
        (f"{URL}?{'x' * 5_000}=1", "which is no option here"),
        (f"{URL}?sslmode", "?option=value&option=value"),
        (f"{URL}?connect_timeout=soon", "must say connect_timeout as a whole number"),
        ("postgres://rummy:word@db.test:54x2/rummy", "must read postgres://"),
        ("postgres://rummy:word@db.test:99999/rummy", "must read postgres://"),
        ("postgres://rummy:word@[::1/rummy", "must read postgres://"),
        ("postgres://rummy:w#@db.test/rummy", "must read postgres://"),
        ("postgres://db.test/rummy#x", "%23"),
        ("postgres://db.test/rummy/more", "must read postgres://"),
        ("mysql://db.test/rummy", "must read postgres://"),
    ],
)
def test_an_invalid_database_url_is_refused_in_a_sentence(url: str, says: str) -> None:
    with pytest.raises(ValueError, match="RUMMY_DATABASE_URL") as refused:
        database_settings(url, Path())
    assert says in str(refused.value)
    assert "word" not in str(refused.value).replace("password", "")
    assert len(str(refused.value)) < 600


@pytest.mark.parametrize(
    "url",
    [
        "redis://cache.test:63x9/0", "redis://[::1/0", "redis://cache.test/first", "redis://cache.test/0?timeout=1",
        "redis:///0", "http://cache.test/0", "redis://cache.test/0#x",
    ],
)  # fmt: skip
def test_an_invalid_redis_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="RUMMY_REDIS_URL"):
        checked_url(url)


def test_the_prefix_in_redis_is_that_of_the_database_whatever_its_user() -> None:
    def of(url: str) -> str:
        return prefix("", database_settings(url, Path()))

    assert of("postgres://owner@localhost/rummy") == of("postgres://serving:word@127.0.0.1:5432/rummy?sslmode=disable")
    prefixes = {
        of(f"postgres://{place}") for place in ("a/rummy", "b/rummy", "a:5433/rummy", "a/copy", "localhost/rummy")
    }
    assert len(prefixes) == 5
    assert prefix("club-1", {}) == "club-1"
    for wrong in ("a b", "x" * 41, "ü", "a:b", "a*"):
        with pytest.raises(ValueError, match="RUMMY_REDIS_PREFIX"):
            prefix(wrong, {})


def test_locks_of_a_stopped_process_are_released_before_others_time_out() -> None:
    assert 0 < IDLE_IN_TRANSACTION < LOCK_WAIT < 1_000 * PATIENCE < min(5_000, STATEMENT)


def test_the_server_gets_the_limits_and_both_ends_detect_a_dead_connection() -> None:
    options = database_settings("postgres://rummy:word@db.test:5432/rummy", Path())["OPTIONS"]
    server_options = dict(option.removeprefix("-c ").split("=") for option in options["options"].split(" -c "))
    assert server_options["idle_in_transaction_session_timeout"] == str(IDLE_IN_TRANSACTION)
    assert (server_options["lock_timeout"], server_options["statement_timeout"]) == (str(LOCK_WAIT), str(STATEMENT))
    for name in ("idle", "interval", "count"):
        assert server_options[f"tcp_keepalives_{name}"] == str(options[f"keepalives_{name}"])
    assert server_options["tcp_user_timeout"] == str(options["tcp_user_timeout"])


@pytest.mark.django_db
def test_migrations_make_what_the_models_say() -> None:
    call_command("makemigrations", check=True, dry_run=True)
