"""The line of a loop to PostgreSQL: it writes moves without a thread, and whatever breaks it, none is made twice."""

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from tables.models import LoggedEvent
from tables.play import protocol, store
from tables.play.fast import commit, group_commit, line, table_cache
from tables.play.guards import MoveRequest
from tests.support.clock import Clock
from tests.support.tables import Client

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
Duel = tuple[Client, Client]
#: Seconds that a connection may take to end.
PATIENCE = 30


@pytest.fixture(autouse=True)
def known_time(clock: Clock, duel: Duel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the fast way know the time and the table, as it does while people play."""
    monkeypatch.setattr("tables.play.fast.clock.known_now_ms", lambda: clock.now)
    table_cache.put(store.read_table(duel[0].table))


def ask(client: Client, **fields: Any) -> MoveRequest:
    frame = protocol.read_frame({"type": "draw", "pile": "closed", "id": "once", **fields})
    return MoveRequest(client.table, client.user.pk, client.connection, frame)


def draws() -> int:
    return LoggedEvent.objects.filter(kind="card_drawn").count()


def with_line(scene: Callable[[group_commit.GroupCommit, line.DatabaseLine], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        waiting = group_commit.current()
        assert waiting._line_at_hand() is None and waiting._opening is not None
        await waiting._opening
        found = waiting._line_at_hand()
        assert found is not None
        return await scene(waiting, found)

    return asyncio.run(run())


def terminated(backend: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, %s)", [backend, PATIENCE * 1000])
    connection.close()


def is_connected(backend: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = %s)", [backend])
        return bool(cursor.fetchone()[0])


async def ended(found: line.DatabaseLine) -> None:
    give_up = time.monotonic() + PATIENCE
    while found.is_open:
        assert time.monotonic() < give_up
        await asyncio.sleep(0.01)


def test_the_loop_writes_a_move_by_itself_and_its_connection_ends_with_it(
    duel: Duel, monkeypatch: pytest.MonkeyPatch
) -> None:
    version, backends = store.version(duel[0].table), []

    async def scene(waiting: group_commit.GroupCommit, found: line.DatabaseLine) -> Any:
        backends.append(found._server.backend_pid)
        monkeypatch.setattr(group_commit, "WRITER", None)
        return await waiting.play(ask(duel[0]))

    assert with_line(scene) == {"type": "ack", "version": version + 1}
    assert (store.version(duel[0].table), draws()) == (version + 1, 1)
    give_up = time.monotonic() + PATIENCE
    while is_connected(backends[0]):
        gc.collect()
        assert time.monotonic() < give_up


def test_a_move_that_lost_a_race_is_made_on_the_table_as_it_is_now(duel: Duel) -> None:
    guess = table_cache.get(duel[0].table)
    other = duel[1].send("sort")
    table_cache.evict(duel[0].table)
    assert guess is not None
    table_cache.put(guess)

    async def scene(waiting: group_commit.GroupCommit, found: line.DatabaseLine) -> Any:
        return await waiting.play(ask(duel[0]))

    assert with_line(scene) == {"type": "ack", "version": other["version"] + 1}
    assert draws() == 1


def test_a_line_that_breaks_while_it_writes_leaves_the_move_to_the_lock_and_a_new_one_is_opened(duel: Duel) -> None:
    async def scene(waiting: group_commit.GroupCommit, found: line.DatabaseLine) -> Any:
        answer = waiting.play(ask(duel[0]))
        # The loop stands meanwhile, so that the move is sent before anything is heard.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(terminated, found._server.backend_pid).result(PATIENCE)
        assert await answer is None, "nobody knows whether it is committed"
        assert not found.is_open and table_cache.get(duel[0].table) is None
        assert waiting._line_at_hand() is None and waiting._opening is not None
        await waiting._opening
        assert waiting._line_at_hand() not in (None, found)

    with_line(scene)
    assert duel[0].send("draw", pile="closed", id="once")["type"] == "ack"
    assert draws() == 1


def test_a_line_that_ends_while_it_is_idle_is_noticed_before_the_next_move(duel: Duel) -> None:
    async def scene(waiting: group_commit.GroupCommit, found: line.DatabaseLine) -> Any:
        await asyncio.to_thread(terminated, found._server.backend_pid)
        await ended(found)
        return await waiting.play(ask(duel[0]))

    assert with_line(scene)["type"] == "ack"


def test_a_batch_larger_than_what_the_system_takes_at_once_is_sent_as_it_can_be(
    duel: Duel, monkeypatch: pytest.MonkeyPatch
) -> None:
    values_of = commit.values_of
    monkeypatch.setattr(commit, "values_of", lambda made: [value + " " * 20_000_000 for value in values_of(made)])
    flushed: list[line.DatabaseLine] = []
    flush = line.DatabaseLine._flush

    def counted(self: line.DatabaseLine) -> None:
        flushed.append(self)
        flush(self)

    monkeypatch.setattr(line.DatabaseLine, "_flush", counted)

    async def scene(waiting: group_commit.GroupCommit, found: line.DatabaseLine) -> Any:
        return await waiting.play(ask(duel[0]))

    assert with_line(scene)["type"] == "ack"
    assert flushed, "the system has taken all of it at once: the test shows nothing"


def test_an_idle_line_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "IDLE", 0.01)

    async def scene(waiting: group_commit.GroupCommit, found: line.DatabaseLine) -> Any:
        backend = found._server.backend_pid
        await ended(found)
        return backend

    backend = with_line(scene)
    give_up = time.monotonic() + PATIENCE
    while is_connected(backend):
        assert time.monotonic() < give_up
