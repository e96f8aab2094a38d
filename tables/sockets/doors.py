"""The doors of the tables: calls to come to a table, take a seat or go are batched.

The calls that wait at the same moment pass in one transaction for many tables of this process. A call whose table is
locked, or whose batch has failed, passes at the door of its own table, where only calls to that table wait for it.
"""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from django.db import DatabaseError

from tables.play import presence
from tables.play.frames import Joined
from tables.play.lanes import JOINS
from tables.play.seating import Call
from tables.sockets.together import Take, Together

log = logging.getLogger(__name__)

#: The most tables in one transaction: their rows are locked meanwhile.
MOST = 48

_ToTable = tuple[int, Call]
_gates: WeakKeyDictionary[asyncio.AbstractEventLoop, Together[_ToTable]] = WeakKeyDictionary()
_doors: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[int, Together[Call]]]
_doors = WeakKeyDictionary()


async def pass_the_door(table_id: int, call: Call) -> Joined | None:
    """Handle one call to come to the table, take a seat or go, as `presence.come_and_go` does, with its errors."""
    gate = _gates.setdefault(asyncio.get_running_loop(), Together(_open_all, most=MOST, kind=_table_of))
    joined: Joined | None
    was_let_in, joined = await gate.ask((table_id, call))
    return joined if was_let_in else await _door_of(table_id).ask(call)


def _table_of(asked: _ToTable) -> int:
    """Return the table: all calls to one table pass together, so that it is locked, read and shown once for them."""
    return asked[0]


async def _open_all(take: Take[_ToTable]) -> Any:
    return await JOINS.read(partial(_pass_all, take))


def _pass_all(take: Take[_ToTable]) -> list[Any]:
    """Return for each call whether it has passed, and the answer to it; or the error that it has met."""
    asked = take()
    calls: dict[int, list[Call]] = {}
    for table_id, call in asked:
        calls.setdefault(table_id, []).append(call)
    try:
        answers = presence.come_and_go_at_many(calls=calls)
    except DatabaseError:
        raise
    except Exception as fault:
        log.info("%s could not pass together: %r", len(asked), fault)
        answers = {}
    left = {table_id: iter(each) for table_id, each in answers.items()}
    return [_answer(left, table_id) for table_id, _ in asked]


def _answer(left: dict[int, Any], table_id: int) -> Any:
    if table_id not in left:
        return False, None
    answer = next(left[table_id])
    return answer if isinstance(answer, Exception) else (True, answer)


def _door_of(table_id: int) -> Together[Call]:
    """Return the door of that table for the sockets of the running loop."""
    doors = _doors.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    door = doors.get(table_id)
    if door is None:
        door = doors[table_id] = Together(partial(_open, table_id))
    return door


async def _open(table_id: int, take: Take[Call]) -> Sequence[Any]:
    answers: Sequence[Any] = await JOINS.change(partial(_pass, take), table_id=table_id)
    return answers


def _pass(take: Take[Call], *, table_id: int) -> Any:
    return presence.come_and_go(table_id=table_id, calls=take())
