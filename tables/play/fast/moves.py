"""The fast way of a move that only moves cards: made on the table in memory, written by one guarded write.

It is a short cut: the same engine makes the move, the same rows are written, and the same frames go out after the
commit. Everything else, such as a refusal, a locked table, a request that was answered before, the end of a deal or a
failing database, is left to the way with the lock (`services.play`), which checks first whether this request was
answered.
"""

import logging
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from rules import game
from rules.errors import Refused
from rules.game import Phase, Transition
from tables.in_step import Steps, in_step
from tables.metrics import COMMIT_SECONDS, FAST
from tables.models import Seating
from tables.play import broadcast, clocks, frames, protocol, store
from tables.play.fast import clock, commit, following, live
from tables.play.seating import find_seating
from tables.play.store import LockedTable

log = logging.getLogger(__name__)

#: The frames whose moves need no search through arrangements and touch no money.
QUICK = frozenset({"draw", "discard", "drop", "auto_drop", "arrange", "sort"})
#: How often a move is tried: a second time where the table was not as this process remembered it.
TRIES = 2
#: The versions after which a snapshot is written: one at each move would cost as much as the rest of the write.
SNAPSHOT_AFTER = 32


@dataclass(frozen=True, slots=True, eq=False)
class Ask:
    """A socket's request to make a move at a table."""

    table_id: int
    user_id: int
    connection: str
    frame: protocol.Frame
    #: The socket's credential, where it was not found valid within the last second: see `gathering`.
    doubted: Hashable = None


Answer = Mapping[str, Any]
#: The messages for the sockets, by table.
Messages = Mapping[int, Mapping[str, Any]]


def play(ask: Ask) -> dict[str, Any] | None:
    """Make the move the fast way and return its `ack`; return None, with nothing changed, if it cannot go that way."""
    if ask.frame.type not in QUICK or connection.in_atomic_block:
        return None
    return play_together([ask])[0]


def play_together(asks: Sequence[Ask]) -> list[dict[str, Any] | None]:
    """Make the moves, at most one of each table, as `play` does but in one commit; return what it would for each.

    After a failed commit nobody knows what is in the database, so these tables are read again before the next move.
    Where the guess was wrong, the table is read again at once and the move is tried a second time.
    """
    done: dict[int, Answer] = {}
    tried = asks
    for _ in range(TRIES):
        written, lost = _try([ask for ask in tried if ask.table_id not in done])
        done.update((move.table.row.pk, move.answer) for move in written)
        tried = [ask for ask in tried if ask.table_id in lost]
        if not tried:
            break
    FAST.labels("left").inc(len(asks) - len(done))
    return [dict(done[ask.table_id]) if ask.table_id in done else None for ask in asks]


def _try(asks: Sequence[Ask]) -> tuple[list[commit.MadeMove], set[int]]:
    """Make these moves; return those that are written, and the tables where the guess was wrong."""
    made = _make(asks, clock.estimated_now_ms())
    written = commit_moves(made)
    show_moves(written, make_messages(written))
    return written, {move.table.row.pk for move in made if move not in written}


def make_at_hand(asks: Sequence[Ask]) -> list[commit.MadeMove]:
    """Make those of the moves that need nothing from the database; an event loop may call it.

    These are moves at tables in memory, by credentials that are not doubted, while the time is known.
    """
    now = clock.known_now_ms()
    if now is None:
        return []
    try:
        return _make([ask for ask in asks if ask.doubted is None and _remembered(ask) is not None], now)
    except Exception:
        log.exception("%s moves could not be made at once", len(asks))
        return []


def _make(asks: Sequence[Ask], now: int) -> list[commit.MadeMove]:
    return [move for move in in_step([_made(ask, now) for ask in asks]) if move is not None]


def commit_moves(made: Sequence[commit.MadeMove]) -> list[commit.MadeMove]:
    """Write the moves in one commit; return those that are written, and forget the tables of the others."""
    try:
        with COMMIT_SECONDS.time():
            written = commit.write(made)
    except BaseException:
        for move in made:
            live.forget(move.table.row.pk)
        # The connection itself may be broken: the next try gets a new one.
        connection.close_if_unusable_or_obsolete()
        raise
    lost = [move for move in made if move not in written]
    for move in lost:
        live.forget(move.table.row.pk)
    FAST.labels("made").inc(len(written))
    FAST.labels("lost").inc(len(lost))
    return written


