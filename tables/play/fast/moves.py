"""The fast way of a move that only moves cards: made on the table in memory, written by one conditional write.

It is a short cut: the same engine makes the move, the same rows are written, and the same frames go out after the
commit. Everything else, such as a refusal, a locked table, a request that was answered before, the end of a deal or a
failing database, is left to the way with the lock (`services.play`), which checks first whether this request was
answered.
"""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db import connection

from rules import game
from rules.errors import Refused
from rules.game import Phase, Transition
from tables.lockstep import Stages, run_in_lockstep
from tables.metrics import COMMIT_SECONDS, FAST
from tables.play import broadcast, clocks, frames, guards, protocol, store
from tables.play.broadcast import TableMessage
from tables.play.fast import clock, commit, table_cache
from tables.play.guards import MoveRequest
from tables.play.seating import find_seating
from tables.play.store import TableSnapshot

log = logging.getLogger(__name__)

#: The frames whose moves need no search through arrangements and touch no money.
QUICK = frozenset({"draw", "discard", "drop", "auto_drop", "arrange", "sort"})
#: How often a move is tried: a second time where the table was not as this process remembered it.
TRIES = 2
#: The versions after which a snapshot is written: one at each move would cost as much as the rest of the write.
SNAPSHOT_AFTER = 32


MoveAnswer = Mapping[str, Any]
#: The messages for the sockets, by table.
MessageByTable = Mapping[int, TableMessage]


def play_together(requests: Sequence[MoveRequest]) -> list[dict[str, Any] | None]:
    """Make the moves, at most one of each table, in one commit; return the `ack` of each.

    None, with nothing changed, where a move cannot go this way. Call it outside transactions.

    After a failed commit nobody knows what is in the database, so these tables are read again before the next move.
    Where the guess was wrong, the table is read again at once and the move is tried a second time.
    """
    done: dict[int, MoveAnswer] = {}
    tried = requests
    for _ in range(TRIES):
        written, lost = _try([request for request in tried if request.table_id not in done])
        done.update((move.table.row.pk, move.answer) for move in written)
        tried = [request for request in tried if request.table_id in lost]
        if not tried:
            break
    FAST.labels("left").inc(len(requests) - len(done))
    return [dict(done[request.table_id]) if request.table_id in done else None for request in requests]


def _try(requests: Sequence[MoveRequest]) -> tuple[list[commit.MadeMove], set[int]]:
    """Make these moves; return those that are written, and the tables where the guess was wrong."""
    made = _make(requests, clock.estimated_now_ms())
    written = commit_moves(made)
    show_moves(written, make_messages(written))
    return written, {move.table.row.pk for move in made if move not in written}


def make_at_hand(requests: Sequence[MoveRequest]) -> list[commit.MadeMove]:
    """Make those of the moves that need nothing from the database; an event loop may call it.

    These are moves at tables in memory, by verified credentials, while the time is known.
    """
    now = clock.known_now_ms()
    if now is None:
        return []
    try:
        return _make([each for each in requests if each.unverified is None and _remembered(each) is not None], now)
    except Exception:
        log.exception("%s moves could not be made at once", len(requests))
        return []


def _make(requests: Sequence[MoveRequest], now: int) -> list[commit.MadeMove]:
    return [move for move in run_in_lockstep([_made(request, now) for request in requests]) if move is not None]


def commit_moves(made: Sequence[commit.MadeMove]) -> list[commit.MadeMove]:
    """Write the moves in one commit; return those that are written, and forget the tables of the others."""
    try:
        with COMMIT_SECONDS.time():
            written = commit.write(made)
    except BaseException:
        for move in made:
            table_cache.evict(move.table.row.pk)
        # The connection itself may be broken: the next try gets a new one.
        connection.close_if_unusable_or_obsolete()
        raise
    return note_written(made, {move.table.row.pk for move in written})


def note_written(made: Sequence[commit.MadeMove], tables: Collection[int]) -> list[commit.MadeMove]:
    """Return the moves at these tables, whose commit is known; forget the tables of the others, which are lost."""
    written = [move for move in made if move.table.row.pk in tables]
    for move in made:
        if move not in written:
            table_cache.evict(move.table.row.pk)
    FAST.labels("made").inc(len(written))
    FAST.labels("lost").inc(len(made) - len(written))
    return written


