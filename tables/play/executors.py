"""The threads that calls to the tables run in: one call at a time per table, and none blocks a thread for a locked row.

A row may stay locked for seconds when a process is paused, or a machine is lost, in the middle of a transaction, until
the database ends it (`config.settings.databases`). A call that waited in a thread would take the thread from all other
tables; in an executor it waits without thread or connection, and tries again.
"""

import asyncio
import contextlib
import os
import queue
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from channels.db import database_sync_to_async
from django.db import close_old_connections, connection

from tables.errors import TableError
from tables.loop_local import LoopLocal
from wallet.language import gettext as _

#: Seconds after which a call gives up on a locked table: longer than the database lets a paused process hold it.
PATIENCE = 4.5
#: The first and the longest pause before a locked table is tried again, in seconds.
SHORTEST, LONGEST = 0.005, 0.1
#: Seconds without work after which a thread of its own ends.
IDLE = 1.0

Answer = TypeVar("Answer")

_is_nowait: ContextVar[bool] = ContextVar("nowait", default=False)
_table_locks: WeakValueDictionary[int, threading.Lock] = WeakValueDictionary()
_table_locks_lock = threading.Lock()
_thread = threading.local()
#: When each unanswered call came, in monotonic seconds.
_call_times: dict[object, float] = {}


def busy() -> TableError:
    """Return the error for a player whose call found the table locked for all of PATIENCE. Nothing was changed."""
    return TableError("try_again", _("The table is busy. Please try again."), status=503)


def is_nowait() -> bool:
    """Return whether the caller retries on its own and wants TableError `busy` instead of waiting for a row."""
    return _is_nowait.get()


def oldest_ms() -> int:
    """Return the age, in ms, of this process's oldest unanswered call; 0 if there is none."""
    return max((int((time.monotonic() - began) * 1000) for began in list(_call_times.values())), default=0)


@contextlib.contextmanager
def exclusive(table_id: int) -> Iterator[None]:
    """Admit one call of this process at a time to the table's row, so that at most one waits for its lock.

    The others wait here without a connection. A call inside a transaction already holds locks, so it does not wait.
    TableError `try_again` after PATIENCE; `busy` at once for a nowait caller.
    """
    if connection.in_atomic_block:
        yield
        return
    with _table_locks_lock:
        lock = _table_locks.setdefault(table_id, threading.Lock())
    if not lock.acquire(blocking=False):
        if is_nowait():
            raise TableError("busy", _("The table is being changed at this moment."))
        connection.close()
        if not lock.acquire(timeout=PATIENCE):
            raise busy()
    try:
        yield
    finally:
        lock.release()


def in_executor() -> bool:
    """Return whether the caller's thread is one of an executor."""
    return getattr(_thread, "is_of_executor", False)


def _enter_executor() -> None:
    _thread.is_of_executor = True


class TableExecutor:
    """Threads for one kind of call, so that no other kind keeps it waiting."""

    def __init__(self, name: str, threads: int) -> None:
        self.threads = threads
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name, initializer=_enter_executor)
        self._queues: LoopLocal[WeakValueDictionary[int, asyncio.Lock]] = LoopLocal(WeakValueDictionary)

    async def read(self, service: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Run the service in a thread of the executor, and return its answer."""
        with CountedCall():
            return await self._run(service, *arguments, **keywords)

    async def change(self, service: Callable[..., Any], *, table_id: int, **keywords: Any) -> Any:
        """Run a service that changes the table, after earlier calls here for the table, and return its answer.

        TableError `try_again` where the table was locked for all of PATIENCE; then nothing was changed.
        """
        deadline = time.monotonic() + PATIENCE
        with CountedCall():
            queue = self._queue(table_id)
            try:
                await asyncio.wait_for(queue.acquire(), PATIENCE)
            except TimeoutError:
                raise busy() from None
            try:
                return await self._retry_while_busy(deadline, service, table_id=table_id, **keywords)
            finally:
                queue.release()

    def begin(self, work: Callable[[], Any]) -> Future[Any]:
        """Start the work in a thread of the executor, for a caller that is not a coroutine; return its future."""
        return self._threads.submit(_with_fresh_connections, work)

    async def _retry_while_busy(self, deadline: float, service: Callable[..., Any], **keywords: Any) -> Any:
        pause = SHORTEST
        while True:
            try:
                return await self._run(_nowait, service, **keywords)
            except TableError as refusal:
                if refusal.code != "busy":
                    raise
            if time.monotonic() > deadline:
                raise busy()
            await asyncio.sleep(random.uniform(0.5, 1) * pause)  # noqa: S311  a pause, not a card
            pause = min(2 * pause, LONGEST)

    async def _run(self, service: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        work = database_sync_to_async(service, thread_sensitive=False, executor=self._threads)
        return await work(*arguments, **keywords)

    def _queue(self, table_id: int) -> asyncio.Lock:
        return self._queues().setdefault(table_id, asyncio.Lock())


def _nowait(service: Callable[..., Any], **keywords: Any) -> Any:
    token = _is_nowait.set(True)
    try:
        return service(**keywords)
    finally:
        _is_nowait.reset(token)


def _with_fresh_connections(work: Callable[[], Any]) -> Any:
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()


class OwnThread:
    """A thread of play that does one work after another on a connection of its own; it lives as long as there is work.

    To be handed to an executor and to take a connection from the pool for each work would cost as much as a statement.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, work: Callable[[], None]) -> None:
        """Do the work, which must not fail, after all that was submitted before it. RuntimeError as Python ends."""
        with self._lock:
            self._work.put(work)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    async def run(self, service: Callable[..., Answer], *arguments: Any) -> Answer:
        """Run the service in the thread, and return its answer; after an error the connection is closed."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Answer] = loop.create_future()

        def work() -> None:
            try:
                settle = partial(_settle, answer, service(*arguments))
            except Exception as fault:
                connection.close()
                settle = partial(_settle, answer, fault=fault)
            with contextlib.suppress(RuntimeError):  # the loop has been closed
                loop.call_soon_threadsafe(settle)

        self.submit(work)
        return await answer

    def _run(self) -> None:
        _enter_executor()
        while (work := self._next()) is not None:
            work()
        connection.close()

    def _next(self) -> Callable[[], None] | None:
        """Return the next work; None, which ends the thread, after IDLE seconds without any."""
        try:
            return self._work.get(timeout=IDLE)
        except queue.Empty:
            with self._lock:
                if self._work.empty():
                    self._thread = None
                    return None
            return self._work.get()


def _settle(answer: asyncio.Future[Any], outcome: Any = None, fault: BaseException | None = None) -> None:
    if answer.done():
        return
    if fault is None:
        answer.set_result(outcome)
    else:
        answer.set_exception(fault)


class CountedCall:
    """A context whose block counts among the unanswered calls (`oldest_ms`)."""

    def __enter__(self) -> None:
        _call_times[self] = time.monotonic()

    def __exit__(self, *fault: object) -> None:
        del _call_times[self]


#: As many threads for moves as asyncio's default executor has; players come and go in a few of their own.
MOVES = TableExecutor("moves", min(32, (os.cpu_count() or 1) + 4))
JOINS = TableExecutor("joins", 3)
#: Sign-ins and moves do not wait for each other; one thread is enough, since sign-ins share their queries.
SIGN_INS = TableExecutor("sign-ins", 1)
