"""The doors of the tables: who comes to a table, takes their seat or goes at the same moment does so together."""

import asyncio
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from tables.play import presence
from tables.play.lanes import JOINS
from tables.sockets.together import Take, Together

Call = presence.Coming | presence.Claim | presence.Going

_doors: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[int, Together[Call]]] = WeakKeyDictionary()


def door_of(table_id: int) -> Together[Call]:
    """Return the door of that table for the sockets of the running loop."""
    doors = _doors.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    door = doors.get(table_id)
    if door is None:
        door = doors[table_id] = Together(partial(_open, table_id))
    return door


async def _open(table_id: int, take: Take[Call]) -> Any:
    return await JOINS.change(partial(_pass, take), table_id=table_id)


def _pass(take: Take[Call], *, table_id: int) -> Any:
    return presence.come_and_go(table_id=table_id, calls=take())
