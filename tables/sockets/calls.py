"""Calls to come to a table, take a seat or go: those that wait at the same moment are handled in one batch.

A batch is one transaction for many tables of this process. A call whose table is locked, or whose batch has failed, is
handled in the batch of its own table, where only calls to that table wait for it.
"""

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from django.db import DatabaseError

from tables.loop_local import LoopLocal
from tables.play import presence
from tables.play.frames import Joined
from tables.play.lanes import JOINS
from tables.play.seating import Call
from tables.sockets.batching import Batcher, Take

log = logging.getLogger(__name__)

#: The most tables in one transaction: their rows are locked meanwhile.
MOST = 48

_TableCall = tuple[int, Call]
_table_batchers: LoopLocal[WeakValueDictionary[int, Batcher[Call]]] = LoopLocal(WeakValueDictionary)


async def submit_call(table_id: int, call: Call) -> Joined | None:
    """Handle one call to come to the table, take a seat or go, as `presence.handle_calls` does, with its errors."""
    joined: Joined | None
    was_handled, joined = await _batcher().submit((table_id, call))
    return joined if was_handled else await _batcher_of(table_id).submit(call)


def _table_of(item: _TableCall) -> int:
    """Return the table: all calls to one table pass together, so that it is locked, read and shown once for them."""
    return item[0]


async def _handle_batch(take: Take[_TableCall]) -> Any:
    return await JOINS.read(partial(_handle_calls, take))


_batcher: LoopLocal[Batcher[_TableCall]] = LoopLocal(lambda: Batcher(_handle_batch, most=MOST, kind=_table_of))


def _handle_calls(take: Take[_TableCall]) -> list[Any]:
    """Return for each call whether it has passed, and the answer to it; or the error that it has met."""
    items = take()
    calls: dict[int, list[Call]] = {}
    for table_id, call in items:
        calls.setdefault(table_id, []).append(call)
    try:
        answers = presence.handle_calls_at_many(calls=calls)
    except DatabaseError:
        raise
    except Exception as fault:
        log.info("%s could not pass together: %r", len(items), fault)
        answers = {}
    remaining = {table_id: iter(of_table) for table_id, of_table in answers.items()}
    return [_answer(remaining, table_id) for table_id, _ in items]


def _answer(remaining: dict[int, Any], table_id: int) -> Any:
    if table_id not in remaining:
        return False, None
    answer = next(remaining[table_id])
    return answer if isinstance(answer, Exception) else (True, answer)


def _batcher_of(table_id: int) -> Batcher[Call]:
    """Return the batcher of that table for the sockets of the running loop."""
    batchers = _table_batchers()
    batcher = batchers.get(table_id)
    if batcher is None:
        batcher = batchers[table_id] = Batcher(partial(_handle_at_table, table_id))
    return batcher


async def _handle_at_table(table_id: int, take: Take[Call]) -> Sequence[Any]:
    answers: Sequence[Any] = await JOINS.change(partial(_handle_locked, take), table_id=table_id)
    return answers


def _handle_locked(take: Take[Call], *, table_id: int) -> Any:
    return presence.handle_calls(table_id=table_id, calls=take())
