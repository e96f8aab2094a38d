"""By which threads calls reach the tables: one at a time for each table, and none waits in a thread for a held row.

A row may be held for seconds, by a process that was stopped or a machine that is gone in the middle of a transaction,
until the database ends it (`config.settings.databases`). Whoever waited in a thread would take it from every other
table; whoever waits here holds neither thread nor connection, and tries again.
"""

import asyncio
import contextlib
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from channels.db import database_sync_to_async
from django.db import close_old_connections, connection

from tables.errors import TableError
from wallet.language import worded

#: Seconds after which a call gives up that finds the table held: longer than the database lets anybody hold it.
PATIENCE = 4.5
#: The first pause before a held table is tried again, and the longest, in seconds.
SHORTEST, LONGEST = 0.005, 0.1

_impatient: ContextVar[bool] = ContextVar("impatient", default=False)
_gates: WeakValueDictionary[int, threading.Lock] = WeakValueDictionary()
_gates_lock = threading.Lock()
#: When each call was asked for that is not answered yet, in monotonic seconds.
_asked: dict[object, float] = {}


def busy() -> TableError:
    """Return what a player reads whose call found the table locked to the end of its patience. Nothing was changed."""
    return TableError("try_again", worded("The table is busy. Please try again."), status=503)


def is_impatient() -> bool:
    """Return whether the caller comes again by itself and wants TableError `busy` rather than wait for a row."""
    return _impatient.get()


def oldest_ms() -> int:
    """Return the age of the oldest call of this process that is not answered yet; 0 without any."""
    return max((int((time.monotonic() - asked) * 1000) for asked in list(_asked.values())), default=0)


@contextlib.contextmanager
def alone_at(table_id: int) -> Iterator[None]:
    """Let only this one, of all calls of this process, be at the table's row: no more than one ever waits for it.

    The others wait here, without a connection. Inside a transaction of the caller's, who has locks already, nobody
    waits. TableError `try_again` after PATIENCE; `busy` at once for who is impatient.
    """
    if connection.in_atomic_block:
        yield
        return
    with _gates_lock:
        gate = _gates.setdefault(table_id, threading.Lock())
    if not gate.acquire(blocking=False):
        if is_impatient():
            raise TableError("busy", worded("The table is being changed at this moment."))
        connection.close()
        if not gate.acquire(timeout=PATIENCE):
            raise busy()
    try:
        yield
    finally:
        gate.release()


class Lane:
    """Threads for one kind of call, so that no other kind keeps it waiting."""

    def __init__(self, name: str, threads: int) -> None:
        self.threads = threads
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._queues: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[int, asyncio.Lock]]
        self._queues = WeakKeyDictionary()

    async def read(self, service: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Return the answer of a service that waits for nobody."""
        with noted():
            return await self._run(service, *arguments, **named)

    async def change(self, service: Callable[..., Any], *, table_id: int, **named: Any) -> Any:
        """Return the answer of a service that changes the table, in the order in which this lane was asked.

        TableError `try_again`, and nothing was changed, where the table was held for PATIENCE.
        """
        give_up = time.monotonic() + PATIENCE
        with noted():
            queue = self._queue(table_id)
            try:
                await asyncio.wait_for(queue.acquire(), PATIENCE)
            except TimeoutError:
                raise busy() from None
            try:
                return await self._insist(give_up, service, table_id=table_id, **named)
            finally:
                queue.release()

    def begin(self, work: Callable[[], Any]) -> Future[Any]:
        """Begin the work in one of the lane's threads, for a caller that is no coroutine; return its answer to come."""
        return self._threads.submit(_with_fresh_connections, work)

    async def _insist(self, give_up: float, service: Callable[..., Any], **named: Any) -> Any:
        pause = SHORTEST
        while True:
            try:
                return await self._run(_impatiently, service, **named)
            except TableError as refusal:
                if refusal.code != "busy":
                    raise
            if time.monotonic() > give_up:
                raise busy()
            await asyncio.sleep(random.uniform(0.5, 1) * pause)  # noqa: S311  a pause, not a card
            pause = min(2 * pause, LONGEST)

    async def _run(self, service: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        work = database_sync_to_async(service, thread_sensitive=False, executor=self._threads)
        return await work(*arguments, **named)

    def _queue(self, table_id: int) -> asyncio.Lock:
        queues = self._queues.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
        return queues.setdefault(table_id, asyncio.Lock())


def _impatiently(service: Callable[..., Any], **named: Any) -> Any:
    token = _impatient.set(True)
    try:
        return service(**named)
    finally:
        _impatient.reset(token)


def _with_fresh_connections(work: Callable[[], Any]) -> Any:
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()


@contextlib.contextmanager
def noted() -> Iterator[None]:
    """Count the block among the calls that are not answered yet."""
    call = object()
    _asked[call] = time.monotonic()
    try:
        yield
    finally:
        del _asked[call]


#: As many threads for moves as an event loop has by itself; people come and go in a few of their own.
MOVES = Lane("moves", min(32, (os.cpu_count() or 1) + 4))
JOINS = Lane("joins", 3)
#: Who signs in waits for nobody who plays, and the other way round; however many they are, they are asked for together.
SIGN_INS = Lane("sign-ins", 1)
