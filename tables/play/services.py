"""Everything that changes a table. Each service is one transaction; every change of a match enters by `advance`."""

import logging
from contextlib import suppress
from typing import Any

from django.db import transaction

from rules import game
from rules.game import Phase, moves
from tables.errors import TableError
from tables.language import spoken
from tables.metrics import measured
from tables.models import Answer, Seating, Table
from tables.play import broadcast, clocks, outages, protocol, store
from tables.play.advance import REFUSALS, advance, advance_for_platform, changing, finish, freezing, run_overdue_clocks
from tables.play.computers import practice
from tables.play.computers.playing import move_computer
from tables.play.fast import moves as fast
from tables.play.presence import adopt
from tables.play.seating import (
    buy_in,
    check_admission,
    costs_nothing_to_leave,
    find_seating,
    own_seatings,
    seating_of,
    take_seat,
)
from tables.play.store import LockedTable
from wallet.audit.freeze import STANDS_STILL
from wallet.base.retry import retried
from wallet.language import worded
from wallet.responsible_gaming import services as responsible_gaming

log = logging.getLogger(__name__)

#: The tables that waited for settlement in the last round of this process, and how many of them its log names.
_waiting: set[int] = set()
MOST_TOLD = 50


@measured
@retried
def play(*, table_id: int, user_id: int, connection: str, frame: protocol.Frame, number: int = 0) -> dict[str, Any]:
    """Make the frame's move, or refuse it with nothing changed; return the `ack` or `error` frame that answers it.

    A frame with an id that this seat has used before gets the first answer again. TableError `not_seated`
    without a seat here, `taken_over` where a later connection than this, the `number`th, plays the seat.
    """
    with freezing(table_id):
        answer = fast.play(fast.Ask(table_id, user_id, connection, frame))
    if answer is not None:
        return answer
    with changing(table_id):
        table = store.lock_table(table_id)
        answered = _first_answer(table_id, user_id, frame)
        if answered is not None:
            return answered
        seating = seating_of(table, user_id)
        if seating.connection != connection and adopt(table, seating, connection, number):
            broadcast.presence(table)
        run_overdue_clocks(table)
        answer = _answer(table, seating, frame)
        finish(table)
        _remember(seating, frame, answer)
        return answer


@retried
def sit(
    *, table_id: int, user: Any, amount: int | None = None, seat: int | None = None, once_a_stake: bool = False
) -> Seating:
    """Give the user a seat at the table, and take the payment for it; called again, return the same seat.

    `amount` is the buy-in in the smallest unit: from the table's minimum to its maximum, by default ten times the
    minimum as far as balance and maximum allow; tables with an entry fee take exactly that. `seat` counts from 0,
    any free one by default. TableError `table_full`, `seat_taken`, `too_many_tables`, `below_minimum`,
    `above_maximum`, `table_closed`; `already_seated_elsewhere`, if `once_a_stake`, for who sits at another public table
    of its stake; InsufficientBalance.
    """
    with changing(table_id):
        table = store.lock_table(table_id)
        mine = find_seating(table, user.pk)
        if mine is not None:
            return mine
        run_overdue_clocks(table)
        check_admission(table, user, once_a_stake=once_a_stake)
        seating = take_seat(table, user=user, name=str(user), seat=seat)
        advance(table, moves.Sit(seat=seating.seat, stack=buy_in(table, user, amount), computer=False))
        finish(table)
        return seating


def leave_if_idle(*, user_id: int) -> bool:
    """Take the user out of a seat where leaving costs nothing; return whether they held one and have left it.

    Where they play a deal, or a match with a pot, they keep their seat until that is over. A table that stands still
    lets them go when it begins again: no deal begins with who is barred.
    """
    left = False
    for seating in own_seatings(user_id):
        with suppress(TableError):
            left = _left_if_idle(seating.table_id, user_id) or left
    return left


@retried
def _left_if_idle(table_id: int, user_id: int) -> bool:
    with changing(table_id):
        table = store.lock_table(table_id)
        run_overdue_clocks(table)
        mine = find_seating(table, user_id)
        if mine is None or not costs_nothing_to_leave(table, mine.seat):
            finish(table)
            return False
        advance(table, moves.Leave(seat=mine.seat))
        finish(table)
        return True


@retried
def tick(*, table_id: int) -> None:
    """Do whatever is due at the table: run an overdue clock, move for a computer player.

    Early, late, doubled or lost calls do no harm: only the stored moments and the clock of the database count. While
    nobody serves, nothing is due.
    """
    now = store.now_ms()
    if not clocks.is_due(table_id, now) or outages.nobody_serves(now):
        # Most nudges: the player was in time.
        return
    with freezing(table_id), transaction.atomic():
        try:
            table = store.lock_table(table_id, skip_locked=True)
        except TableError:
            return
        if table.row.status == Table.Status.OPEN:
            run_overdue_clocks(table, asked=False)
            move_computer(table)
            finish(table)


