"""Live tables: what this process remembers of the tables it plays, so that a move need not read them again.

What is remembered is a guess, never the truth: another process may have changed the table without a word. The guarded
write (`commit`) lets a move through only where the row still is as the guess has it; else the table is read anew.
Nothing remembered is ever changed in place but who is there, which `note` brings up to date.
"""

from collections.abc import Iterable
from dataclasses import replace

from rules.game import Phase, TableState, events
from rules.game.events import Event
from tables.models import Table
from tables.play.seating import Occupant
from tables.play.store import LockedTable

#: So many tables are remembered; the one that was played at longest ago goes first.
MOST = 5_000
#: What a move on the fast way may bring about. None of it makes a posting, or a row of the history: see `settlement`,
#: `records`.
ONLY_CARDS = frozenset(
    {events.CardDrawn, events.CardDiscarded, events.TurnBegan, events.ClosedDeckReshuffled, events.PlayerDropped}
    | {events.AutoDropSet, events.HandArranged, events.HandSorted}
)

_tables: dict[int, LockedTable] = {}


def find(table_id: int) -> LockedTable | None:
    """Return the table as it is remembered, if it is."""
    return _tables.get(table_id)


def keep(table: LockedTable) -> None:
    """Remember the table as it was just committed, unless a newer state is known or it is none for the fast way."""
    known = _tables.get(table.row.pk)
    if known is not None and known.state.version > table.state.version:
        return
    if not is_playable(table):
        forget(table.row.pk)
        return
    _tables.pop(table.row.pk, None)
    _tables[table.row.pk] = table
    while len(_tables) > MOST:
        forget(next(iter(_tables)))


def is_playable(table: LockedTable) -> bool:
    """Return whether moves at the table may take the fast way now: people play a deal, and nothing stops them."""
    people = all(not seating.is_computer for seating in table.seatings.values())
    return table.row.status == Table.Status.OPEN and table.state.phase is Phase.PLAYING and people


def only_cards(happened: Iterable[Event]) -> bool:
    """Return whether nothing but cards was moved."""
    return {type(event) for event in happened} <= ONLY_CARDS


def after(table: LockedTable, state: TableState, happened: Iterable[Event], now: int) -> LockedTable:
    """Return the table with its next state, which these events have led to; the one at hand stays as it is."""
    # What its row refers to is shared with the one before: nothing of that is ever changed.
    row = Table.__new__(Table)
    row.__dict__.update(table.row.__dict__)
    return replace(table, row=row, before=table.state, state=state, now=now, events=list(happened))


def forget(table_id: int) -> None:
    """Read the table anew before the next move."""
    _tables.pop(table_id, None)


def forget_all() -> None:
    """Read every table anew: the database is another one."""
    _tables.clear()


def note(table_id: int, seatings: Iterable[Occupant]) -> None:
    """Bring up to date who is there, from rows just read."""
    table = _tables.get(table_id)
    if table is None:
        return
    for seating in seatings:
        known = table.seatings.get(seating.seat)
        if known is not None and known.pk == seating.pk:
            known.connection, known.seen_ms = seating.connection, seating.seen_ms
