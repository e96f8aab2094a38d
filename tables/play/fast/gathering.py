"""Moves that wait at the same moment are made together: while one commit is under way, the next ones gather.

One thread of the process makes them, on a connection of its own. It begins with the first move and ends when for a
moment nobody has moved, so that nothing is held by a process at rest.
"""

import asyncio
import logging
import threading
from collections import deque
from typing import Any

from django.db import connection

from tables.metrics import BATCH
from tables.play.fast.moves import Ask, play_together

log = logging.getLogger(__name__)

#: Seconds without a move after which the thread ends.
IDLE = 1.0
#: Moves of one commit at most.
MOST = 64

Answer = dict[str, Any] | None
Waiting = tuple[Ask, "asyncio.Future[Answer]"]


class Gathering:
    """The moves of a process that wait, and the thread that makes them."""

    def __init__(self) -> None:
        self._waiting: deque[Waiting] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def play(self, ask: Ask) -> "asyncio.Future[Answer]":
        """Return what `moves.play` does, once the commit that the move shares with others is over."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        with self._changed:
            self._waiting.append((ask, answer))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="moves together", daemon=True)
                self._thread.start()
            else:
                self._changed.notify()
        return answer

    def _work(self) -> None:
        while batch := self._next():
            _make(batch)
        connection.close()

    def _next(self) -> list[Waiting]:
        """Return what waits, one move of each table; empty, and the thread is done for, when nothing does for long."""
        with self._changed:
            if not self._waiting:
                self._changed.wait(IDLE)
            if not self._waiting:
                self._thread = None
            batch: dict[int, Waiting] = {}
            later: list[Waiting] = []
            while self._waiting and len(batch) < MOST:
                each = self._waiting.popleft()
                if each[0].table_id in batch:
                    later.append(each)
                else:
                    batch[each[0].table_id] = each
            self._waiting.extendleft(reversed(later))
            return list(batch.values())


def _make(batch: list[Waiting]) -> None:
    """Make the moves and answer those who asked; where the commit failed all of them go the way with the lock."""
    BATCH.observe(len(batch))
    try:
        answers = play_together([ask for ask, _ in batch])
    except Exception:
        log.warning("%s moves could not be made together", len(batch), exc_info=True)
        connection.close()
        answers = [None] * len(batch)
    loops: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Answer], Answer]]] = {}
    for (_, future), answer in zip(batch, answers, strict=True):
        loops.setdefault(future.get_loop(), []).append((future, answer))
    for loop, answered in loops.items():
        try:
            loop.call_soon_threadsafe(_answer, answered)
        except RuntimeError:
            log.info("nobody waits for %s answers any more", len(answered))


def _answer(answered: list[tuple["asyncio.Future[Answer]", Answer]]) -> None:
    for future, answer in answered:
        if not future.done():
            future.set_result(answer)


#: That of this process.
GATHERING = Gathering()
