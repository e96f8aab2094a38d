"""The doors of the tables: who comes to a table, takes their seat or goes at the same moment does so together.

All who come to any table of this process pass in one transaction for many tables. Whoever finds their table held, and
those of a crowd in which something went wrong, pass at the door of their own table, where nobody else waits for them.
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

#: So many pass together at most: the rows of their tables are held meanwhile.
MOST = 48

_ToTable = tuple[int, Call]
_gates: WeakKeyDictionary[asyncio.AbstractEventLoop, Together[_ToTable]] = WeakKeyDictionary()
_doors: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[int, Together[Call]]]
_doors = WeakKeyDictionary()


async def pass_the_door(table_id: int, call: Call) -> Joined | None:
    """Let one come to the table, take their seat or go: see `presence.come_and_go`, whose errors this raises."""
    gate = _gates.setdefault(asyncio.get_running_loop(), Together(_open_all, most=MOST))
    joined: Joined | None
    was_let_in, joined = await gate.ask((table_id, call))
    return joined if was_let_in else await _door_of(table_id).ask(call)


async def _open_all(take: Take[_ToTable]) -> Any:
    return await JOINS.read(partial(_pass_all, take))


def _pass_all(take: Take[_ToTable]) -> list[Any]:
    """Return for each whether they have passed, and what they are answered; or the error that they have met."""
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
