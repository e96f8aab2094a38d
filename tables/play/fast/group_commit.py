"""Batches of moves: while one commit is under way the next moves gather, and share the next commit.

The event loop makes the moves and shows them, as it is there that the sockets are: two threads that take turns at the
same objects cost a fifth more. On PostgreSQL it writes them as well (`line`), and encodes the frames while they are
committed, which go out only if that succeeds. Moves at tables that are not in memory, moves that lost a race, and all
moves on SQLite are written by a thread.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import thread_time
from typing import Any

import psycopg
from django.db import DatabaseError, connection

from tables.loop_local import LoopLocal
from tables.metrics import BATCH, count, spend
from tables.play.executors import CountedCall, OwnThread
from tables.play.fast import moves
from tables.play.fast.commit import MadeMove
from tables.play.fast.line import DatabaseLine
from tables.play.fast.moves import MessageByTable
from tables.play.guards import MoveRequest

log = logging.getLogger(__name__)

#: Moves of one commit at most.
MOST = 64

MoveOutcome = dict[str, Any] | None
WaitingMove = tuple[MoveRequest, "asyncio.Future[MoveOutcome]"]
#: Returns those of the given credentials that are still valid.
Verify = Callable[[Collection[Any]], Collection[Any]]


@dataclass(slots=True)
class _Batch:
    """Moves that are made and written together, and what has become of them."""

    waiting: Sequence[WaitingMove]
    #: Those that could be made at once.
    made: Sequence[MadeMove]
    #: What everybody will be shown, by table; and the written moves, and the answers by table, once they are known.
    messages: MessageByTable = field(default_factory=dict)
    written: Sequence[MadeMove] = ()
    answers: Mapping[int, dict[str, Any]] = field(default_factory=dict)


class GroupCommit:
    """The waiting moves of a loop; one batch of them is under way at a time.

    When the monitor of a busy process is late, `verify` checks the credentials of a whole batch at once. A move
    whose credential it does not return takes the way with the lock, where each is checked alone.
    """

    verify: Verify = staticmethod(lambda credentials: ())

    def __init__(self) -> None:
        self._waiting: deque[WaitingMove] = deque()
        self._is_busy = False
        self._line: DatabaseLine | None = None
        self._opening: asyncio.Task[None] | None = None

    def play(self, request: MoveRequest) -> "asyncio.Future[MoveOutcome]":
        """Return a future of the move's `ack` or None, as `moves.play_together`; it is set after the shared commit."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[MoveOutcome] = loop.create_future()
        self._waiting.append((request, answer))
        if not self._is_busy:
            self._is_busy = True
            # Not at once: the frames that have come with this one are read first.
            loop.call_soon(self._begin)
        return answer

    def _begin(self) -> None:
        """Make the moves that wait, have them written, and encode meanwhile what they will show."""
        began = thread_time()
        waiting = self._take()
        BATCH.observe(len(waiting))
        batch = _Batch(waiting, moves.make_at_hand([request for request, _ in waiting]))
        began = spend("making", began)
        line = self._line_at_hand() if len(batch.made) == len(waiting) else None
        if line is None or not line.send(batch.made, partial(self._hear, batch)):
            self._write_in_thread(batch)
        began = spend("writing", began)
        batch.messages = moves.make_messages(batch.made)
        spend("frames", began)

    def _take(self) -> list[WaitingMove]:
        """Return the waiting moves, one of each table."""
        batch: dict[int, WaitingMove] = {}
        later: list[WaitingMove] = []
        while self._waiting and len(batch) < MOST:
            each = self._waiting.popleft()
            if each[0].table_id in batch:
                later.append(each)
            else:
                batch[each[0].table_id] = each
        self._waiting.extendleft(reversed(later))
        return list(batch.values())

    def _line_at_hand(self) -> DatabaseLine | None:
        """Return the open line; None where there is none yet, and then begin to open one."""
        if self._line is not None and self._line.is_open:
            return self._line
        if connection.vendor == "postgresql" and self._opening is None:
            self._opening = asyncio.create_task(self._open_line())
        return None

    async def _open_line(self) -> None:
        try:
            self._line = await WRITER.run(DatabaseLine.prepared)
            self._line.listen()
        except (DatabaseError, psycopg.Error):
            log.info("there is no line to the database", exc_info=True)
        finally:
            # It knows its loop, which could not go while it is kept.
            self._opening = None

    def _hear(self, batch: _Batch, tables: Collection[int] | None) -> None:
        """Go on as the line has answered: try lost moves again; where it broke, leave all to the way with the lock."""
        batch.written = moves.note_written(batch.made, tables or ())
        batch.answers = {move.table.row.pk: move.answer for move in batch.written}
        if tables is None or len(batch.written) == len(batch.waiting):
            self._end(batch)
        else:
            batch.made = []
            self._write_in_thread(batch)

    def _write_in_thread(self, batch: _Batch) -> None:
        """Let the thread write what is made, and play those of the batch that have no answer yet."""
        loop, made = asyncio.get_running_loop(), batch.made
        requests = [request for request, _ in batch.waiting if request.table_id not in batch.answers]

        def work() -> None:
            began = thread_time()
            written, answers = _write(made, requests, GroupCommit.verify)
            batch.written, batch.answers = [*batch.written, *written], {**batch.answers, **answers}
            spend("writing", began)
            try:
                loop.call_soon_threadsafe(self._end, batch)
            except RuntimeError:
                log.info("nobody waits for %s answers any more", len(requests))

        try:
            WRITER.submit(work)
        except RuntimeError:
            log.exception("%s moves could not be made together", len(requests))
            loop.call_soon(self._end, batch)

    def _end(self, batch: _Batch) -> None:
        """Show what is written, answer the callers, and go on with the moves that have come meanwhile."""
        began = thread_time()
        try:
            moves.show_moves(batch.written, batch.messages)
        except Exception:
            log.exception("not everybody could be told of %s moves", len(batch.written))
        spend("frames", began)
        for request, future in batch.waiting:
            if not future.done():
                future.set_result(batch.answers.get(request.table_id))
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._begin)
        else:
            self._is_busy = False


