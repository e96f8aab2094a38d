"""Batches of moves: while one commit is under way the next moves gather, and share the next commit.

The event loop makes the moves and shows them, as it is there that the sockets are: two threads that take turns at the
same objects cost a fifth more. Only what waits for the database is done in a thread, on a connection of its own: the
commit, and moves at tables that are not in memory. Meanwhile the loop encodes the frames, which go out only if the
commit succeeds. The thread starts with the first move and ends IDLE seconds after the last, so that an idle process
holds nothing.
"""

import asyncio
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from time import thread_time
from typing import Any

from django.db import connection

from tables.metrics import BATCH, count, spend
from tables.per_loop import PerLoop
from tables.play.broadcast import TableMessage
from tables.play.fast import moves
from tables.play.fast.commit import MadeMove
from tables.play.fast.moves import Messages
from tables.play.guards import MoveRequest
from tables.play.lanes import CountedCall

log = logging.getLogger(__name__)

#: Seconds without a move after which the thread ends.
IDLE = 1.0
#: Moves of one commit at most.
MOST = 64

Answer = dict[str, Any] | None
Waiting = tuple[MoveRequest, "asyncio.Future[Answer]"]
#: Returns those of the given credentials that are still valid.
Vouch = Callable[[Collection[Any]], Collection[Any]]


class Gathering:
    """The waiting moves of a loop; one batch of them is under way at a time.

    When a busy process is late with its heartbeat, `vouch` checks the credentials of a whole batch at once. A move
    whose credential it does not return takes the way with the lock, where each is checked alone.
    """

    vouch: Vouch = staticmethod(lambda credentials: ())

    def __init__(self) -> None:
        self._waiting: deque[Waiting] = deque()
        self._is_busy = False

    def play(self, request: MoveRequest) -> "asyncio.Future[Answer]":
        """Return a future of the move's `ack` or None, as `moves.play_together`; it is set after the shared commit."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Answer] = loop.create_future()
        self._waiting.append((request, answer))
        if not self._is_busy:
            self._is_busy = True
            # Not at once: the frames that have come with this one are read first.
            loop.call_soon(self._begin, loop)
        return answer

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Make the moves that wait, let the thread write them, and encode meanwhile what they will show."""
        began = thread_time()
        batch = self._take()
        requests = [request for request, _ in batch]
        BATCH.observe(len(requests))
        made = moves.make_at_hand(requests)
        began = spend("making", began)

        messages: dict[int, TableMessage] = {}

        def work() -> None:
            began = thread_time()
            outcome = _write(made, requests, Gathering.vouch)
            spend("writing", began)
            try:
                loop.call_soon_threadsafe(self._end, loop, batch, *outcome, messages)
            except RuntimeError:
                log.info("nobody waits for %s answers any more", len(requests))

        try:
            WRITER.submit(work)
        except RuntimeError:
            log.exception("%s moves could not be made together", len(requests))
            self._end(loop, batch, [], [None] * len(batch), messages)
            return
        messages |= moves.make_messages(made)
        spend("frames", began)

    def _take(self) -> list[Waiting]:
        """Return the waiting moves, one of each table."""
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

    def _end(
        self,
        loop: asyncio.AbstractEventLoop,
        batch: list[Waiting],
        written: Sequence[MadeMove],
        answers: list[Answer],
        messages: Messages,
    ) -> None:
        """Show what is written, answer the callers, and go on with the moves that have come meanwhile."""
        began = thread_time()
        try:
            moves.show_moves(written, messages)
        except Exception:
            log.exception("not everybody could be told of %s moves", len(written))
        spend("frames", began)
        for (_, future), answer in zip(batch, answers, strict=True):
            if not future.done():
                future.set_result(answer)
        if self._waiting:
            loop.call_soon(self._begin, loop)
        else:
            self._is_busy = False


def _write(
    made: Sequence[MadeMove], requests: Sequence[MoveRequest], vouch: Vouch
) -> tuple[Sequence[MadeMove], list[Answer]]:
    """Write the moves that are made, and play the others; return those written, and the answer to each request.

    Where the commit fails, all of the moves take the way with the lock.
    """
    try:
        return _written(made, requests, vouch)
    except Exception:
        log.warning("%s moves could not be made together", len(requests), exc_info=True)
        connection.close()
        return [], [None] * len(requests)


def _written(
    made: Sequence[MadeMove], requests: Sequence[MoveRequest], vouch: Vouch
) -> tuple[Sequence[MadeMove], list[Answer]]:
    written = moves.commit_moves(made) if made else []
    answers = {move.table.row.pk: move.answer for move in written}
    others = [request for request in requests if request.table_id not in answers]
    unverified = {request.unverified for request in others if request.unverified is not None}
    void = unverified - set(vouch(unverified)) if unverified else unverified
    known = [request for request in others if request.unverified not in void]
    played = moves.play_together(known) if known else []
    answers |= {each.table_id: answer for each, answer in zip(known, played, strict=True) if answer is not None}
    return written, [dict(answers[each.table_id]) if each.table_id in answers else None for each in requests]


class _Writer:
    """The thread that writes; it lives as long as there is work."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, work: Callable[[], None]) -> None:
        """Do the work in the thread, after all that was submitted before it."""
        with self._lock:
            self._work.put(work)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="moves together", daemon=True)
                self._thread.start()

    def _run(self) -> None:
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


WRITER = _Writer()
#: The gathering of the running loop.
of_this_loop = PerLoop(Gathering)


async def play(request: MoveRequest) -> Answer:
    """Make the move the fast way and return its `ack`; return None, with nothing changed, if it cannot go that way."""
    if request.frame.type not in moves.QUICK:
        return None
    began = time.perf_counter()
    with CountedCall():
        answer = await of_this_loop().play(request)
    if answer is not None:
        count(request.frame.type, "ack", time.perf_counter() - began)
    return answer
