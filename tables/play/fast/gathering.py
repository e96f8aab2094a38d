"""Batches of moves: while one commit is under way the next moves gather, and share the next commit.

One thread of the process makes them, on a connection of its own. It starts with the first move and ends IDLE seconds
after the last, so that an idle process holds nothing.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Collection
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
#: Returns those of the given credentials that are still valid.
Vouch = Callable[[Collection[Any]], Collection[Any]]


class Gathering:
    """The waiting moves of a process, and the thread that makes them.

    When a busy process is late with its heartbeat, `vouch` checks the credentials of a whole batch at once. A move
    whose credential it does not return takes the way with the lock, where each is checked alone.
    """

    def __init__(self) -> None:
        self.vouch: Vouch = lambda doubted: ()
        self._waiting: deque[Waiting] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def play(self, ask: Ask) -> "asyncio.Future[Answer]":
        """Return a future of what `moves.play` returns, which is set once the shared commit is over."""
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
            _make(batch, self.vouch)
        connection.close()

    def _next(self) -> list[Waiting]:
        """Return the waiting moves, one of each table; empty, which ends the thread, after IDLE seconds without any."""
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


def _make(batch: list[Waiting], vouch: Vouch) -> None:
    """Make the moves and answer the callers; where the commit fails, all of the moves take the way with the lock."""
    BATCH.observe(len(batch))
    try:
        answers = _answers([ask for ask, _ in batch], vouch)
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


def _answers(asks: list[Ask], vouch: Vouch) -> list[Answer]:
    doubted = {ask.doubted for ask in asks if ask.doubted is not None}
    void = doubted - set(vouch(doubted)) if doubted else doubted
    known = [ask for ask in asks if ask.doubted not in void]
    made = dict(zip(known, play_together(known), strict=True))
    return [made.get(ask) for ask in asks]


def _answer(answered: list[tuple["asyncio.Future[Answer]", Answer]]) -> None:
    for future, answer in answered:
        if not future.done():
            future.set_result(answer)


#: The moves of this process.
GATHERING = Gathering()