def _write(
    made: Sequence[MadeMove], requests: Sequence[MoveRequest], verify: Verify
) -> tuple[Sequence[MadeMove], dict[int, dict[str, Any]]]:
    """Write the moves that are made, and play the others; return those written, and the answers by table.

    Where the commit fails, all of the moves take the way with the lock.
    """
    try:
        return _written(made, requests, verify)
    except Exception:
        log.warning("%s moves could not be made together", len(requests), exc_info=True)
        connection.close()
        return [], {}


def _written(
    made: Sequence[MadeMove], requests: Sequence[MoveRequest], verify: Verify
) -> tuple[Sequence[MadeMove], dict[int, dict[str, Any]]]:
    written = moves.commit_moves(made) if made else []
    answers = {move.table.row.pk: move.answer for move in written}
    others = [request for request in requests if request.table_id not in answers]
    unverified = {request.unverified for request in others if request.unverified is not None}
    void = unverified - set(verify(unverified)) if unverified else unverified
    known = [request for request in others if request.unverified not in void]
    played = moves.play_together(known) if known else []
    return written, answers | {
        each.table_id: answer for each, answer in zip(known, played, strict=True) if answer is not None
    }


WRITER = OwnThread("moves together")
#: The group commit of the running loop.
current = LoopLocal(GroupCommit)


async def play(request: MoveRequest) -> MoveOutcome:
    """Make the move the fast way and return its `ack`; return None, with nothing changed, if it cannot go that way."""
    if request.frame.type not in moves.QUICK:
        return None
    began = time.perf_counter()
    with CountedCall():
        answer = await current().play(request)
    if answer is not None:
        count(request.frame.type, "ack", time.perf_counter() - began)
    return answer
