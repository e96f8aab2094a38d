"""Requests to come to a table, take a seat or go: those that wait at the same moment are handled in one batch.

A batch is one transaction for many tables of this process. A request whose table is locked, or whose batch has failed,
is handled in the batch of its own table, where only requests to that table wait for it.
"""

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from django.db import DatabaseError

from tables.loop_local import LoopLocal
from tables.play import presence
from tables.play.executors import JOINS
from tables.play.frames import Joined
from tables.play.seating import SeatRequest
from tables.sockets.batching import Batcher, Take

log = logging.getLogger(__name__)

#: The most tables in one transaction: their rows are locked meanwhile.
MOST = 48

_TableRequest = tuple[int, SeatRequest]
_table_batchers: LoopLocal[WeakValueDictionary[int, Batcher[SeatRequest]]] = LoopLocal(WeakValueDictionary)


async def submit_request(table_id: int, request: SeatRequest) -> Joined | None:
    """Handle one request as `presence.handle_requests` does, with its errors."""
    joined: Joined | None
    was_handled, joined = await _batcher().submit((table_id, request))
    return joined if was_handled else await _batcher_of(table_id).submit(request)


def _table_of(item: _TableRequest) -> int:
    """Return the table: all requests to one table pass together, so that it is locked, read and shown once for them."""
    return item[0]


async def _handle_batch(take: Take[_TableRequest]) -> Any:
    return await JOINS.read(partial(_handle_requests, take))


_batcher: LoopLocal[Batcher[_TableRequest]] = LoopLocal(lambda: Batcher(_handle_batch, most=MOST, kind=_table_of))


def _handle_requests(take: Take[_TableRequest]) -> list[Any]:
    """Return for each request whether it has passed, and the answer to it; or the error that it has met."""
    items = take()
    requests: dict[int, list[SeatRequest]] = {}
    for table_id, request in items:
        requests.setdefault(table_id, []).append(request)
    try:
        answers = presence.handle_requests_at_many(requests=requests)
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


def _batcher_of(table_id: int) -> Batcher[SeatRequest]:
    """Return the batcher of that table for the sockets of the running loop."""
    batchers = _table_batchers()
    batcher = batchers.get(table_id)
    if batcher is None:
        batcher = batchers[table_id] = Batcher(partial(_handle_at_table, table_id))
    return batcher


async def _handle_at_table(table_id: int, take: Take[SeatRequest]) -> Sequence[Any]:
    answers: Sequence[Any] = await JOINS.change(partial(_handle_locked, take), table_id=table_id)
    return answers


def _handle_locked(take: Take[SeatRequest], *, table_id: int) -> Any:
    return presence.handle_requests(table_id=table_id, requests=take())
