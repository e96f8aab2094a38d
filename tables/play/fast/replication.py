"""Replication of the moves of other processes by their events, which come with the message, sealed as they are stored.

A process that has the table in memory as it was just before needs no query for that. One that has not, or cannot read
the events, reads the table.
"""

import json
import logging
from collections.abc import Iterable

from rules import game
from rules.game import codec
from rules.game.events import Event
from tables.log.sealing import EVENTS
from tables.play.broadcast import EventPayload, TableMessage
from tables.play.fast import table_cache
from tables.play.store import EventRow, TableSnapshot

log = logging.getLogger(__name__)


def rows_of(rows: Iterable[EventRow]) -> list[EventPayload]:
    """Return the events of a move as other processes get them, in their order."""
    return [(row.at_ms, row.payload) for row in rows]


def follow_move(table_id: int, message: TableMessage) -> TableSnapshot | None:
    """Return the table after the move in the message, and remember it; None where the table must be read instead.

    That is where the message has no events, or others than the fast way makes, or where they cannot be read, or where
    this process does not have the table as it was just before them.
    """
    table, version = table_cache.get(table_id), message.version
    if table is None or not message.rows or table.state.version != version - 1:
        return None
    try:
        happened = [_event(each, table_id, version, number) for number, each in enumerate(message.rows)]
    except Exception:
        log.warning("the events of a move at table %s could not be read", table_id, exc_info=True)
        return None
    if not table_cache.only_cards(happened):
        return None
    after = table_cache.after(table, game.follow(table.state, [happened]), happened, int(message.rows[-1][0]))
    after.row.version = version
    after.row.deadline_ms = after.state.clock.deadline if after.state.clock else None
    table_cache.put(after)
    return after


def _event(row: EventPayload, table_id: int, version: int, number: int) -> Event:
    payload = EVENTS.unseal_at(row[1], table_id, version, number, row[0])
    return codec.load_event(json.loads(payload))
