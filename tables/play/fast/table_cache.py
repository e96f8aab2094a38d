"""The cache of tables: those that this process remembers, so that a move need not read them again.

A remembered table is a guess: another process may have changed it without notice. The conditional write (`commit`)
accepts a move only where the row still is as the guess says; otherwise the table is read again. The state of a
remembered table never changes in place; who is connected does (`update_presence`).

Moves of other processes come with their events, sealed as they are stored: a process that has the table as it was just
before needs no query for that (`follow_move`). One that has not, or cannot read the events, reads the table.
"""

import json
import logging
from collections.abc import Iterable

from rules import game
from rules.game import Phase, TableState, codec, events
from rules.game.events import Event
from tables.log.sealing import EVENTS
from tables.models import Table
from tables.play.broadcast import EventPayload, TableMessage
from tables.play.seating import Occupant
from tables.play.store import EventRow, TableSnapshot

log = logging.getLogger(__name__)

#: At most this many tables are remembered; the one put in longest ago goes first.
MOST = 5_000
#: The events that a move on the fast way may cause. None of them makes a posting, or a row of the history: see
#: `settlement`, `records`.
ONLY_CARDS = frozenset(
    {events.CardDrawn, events.CardDiscarded, events.TurnBegan, events.ClosedDeckReshuffled, events.PlayerDropped}
    | {events.AutoDropSet, events.HandArranged, events.HandSorted}
)

_tables: dict[int, TableSnapshot] = {}


def get(table_id: int) -> TableSnapshot | None:
    """Return the remembered table, None if there is none."""
    return _tables.get(table_id)


def put(table: TableSnapshot) -> None:
    """Remember the table as just committed or read, unless a newer state is known or the fast way cannot play it.

    It plays deals at open tables where only people sit.
    """
    known = _tables.get(table.row.pk)
    if known is not None and known.state.version > table.state.version:
        return
    is_in_deal = table.row.status == Table.Status.OPEN and table.state.phase is Phase.PLAYING
    # A move changes nobody's seat: see `after`.
    has_same_people = known is not None and known.seatings is table.seatings
    if not is_in_deal or not (has_same_people or _has_people_only(table)):
        evict(table.row.pk)
        return
    _tables.pop(table.row.pk, None)
    _tables[table.row.pk] = table
    while len(_tables) > MOST:
        evict(next(iter(_tables)))


def _has_people_only(table: TableSnapshot) -> bool:
    return not any(seating.is_computer for seating in table.seatings.values())


def only_cards(happened: Iterable[Event]) -> bool:
    """Return whether these events do nothing but move cards."""
    return {type(event) for event in happened} <= ONLY_CARDS


def after(table: TableSnapshot, state: TableState, happened: Iterable[Event], now: int) -> TableSnapshot:
    """Return a copy of the table with its next state and the events that led there; the original does not change."""
    # Both rows refer to the same objects, which are never changed.
    row = Table.__new__(Table)
    row.__dict__.update(table.row.__dict__)
    return TableSnapshot(
        row=row,
        before=table.state,
        state=state,
        now=now,
        seatings=table.seatings,
        events=list(happened),
        names=table.names,
        encoded=table.encoded,
    )


def evict(table_id: int) -> None:
    """Forget the table, so that it is read again before the next move."""
    _tables.pop(table_id, None)


def evict_all() -> None:
    """Forget every table, since the database is another one."""
    _tables.clear()


def update_presence(table_id: int, seatings: Iterable[Occupant]) -> None:
    """Update who is connected, from rows just read."""
    table = _tables.get(table_id)
    if table is None:
        return
    for seating in seatings:
        known = table.seatings.get(seating.seat)
        if known is not None and known.pk == seating.pk:
            known.connection, known.seen_ms = seating.connection, seating.seen_ms


def rows_of(rows: Iterable[EventRow]) -> list[EventPayload]:
    """Return the events of a move as other processes get them, in their order."""
    return [(row.at_ms, row.payload) for row in rows]


def follow_move(table_id: int, message: TableMessage) -> TableSnapshot | None:
    """Return the table after the move in the message, and remember it; None where the table must be read instead.

    That is where the message has no events, or others than the fast way makes, or where they cannot be read, or where
    this process does not have the table as it was just before them.
    """
    table, version = get(table_id), message.version
    if table is None or not message.rows or table.state.version != version - 1:
        return None
    try:
        happened = [_event(each, table_id, version, number) for number, each in enumerate(message.rows)]
    except Exception:
        log.warning("the events of a move at table %s could not be read", table_id, exc_info=True)
        return None
    if not only_cards(happened):
        return None
    followed = after(table, game.follow(table.state, [happened]), happened, int(message.rows[-1][0]))
    followed.row.version = version
    followed.row.deadline_ms = followed.state.clock.deadline if followed.state.clock else None
    put(followed)
    return followed


def _event(row: EventPayload, table_id: int, version: int, number: int) -> Event:
    payload = EVENTS.unseal_at(row[1], table_id, version, number, row[0])
    return codec.load_event(json.loads(payload))
