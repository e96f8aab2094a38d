"""How a process finds its database again."""

from pathlib import Path

from psycopg_pool.base import AttemptWithBackoff

from config.settings.databases import RECONNECT_EVERY, database


def test_whoever_waits_for_a_connection_waits_no_longer_than_the_pool_tries() -> None:
    pool = database("postgres://rummy:word@db.test:5432/rummy", Path())["OPTIONS"]["pool"]
    assert pool["timeout"] < pool["reconnect_timeout"]


def test_the_pool_tries_again_steadily_until_the_server_is_back() -> None:
    seconds = database("postgres://rummy:word@db.test:5432/rummy", Path())["OPTIONS"]["pool"]["reconnect_timeout"]
    attempt, now, pauses = AttemptWithBackoff(timeout=seconds), 1_000.0, []
    while not attempt.time_to_give_up(now):
        attempt.update_delay(now)
        pauses.append(attempt.delay)
        now += max(attempt.delay, 0.01)
    assert max(pauses) <= 1.5 * RECONNECT_EVERY
    assert now - 1_000 >= seconds