def make_messages(made: Iterable[commit.MadeMove]) -> MessageByTable:
    """Return the messages with everybody's frames after these moves, by table; nobody gets them before the commit.

    A table whose message cannot be made has none: the monitor makes up for it.
    """
    moves = list(made)
    messages = run_in_lockstep([_message(move) for move in moves])
    return {move.table.row.pk: message for move, message in zip(moves, messages, strict=True) if message is not None}


def _message(move: commit.MadeMove) -> Stages[TableMessage | None]:
    """Make the message with the frames, the client's frame that it answers, and the events that others follow it by."""
    try:
        everybodys = yield from frames.frames_in_stages(move.table)
        rows = table_cache.rows_of(move.events)
        return TableMessage.of(move.table, everybodys, answers=move.request.frame, rows=rows)
    except Exception:
        log.exception("the frames after a move at table %s could not be made", move.table.row.pk)
        return None


def show_moves(written: Iterable[commit.MadeMove], messages: MessageByTable) -> None:
    """Remember the tables of these committed moves, and send everybody there their frames."""
    with broadcast.together():
        for move in written:
            _tell(move, messages.get(move.table.row.pk))


def _tell(move: commit.MadeMove, message: TableMessage | None) -> None:
    """Remember the table, nudge its clock and send the message; the move is committed, so a failure undoes nothing."""
    table_cache.put(move.table)
    try:
        clocks.nudge(move.table)
        if message is not None:
            broadcast.tell(move.table, message)
    except Exception:
        log.exception("not everybody could be told of a move at table %s", move.table.row.pk)


def _made(request: MoveRequest, now: int) -> Stages[commit.MadeMove | None]:
    """Make the move in memory; None if it is not one for the fast way."""
    table = _known(request)
    seating = find_seating(table, request.user_id) if table is not None else None
    if table is None or seating is None or _is_near_deadline(table, now):
        return None
    if guards.why_not(table, seating, request) is not None:
        # The way with the lock looks at the table as it is now, and answers with the refusal.
        return None
    yield
    try:
        transition = game.apply(table.state, protocol.to_move(request.frame, seating.seat), now)
    except Refused:
        return None
    if not _only_moves_cards(transition):
        return None
    yield
    after = _after(table, transition, now)
    yield
    return commit.MadeMove(
        table=after, transition=transition, seating=seating, request=request, events=store.event_rows(after, transition)
    )


def _known(request: MoveRequest) -> TableSnapshot | None:
    """Return the table from memory, or read it where none is remembered or the client has seen a newer one.

    None where the fast way cannot play it: such a table is never remembered.
    """
    if (table := _remembered(request)) is not None:
        return table
    try:
        table_cache.put(store.read_table(request.table_id))
    except Exception:
        log.info("table %s could not be read for the fast way", request.table_id, exc_info=True)
        return None
    return table_cache.get(request.table_id)


def _remembered(request: MoveRequest) -> TableSnapshot | None:
    """Return the table from memory; None where none is remembered or the client has seen a newer one."""
    table = table_cache.get(request.table_id)
    return table if table is not None and table.state.version >= (request.frame.version or 0) else None


def _is_near_deadline(table: TableSnapshot, now: int) -> bool:
    """Return whether the clock at the table runs out so soon that only the database can tell whether it has."""
    return table.state.clock is not None and table.state.clock.deadline - now < clock.NEAR_MS


def _only_moves_cards(transition: Transition) -> bool:
    return (
        bool(transition.events)
        and table_cache.only_cards(transition.events)
        and transition.after.phase is Phase.PLAYING
    )


def _after(table: TableSnapshot, transition: Transition, now: int) -> TableSnapshot:
    """Return a copy of the table after the move; the original does not change, since the move is not committed yet."""
    after = table_cache.after(table, transition.after, transition.events, now)
    store.write_state(after.row, transition.after, snapshot_after=SNAPSHOT_AFTER)
    return after