def make_messages(made: Iterable[commit.MadeMove]) -> Messages:
    """Return the messages with everybody's frames after these moves, by table; nobody gets them before the commit.

    A table whose message cannot be made has none: the heartbeat makes up for it.
    """
    moves = list(made)
    messages = in_step([_message(move) for move in moves])
    return {move.table.row.pk: message for move, message in zip(moves, messages, strict=True) if message is not None}


def _message(move: commit.MadeMove) -> Steps[Mapping[str, Any] | None]:
    """Make the message with the frames, the client's frame that it answers, and the events that others follow it by."""
    try:
        message = broadcast.state_message(move.table, (yield from frames.frames_in_steps(move.table)))
        return {**message, "answers": move.frame, "rows": following.rows_of(move.events)}
    except Exception:
        log.exception("the frames after a move at table %s could not be made", move.table.row.pk)
        return None


def show_moves(written: Iterable[commit.MadeMove], messages: Messages) -> None:
    """Remember the tables of these committed moves, and send everybody there their frames."""
    with broadcast.together():
        for move in written:
            _tell(move, messages.get(move.table.row.pk))


def _tell(move: commit.MadeMove, message: Mapping[str, Any] | None) -> None:
    """Remember the table, nudge its clock and send the message; the move is committed, so a failure undoes nothing."""
    live.keep(move.table)
    try:
        clocks.nudge(move.table)
        if message is not None:
            broadcast.tell(move.table, message)
    except Exception:
        log.exception("not everybody could be told of a move at table %s", move.table.row.pk)


def _made(ask: Ask, now: int) -> Steps[commit.MadeMove | None]:
    """Make the move in memory; None if it is not one for the fast way."""
    table = _known(ask)
    seating = find_seating(table, ask.user_id) if table is not None else None
    if table is None or seating is None or not _may_play(table, seating, ask) or _is_near_deadline(table, now):
        return None
    yield
    try:
        transition = game.apply(table.state, protocol.to_move(ask.frame, seating.seat), now)
    except Refused:
        return None
    if not _only_moves_cards(transition):
        return None
    yield
    after = _after(table, transition, now)
    yield
    return commit.MadeMove(
        table=after,
        transition=transition,
        seating=seating,
        connection=ask.connection,
        frame=ask.frame,
        answer={"type": "ack", "version": transition.after.version},
        events=store.event_rows(after, transition),
    )


def _known(ask: Ask) -> LockedTable | None:
    """Return the table from memory, or read it where none is remembered or the client has seen a newer one.

    None where the fast way cannot play it: such a table is never remembered.
    """
    if (table := _remembered(ask)) is not None:
        return table
    try:
        live.keep(store.read_table(ask.table_id))
    except Exception:
        log.info("table %s could not be read for the fast way", ask.table_id, exc_info=True)
        return None
    return live.find(ask.table_id)


def _remembered(ask: Ask) -> LockedTable | None:
    """Return the table from memory; None where none is remembered or the client has seen a newer one."""
    table = live.find(ask.table_id)
    return table if table is not None and table.state.version >= (ask.frame.version or 0) else None


def _may_play(table: LockedTable, seating: Seating, ask: Ask) -> bool:
    """Return whether the socket plays the seat, its account is open, and the version that it has seen is not stale."""
    if seating.connection != ask.connection or seating.user is None or not seating.user.is_active:
        return False
    seen = ask.frame.version
    if seen is None or ask.frame.type not in protocol.VERSIONED:
        return True
    return not game.is_stale(table.state, seating.seat, seen)


def _is_near_deadline(table: LockedTable, now: int) -> bool:
    """Return whether the clock at the table runs out so soon that only the database can tell whether it has."""
    return table.state.clock is not None and table.state.clock.deadline - now < clock.NEAR_MS


def _only_moves_cards(transition: Transition) -> bool:
    return bool(transition.events) and live.only_cards(transition.events) and transition.after.phase is Phase.PLAYING


def _after(table: LockedTable, transition: Transition, now: int) -> LockedTable:
    """Return a copy of the table after the move; the original does not change, since the move is not committed yet."""
    after = live.after(table, transition.after, transition.events, now)
    store.write_state(after.row, transition.after, snapshot_after=SNAPSHOT_AFTER)
    return after
