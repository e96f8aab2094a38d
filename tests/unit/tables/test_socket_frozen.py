"""A frozen table whose state cannot be read: players are told that it is stopped, and nothing else."""

import logging

import pytest
from asgiref.sync import sync_to_async

from tables.models import Table
from tables.play.fast import table_cache
from tables.sockets import monitor
from tables.sockets.base import RESTART
from tests.support.sockets import Seen, seated, until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


@sync_to_async
def spoil(table: Table) -> bytes:
    """Make the table's state unreadable; return what it was."""
    snapshot = bytes(Table.objects.get(pk=table.pk).snapshot)
    Table.objects.filter(pk=table.pk).update(snapshot=b"not a state")
    table_cache.evict_all()
    return snapshot


@sync_to_async
def mend(table: Table, snapshot: bytes) -> None:
    Table.objects.filter(pk=table.pk).update(snapshot=snapshot, status=Table.Status.OPEN)


async def looked_at(times: int) -> None:
    """Let the monitor look at all sockets this often."""
    for _ in range(times):
        await monitor.current()._poll()


async def test_nobody_is_told_that_their_seat_is_played_elsewhere(caplog: pytest.LogCaptureFixture) -> None:
    table, people = await seated("asha", "ravi")
    played = [await Seen(table.pk, key).open() for _, key in people.values()]
    for one in played:
        await one.close()
    snapshot = await spoil(table)
    with caplog.at_level(logging.WARNING):
        sockets = [await Seen(table.pk, key).open() for _, key in people.values() for _ in range(2)]
        await looked_at(4)
        for one in sockets:
            await one.socket.send_to('{"type":"sync","id":"s"}')
        await until(lambda: all(any(frame.get("id") == "s" for frame in one.others) for one in sockets))
    assert {frame["code"] for one in sockets for frame in one.others} == {"frozen"}
    assert [one.code for one in sockets] == [None] * 4
    frozen = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(frozen) == 1, "once, not for each who comes"
    await mend(table, snapshot)
    await looked_at(2)
    await until(lambda: all(one.code for one in sockets))
    assert {one.code for one in sockets} == {RESTART}, "they connect again, and join"
    again = await Seen(table.pk, next(iter(people.values()))[1]).open()
    assert again.states
    await again.close()
