"""A row locked by an open transaction: its own table waits, no other notices."""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection, transaction

from tables.models import LoggedEvent, Table
from tables.play import executors, protocol, store
from tables.play.fast import commit, group_commit, line, moves as fast, table_cache
from tables.play.guards import MoveRequest
from tests.support.clock import Clock
from tests.support.sockets import Seen, seated, until
from tests.support.tables import Client

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

#: More tables than a process has threads for moves.
HELD = executors.MOVES.threads + 2
#: What a statement of ours waits for, and who has a connection.
WAITING = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
CONNECTED = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@pytest.fixture
def sent() -> None:
    """Let the real channel layer carry the messages, instead of conftest's replacement."""


@contextmanager
def another(**options: Any) -> Iterator[psycopg.Connection[Any]]:
    """Open another process's connection to the same database."""
    place = connection.settings_dict
    named = {"dbname": place["NAME"], "user": place["USER"], "password": place["PASSWORD"], "host": place["HOST"]}
    with psycopg.connect(**named, port=place["PORT"], **options) as other:
        yield other


@contextmanager
def holding(*tables: int) -> Iterator[psycopg.Connection[Any]]:
    """Lock these tables in a transaction of another process."""
    with another() as other:
        other.execute("SELECT 1 FROM tables_table WHERE id = ANY(%s) FOR UPDATE", [list(tables)])
        yield other
        other.rollback()


def answers(one: Seen) -> list[dict[str, Any]]:
    return [frame for frame in one.others if "id" in frame]


def waits_until(condition: Callable[[], Any]) -> None:
    give_up = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.01)


@pytest.mark.asyncio
async def test_however_many_tables_are_held_another_plays_on(sent: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "PATIENCE", 60)
    tables, sockets = [], []
    for number in range(HELD + 1):
        table, people = await seated(f"asha{number}", f"ravi{number}")
        tables.append(table.pk)
        sockets.append([await Seen(table.pk, key).open() for _, key in people.values()])
    *locked, (free, beside) = sockets
    waiting = [one for pair in locked for one in pair]
    with holding(*tables[:-1]):
        for one in waiting:
            await one.socket.send_to('{"type":"leave","id":"l"}')
        await until(lambda: executors.oldest_ms() > 100)
        for kind in ("ping", "leave"):
            await free.socket.send_to(json.dumps({"type": kind, "id": kind}))
            await until(lambda kind=kind: answers(free) and answers(free)[-1]["id"] == kind)  # type: ignore[misc]
        await beside.close()
        assert [answers(one) for one in waiting] == [[]] * len(waiting)
    await until(lambda: all(answers(one) for one in waiting))
    assert {answer["type"] for one in waiting for answer in answers(one)} == {"ack"}
    assert executors.oldest_ms() == 0
    for one in (*waiting, free):
        await one.close()


@pytest.mark.asyncio
async def test_who_waits_too_long_is_told_to_try_again_and_nothing_has_changed(
    sent: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "PATIENCE", 0.2)
    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()
    events = await LoggedEvent.objects.acount()
    with holding(table.pk):
        await one.socket.send_to('{"type":"leave","id":"l"}')
        await until(lambda: answers(one))
        assert (answers(one)[0]["code"], await LoggedEvent.objects.acount()) == ("try_again", events)
    monkeypatch.undo()
    await one.socket.send_to('{"type":"leave","id":"l"}')
    await until(lambda: answers(one)[-1]["type"] == "ack")
    await one.close()


def test_of_all_who_call_a_held_table_one_waits_at_it_and_the_others_keep_no_connection(
    duel: tuple[Client, Client],
) -> None:
    ended: list[str] = []

    def call(client: Client) -> None:
        try:
            Table.objects.get(pk=client.table)  # as a page has looked something up before
            ended.append(client.send("sort")["type"])
        finally:
            connection.close()

    callers = [threading.Thread(target=call, args=(client,)) for client in duel * 3]
    with holding(duel[0].table), another(autocommit=True) as looking:
        # Threads of tests before may give their connections back meanwhile.
        before = set(looking.execute(CONNECTED).fetchall())
        for caller in callers:
            caller.start()
        waits_until(lambda: looking.execute(WAITING).fetchall())
        waits_until(lambda: len(set(looking.execute(CONNECTED).fetchall()) - before) == 1)
        time.sleep(0.2)
        assert (len(looking.execute(WAITING).fetchall()), ended) == (1, [])
        assert len(set(looking.execute(CONNECTED).fetchall()) - before) == 1
    for caller in callers:
        caller.join(30)
    assert len(ended) == len(callers)


def test_a_transaction_that_was_ended_in_its_middle_is_done_again_and_freezes_nothing(
    duel: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a process that is stopped and resumed: its locks are free for others by then."""
    save, stops = store.save, [1]

    def stopped(table: Any) -> None:
        if stops:
            stops.pop()
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 50")
                cursor.execute("SELECT pg_backend_pid()")
                backend = cursor.fetchone()[0]
            with another(autocommit=True) as looking:
                waits_until(lambda: (backend,) not in looking.execute(CONNECTED).fetchall())
        save(table)

    monkeypatch.setattr(store, "save", stopped)
    first = duel[0]
    assert first.send("drop", id="d")["type"] == "ack"
    assert not stops
    assert Table.objects.get(pk=first.table).status == "open"
    assert LoggedEvent.objects.filter(table=first.table, kind="player_dropped").count() == 1


def test_a_table_that_is_held_takes_no_other_of_its_batch_with_it(
    duel: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The statement skips a locked row and returns at once; a planted fault would wait for it."""
    ask = MoveRequest(duel[0].table, duel[0].user.pk, duel[0].connection, protocol.read_frame({"type": "sort"}))
    with holding(duel[0].table):
        assert fast.play_together([ask])[0] is None
        # Only this is undone below: the clock of the test stays.
        with monkeypatch.context() as planted:
            planted.setattr(commit, "_FREE", commit._FREE.replace(" SKIP LOCKED", ""))
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = 100")
            with pytest.raises(OperationalError):
                fast.play_together([ask])[0]
    connection.close()
    assert fast.play_together([ask])[0] is not None


def test_a_table_that_is_held_holds_up_no_other_that_the_line_writes_with_it(
    duel: tuple[Client, Client], other_duel: tuple[Client, Client], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int] = []
    send = line.DatabaseLine.send

    def counted(self: line.DatabaseLine, moves: Any, answered: line.Answered) -> bool:
        batches.append(len(moves))
        return send(self, moves, answered)

    async def play(asked: list[MoveRequest]) -> list[Any]:
        waiting = group_commit.current()
        assert waiting._line_at_hand() is None and waiting._opening is not None
        await waiting._opening
        return await asyncio.wait_for(asyncio.gather(*[waiting.play(each) for each in asked]), 10)

    monkeypatch.setattr(line.DatabaseLine, "send", counted)
    monkeypatch.setattr("tables.play.fast.clock.known_now_ms", lambda: clock.now)
    asked = []
    for client in (duel[0], other_duel[0]):
        table_cache.put(store.read_table(client.table))
        frame = protocol.read_frame({"type": "sort"})
        asked.append(MoveRequest(client.table, client.user.pk, client.connection, frame))
    with holding(duel[0].table):
        held, free = asyncio.run(play(asked))
    assert (held, free["type"], batches) == (None, "ack", [2])


def test_whoever_has_locks_already_does_not_queue(duel: tuple[Client, Client]) -> None:
    with executors.exclusive(duel[0].table), transaction.atomic(), executors.exclusive(duel[0].table):
        assert duel[0].me
