"""However many pages take a connection, the executors of play find one."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import OperationalError

from config.postgresql import base
from config.settings.databases import CONNECTIONS, KEPT_FOR_PLAY, database_settings
from tables.play.executors import TableExecutor, in_executor
from tests.doors import postgresql_url

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
OTHERS = CONNECTIONS - KEPT_FOR_PLAY


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Make connections of one pool, as many threads would."""
    monkeypatch.setattr(base, "POOL_WAIT", 0.05)
    url = os.environ.get("RUMMY_TEST_DATABASE_URL") or postgresql_url()
    settings = {**database_settings(url, Path()), "TIME_ZONE": None, "AUTOCOMMIT": True, "CONN_HEALTH_CHECKS": False,
                "TEST": {}, "ATOMIC_REQUESTS": False}  # fmt: skip
    made: list[base.DatabaseWrapper] = []

    def connection() -> base.DatabaseWrapper:
        wrapper = base.DatabaseWrapper(settings, alias="kept-for-play")
        wrapper.inc_thread_sharing()
        wrapper.ensure_connection()
        made.append(wrapper)
        return wrapper

    yield connection
    for wrapper in made:
        wrapper.close()
    made[0].close_pool()


def test_pages_leave_some_connections_to_play(connect: Any) -> None:
    pages = [connect() for _ in range(OTHERS)]
    with pytest.raises(OperationalError, match="couldn't get a connection"):
        connect()
    executor = TableExecutor("test", KEPT_FOR_PLAY)
    together = threading.Barrier(KEPT_FOR_PLAY)

    def move() -> Any:
        together.wait(20)
        with connect().cursor() as cursor:
            return cursor.execute("SELECT 7").fetchone()

    moves = [executor.begin(move) for _ in range(KEPT_FOR_PLAY)]
    assert [future.result(20) for future in moves] == [(7,)] * KEPT_FOR_PLAY
    pages[0].close()
    pages[0].close()
    connect()
    with pytest.raises(OperationalError):
        connect()


def test_a_connection_that_cannot_be_made_is_not_counted(connect: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    connect().close()

    def away(*_: Any) -> None:
        raise psycopg.OperationalError("away")

    with monkeypatch.context() as patch:
        patch.setattr(base.base.DatabaseWrapper, "get_new_connection", away)
        for _ in range(2 * OTHERS):
            with pytest.raises(OperationalError, match="away"):
                connect()
    assert all(connect() for _ in range(OTHERS))


def test_threads_of_lanes_are_known() -> None:
    assert TableExecutor("test", 1).begin(in_executor).result(10)
    assert not in_executor()