def sweep() -> int:
    """Tick every open table with something overdue, whatever becomes of the others; return how many.

    None while nobody serves.
    """
    now = store.now_ms()
    if outages.nobody_serves(now):
        return 0
    overdue, waiting = clocks.overdue_tables(now), set()
    for table_id in overdue:
        try:
            if not tick_or_wait(table_id=table_id):
                clocks.failed(table_id)
                waiting.add(table_id)
        except Exception:
            clocks.failed(table_id)
            log.exception("table %s could not be swept", table_id)
    _note_waiting(waiting)
    return len(overdue)


def tick_or_wait(*, table_id: int) -> bool:
    """Tick the table; return False where nothing has happened because settlement is frozen.

    The table is simply tried again.
    """
    try:
        tick(table_id=table_id)
    except TableError as refusal:
        if refusal.code != STANDS_STILL:
            raise
        return False
    return True


def _note_waiting(waiting: set[int]) -> None:
    """Log one line for all tables that wait for settlement, and only when they are others than in the last round."""
    if waiting == _waiting:
        return
    if waiting:
        told = {"waiting": len(waiting), "tables": sorted(waiting)[:MOST_TOLD]}
        log.warning("settlement is frozen, tables wait for it", extra=told)
    else:
        log.warning("no table waits for settlement any more")
    _waiting.clear()
    _waiting.update(waiting)


def release_seats() -> int:
    """Free the seats of those who have waited for company for long without a connection; return at how many tables.

    Those who were waited for at a practice table give theirs up after a day; nobody who could not have been there.
    """
    now = store.now_ms()
    if not outages.served_since(now - clocks.ABANDONED_AFTER_MS, now):
        return 0
    abandoned = clocks.abandoned_tables(now)
    for table_id in abandoned:
        try:
            _release_seats(table_id)
        except Exception:
            log.exception("no seat could be released at table %s", table_id)
    return len(abandoned)


@retried
def _release_seats(table_id: int) -> None:
    with changing(table_id):
        table = store.lock_table(table_id)
        run_overdue_clocks(table, asked=False)
        for seat, seating in sorted(table.seatings.items()):
            silent = abs(table.now - seating.seen_ms) > _patience(table)
            if _is_idle(table) and silent and not seating.is_computer and seating.left_at is None:
                advance_for_platform(table, moves.Leave(seat=seat))
        finish(table)


def _is_idle(table: LockedTable) -> bool:
    """Return whether nothing happens here before somebody comes, or comes back."""
    return table.state.phase is Phase.WAITING or table.row.practice_for_id is not None


def _patience(table: LockedTable) -> int:
    """Return how long a seat is kept for who is not there, in ms."""
    return clocks.ABANDONED_AFTER_MS if table.row.practice_for_id is None else practice.PATIENCE_MS


def _answer(table: LockedTable, seating: Seating, frame: protocol.Frame) -> dict[str, Any]:
    before, happened = table.state, len(table.events)
    try:
        with transaction.atomic():
            _check_version(table, seating, frame)
            _check_care(table, seating, frame)
            advance(table, protocol.to_move(frame, seating.seat))
    except REFUSALS as refusal:
        table.state = before
        del table.events[happened:]
        return {
            "type": "error",
            "code": refusal.code,
            "message": spoken(refusal.message),
            "version": table.state.version,
        }
    return {"type": "ack", "version": table.state.version}


def _check_version(table: LockedTable, seating: Seating, frame: protocol.Frame) -> None:
    if frame.version is None or frame.type not in protocol.VERSIONED:
        return
    if game.is_stale(table.state, seating.seat, frame.version):
        raise TableError("stale", worded("The table has moved on since. Look again, then choose."))


def _check_care(table: LockedTable, seating: Seating, frame: protocol.Frame) -> None:
    """Ask anew, where every deal is a match of its own, whether the player may go on.

    A running match is played to its end.
    """
    if frame.type == "continue" and table.state.book.per_point and seating.user_id is not None:
        responsible_gaming.check_play(seating.user_id)


def _first_answer(table_id: int, user_id: int, frame: protocol.Frame) -> dict[str, Any] | None:
    """Return what this request was answered in the player's present or last stay: they may just have left."""
    if frame.id is None:
        return None
    stay = Seating.objects.filter(table_id=table_id, user_id=user_id).order_by("-pk").values("pk")[:1]
    found = Answer.objects.filter(seating__in=stay, request_id=str(frame.id)).first()
    return found.answer if found else None


def _remember(seating: Seating, frame: protocol.Frame, answer: dict[str, Any]) -> None:
    if frame.id is not None:
        Answer.objects.create(seating=seating, request_id=str(frame.id), answer=answer)
