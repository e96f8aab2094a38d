"""The fast way of a move that only moves cards: made on the table in memory, written by one guarded write.

It is a short cut on the one path of a change, never another path: the same engine makes the move, the same rows are
written, the same frames go out, all of it after the commit. Whatever is not plain here, be it a refusal, a table that
somebody else holds, an answer given before, the end of a deal or a database that is not well, is left to the path with
the lock (`services.play`), which begins by asking what this request was answered.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection, transaction

from rules import game
from rules.errors import Refused
from rules.game import Phase, Transition, events
from tables.metrics import COMMIT_SECONDS, FAST
from tables.models import Seating, Table
from tables.play import broadcast, clocks, protocol, store
from tables.play.fast import commit, live
from tables.play.seating import find_seating
from tables.play.store import LockedTable

log = logging.getLogger(__name__)

#: The frames whose moves need no search through arrangements and touch no money.
QUICK = frozenset({"draw", "discard", "drop", "auto_drop", "arrange", "sort"})
#: What such a move may bring about. None of it makes a posting, or a row of the history: see `settlement`, `records`.
ONLY_CARDS = frozenset(
    {events.CardDrawn, events.CardDiscarded, events.TurnBegan, events.ClosedDeckReshuffled, events.PlayerDropped}
    | {events.AutoDropSet, events.HandArranged, events.HandSorted}
)
#: So many moves share a snapshot: to write it at each would cost as much as all the rest of the write.
SNAPSHOT_AFTER = 16


@dataclass(frozen=True, slots=True)
class Ask:
    """What one socket asks of a table."""

    table_id: int
    user_id: int
    connection: str
    frame: protocol.Frame


Answer = Mapping[str, Any]


def play(ask: Ask) -> dict[str, Any] | None:
    """Return the `ack` of a move that went the fast way; None, and nothing was changed, where it must go the other."""
    if ask.frame.type not in QUICK or connection.in_atomic_block:
        return None
    return play_together([ask])[0]


def play_together(asks: Sequence[Ask]) -> list[dict[str, Any] | None]:
    """Return for each of the asks, at most one of each table, what `play` does: one commit makes them all.

    Where the commit fails nobody knows what is in the database: the tables are read anew before the next move.
    """
    try:
        with COMMIT_SECONDS.time(), transaction.atomic():
            versions = commit.lock_tables([ask.table_id for ask in asks])
            now = store.now_ms()
            made = [move for ask in asks if (move := _made(ask, versions.get(ask.table_id), now)) is not None]
            written = commit.write(made)
            # Without a move there is nothing to commit, and nothing that a commit could lose.
            transaction.set_rollback(not written)
    except BaseException:
        for ask in asks:
            live.forget(ask.table_id)
        raise
    with broadcast.together():
        for move in made:
            if move in written:
                _tell(move)
            else:
                live.forget(move.table.row.pk)
    FAST.labels("made").inc(len(written))
    FAST.labels("lost").inc(len(made) - len(written))
    FAST.labels("left").inc(len(asks) - len(made))
    done = {move.table.row.pk: move.answer for move in written}
    return [done.get(ask.table_id) for ask in asks]


def _tell(move: commit.MadeMove) -> None:
    """Let everybody know of a move that is committed; whatever goes wrong with that undoes nothing."""
    live.keep(move.table)
    try:
        clocks.nudge(move.table)
        broadcast.tell(move.table)
    except Exception:
        log.exception("not everybody could be told of a move at table %s", move.table.row.pk)


def _made(ask: Ask, version: int | None, now: int) -> commit.MadeMove | None:
    """Return the move, made in memory; None where it is no plain one."""
    table = _known(ask.table_id, version) if version is not None else None
    seating = find_seating(table, ask.user_id) if table is not None else None
    if table is None or seating is None or not _may_play(table, seating, ask):
        return None
    try:
        transition = game.apply(table.state, protocol.to_move(ask.frame, seating.seat), now)
    except Refused:
        return None
    if not _only_moves_cards(transition):
        return None
    return commit.MadeMove(
        table=_after(table, transition, now),
        transition=transition,
        seating=seating,
        connection=ask.connection,
        request="" if ask.frame.id is None else str(ask.frame.id),
        answer={"type": "ack", "version": transition.after.version},
    )


def _known(table_id: int, version: int) -> LockedTable | None:
    """Return the table as it is at that version, from memory or, where another process was faster, read anew.

    None where it is none for the fast way: such a table is never kept.
    """
    table = live.find(table_id)
    if table is None or table.state.version != version:
        live.forget(table_id)
        live.keep(store.look(table_id))
    return live.find(table_id)


def _may_play(table: LockedTable, seating: Seating, ask: Ask) -> bool:
    """Return whether the socket plays the seat, its account is open, and what it has seen is not out of date."""
    if seating.connection != ask.connection or seating.user is None or not seating.user.is_active:
        return False
    seen = ask.frame.version
    if seen is None or ask.frame.type not in protocol.VERSIONED:
        return True
    return not game.is_stale(table.state, seating.seat, seen)


def _only_moves_cards(transition: Transition) -> bool:
    kinds = {type(event) for event in transition.events}
    return bool(kinds) and kinds <= ONLY_CARDS and transition.after.phase is Phase.PLAYING


def _after(table: LockedTable, transition: Transition, now: int) -> LockedTable:
    """Return the table after the move; the one before stays as it is until the move is committed."""
    # What its row refers to is shared with the one before: nothing of that is ever changed.
    row = Table.__new__(Table)
    row.__dict__.update(table.row.__dict__)
    store.write_state(row, transition.after, snapshot_after=SNAPSHOT_AFTER)
    return replace(
        table, row=row, before=transition.before, state=transition.after, now=now, events=list(transition.events)
    )
