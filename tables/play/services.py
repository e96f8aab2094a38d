"""The services of a live table, each change one transaction: play a frame, sit, leave, send an emote, run what is due.

A match changes through `advance`. A move that only moves cards comes here if the fast way has left it (`fast`).
"""

import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from django.db import transaction

from rules.game import Phase, moves
from tables.errors import TableError
from tables.language import translated
from tables.metrics import measured
from tables.models import Answer, Seating, Table
from tables.play import broadcast, clocks, guards, heartbeat_requests, outages, protocol, store, tournament_tables
from tables.play.advance import REFUSALS, advance, advance_for_platform, changing, finish, freezing, run_overdue_clocks
from tables.play.computers import move_computer
from tables.play.guards import MoveRequest
from tables.play.practice import PATIENCE_MS
from tables.play.presence import take_over
from tables.play.seating import (
    buy_in,
    check_admission,
    costs_nothing_to_leave,
    find_seating,
    not_seated,
    own_seatings,
    seating_of,
    take_seat,
)
from tables.play.store import LockedTable
from wallet.base import rate_limits
from wallet.base.errors import WalletError
from wallet.base.rate_limits import RateLimit
from wallet.base.retry import retried
from wallet.language import gettext as _
from wallet.ledger.settlement_freeze import SETTLEMENT_FROZEN

log = logging.getLogger(__name__)

#: The tables that waited for settlement in the last sweep of this process, and the most that its log names.
_waiting: set[int] = set()
MOST_LOGGED = 50
#: Each move under the lock asks this; Django would take longer to build it than all the rest of the statement.
_FIRST_ANSWER = (
    "SELECT * FROM tables_answer WHERE request_id = %s"
    " AND seating_id = (SELECT MAX(id) FROM tables_seating WHERE table_id = %s AND user_id = %s)"
)
#: How many emotes a player may send, and within how many seconds, at all tables together.
EMOTES = RateLimit("emotes", 4, 12)


@measured
@retried
def play(*, table_id: int, user_id: int, connection: str, frame: protocol.Frame, number: int = 0) -> dict[str, Any]:
    """Make the frame's move under the lock or refuse it without effect; return the `ack` or `error` that answers it.

    A frame whose id this seat has used before gets the first answer again. TableError `not_seated` where the user has
    no seat here, `taken_over` where a connection that came later than this, the `number`th, plays the seat.
    """
    with changing(table_id):
        table = store.lock_table(table_id)
        first_answer = _first_answer(table_id, user_id, frame)
        if first_answer is not None:
            return first_answer
        seating = seating_of(table, user_id)
        if seating.connection != connection and take_over(table, seating, connection, number):
            broadcast.frames_after_commit(table)
        run_overdue_clocks(table)
        answer = _answer(table, seating, MoveRequest(table_id, user_id, connection, frame))
        finish(table)
        _remember(seating, frame, answer)
        return answer


@retried
def sit(
    *, table_id: int, user: Any, amount: int | None = None, seat: int | None = None, once_a_stake: bool = False
) -> Seating:
    """Give the user a seat at the table, and take the payment for it; called again, return the same seat.

    `amount` is the buy-in in the smallest unit: from the table's minimum to its maximum, by default ten times the
    minimum as far as balance and maximum allow; tables with an entry fee take exactly that. `seat` counts from 0, any
    free one by default. TableError `table_full`, `seat_taken`, `too_many_tables`, `below_minimum`, `above_maximum`,
    `table_closed`; with `once_a_stake` also `already_seated_elsewhere` for a user who sits at another public table of
    its stake; InsufficientBalance.
    """
    with changing(table_id):
        table = store.lock_table(table_id)
        own = find_seating(table, user.pk)
        if own is not None:
            return own
        run_overdue_clocks(table)
        check_admission(table, user, once_a_stake=once_a_stake)
        seating = take_seat(table, user=user, name=str(user), seat=seat)
        advance(table, moves.Sit(seat=seating.seat, stack=buy_in(table, user, amount), computer=False))
        finish(table)
        return seating


def leave_if_idle(*, user_id: int) -> bool:
    """Take the user out of every seat that costs nothing to leave; return whether they left any.

    A player in a deal, or in a match with a pot, keeps the seat until that is over. A player at a frozen table keeps it
    too: if barred, they are seated out before the next match there.
    """
    any_left = False
    for seating in own_seatings(user_id):
        with suppress(TableError):
            any_left = leave_table_if_idle(seating.table_id, user_id) or any_left
    return any_left


@retried
def leave_table_if_idle(table_id: int, user_id: int) -> bool:
    """Take the user out of their seat at the table, if that costs nothing; return whether they left it."""
    with changing(table_id):
        table = store.lock_table(table_id)
        run_overdue_clocks(table)
        own = find_seating(table, user_id)
        if own is None or not costs_nothing_to_leave(table, own.seat):
            finish(table)
            return False
        advance(table, moves.Leave(seat=own.seat))
        finish(table)
        return True


@retried
def tick(*, table_id: int, by_server: bool = False) -> None:
    """Do what is due at the table: run an overdue clock, move for a computer player.

    Only the stored times and the database clock count, so early, late, duplicate or lost calls do no harm. While no web
    process serves, nothing is done. `by_server`: this is a web process, so somebody serves now.
    """
    now = store.now_ms()
    times = clocks.read_times(table_id, now)
    if times is None:
        return
    if not times.is_due:
        # Most nudges end here: the player was in time.
        clocks.nudge_again(table_id, times, now)
        return
    heartbeat = outages.last_heartbeat()
    if not outages.is_fresh(heartbeat, now):
        return
    if times.deadline_ms is not None and times.deadline_ms <= now and not by_server:
        heartbeat_requests.await_heartbeat(times.deadline_ms, heartbeat)
    with freezing(table_id), transaction.atomic():
        try:
            table = store.lock_table(table_id, skip_locked=True)
        except TableError:
            return
        if table.row.status == Table.Status.OPEN:
            run_overdue_clocks(table, is_served=by_server)
            move_computer(table)
            finish(table)


def sweep(now: int) -> int:
    """Tick the open tables with something overdue, at most `clocks.SWEEP`; return how many there were.

    `now` is what `outages.served_now` has just returned. A failure at one table does not stop the others.
    """
    overdue, waiting = clocks.overdue_tables(now), set()
    for table_id in deal_or_else(overdue):
        try:
            if not tick_or_wait(table_id=table_id):
                clocks.failed(table_id)
                waiting.add(table_id)
        except Exception:
            clocks.failed(table_id)
            log.exception("table %s could not be swept", table_id)
    _note_waiting(waiting)
    return len(overdue)


def deal_or_else(table_ids: Sequence[int], *, by_server: bool = False) -> list[int]:
    """Deal at the tables of tournaments among these, many at once; return the others, which are for `tick`."""
    done = tournament_tables.deal_together(table_ids, is_served=by_server)
    return [table_id for table_id in table_ids if table_id not in done]


def tick_or_wait(*, table_id: int, by_server: bool = False) -> bool:
    """Tick the table; return False, with nothing changed, where it waits because settlement is frozen.

    A later sweep or look tries the table again.
    """
    try:
        tick(table_id=table_id, by_server=by_server)
    except TableError as refusal:
        if refusal.code != SETTLEMENT_FROZEN:
            raise
        return False
    return True


def _note_waiting(waiting: set[int]) -> None:
    """Log the tables that wait for settlement in one line, and only when they are not the same as last time."""
    if waiting == _waiting:
        return
    if waiting:
        content = {"waiting": len(waiting), "tables": sorted(waiting)[:MOST_LOGGED]}
        log.warning("settlement is frozen, tables wait for it", extra=content)
    else:
        log.warning("no table waits for settlement any more")
    _waiting.clear()
    _waiting.update(waiting)


def release_seats() -> int:
    """Free the seats of players who have long waited for company without a connection; return how many tables had any.

    A practice table waits a day for its player. No seat is freed while nobody serves, or shortly after an outage.
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
        run_overdue_clocks(table, is_served=False)
        for seat, seating in sorted(table.seatings.items()):
            silent = abs(table.now - seating.seen_ms) > _patience(table)
            if _is_idle(table) and silent and not seating.is_computer and seating.left_at is None:
                advance_for_platform(table, moves.Leave(seat=seat))
        finish(table)


def close_idle_tables() -> int:
    """Close the tables found only by a code at which nobody has sat for long; return how many there were.

    With the limit on opening them (`lobby.stakes.private_tables`) this bounds the empty tables of an account.
    """
    idle = clocks.idle_private_tables(store.now_ms())
    for table_id in idle:
        try:
            _close_idle_table(table_id)
        except Exception:
            log.exception("table %s could not be closed", table_id)
    return len(idle)


@retried
def _close_idle_table(table_id: int) -> None:
    with changing(table_id):
        table = store.lock_table(table_id)
        if not table.seatings and table.row.status == Table.Status.OPEN:
            advance_for_platform(table, moves.Cancel(reason="nobody came"))
        finish(table)


def _is_idle(table: LockedTable) -> bool:
    """Return whether the table waits for players to come or, at a practice table, to come back."""
    return table.state.phase is Phase.WAITING or table.row.practice_for_id is not None


def _patience(table: LockedTable) -> int:
    """Return for how long, in ms, a player who is away keeps their seat."""
    return clocks.ABANDONED_AFTER_MS if table.row.practice_for_id is None else PATIENCE_MS


def _answer(table: LockedTable, seating: Seating, request: MoveRequest) -> dict[str, Any]:
    before, events_before = table.state, len(table.events)
    try:
        with transaction.atomic():
            if (refusal := guards.why_not(table, seating, request)) is not None:
                raise refusal
            advance(table, protocol.to_move(request.frame, seating.seat))
    except REFUSALS as error:
        table.state = before
        del table.events[events_before:]
        if isinstance(error, WalletError):
            # Of several events an early one may have changed them, before the wallet refused a later one.
            table.seatings = store.current_seatings(table.row.pk)
        return {
            "type": "error",
            "code": error.code,
            "message": translated(error.message),
            "version": table.state.version,
        }
    return protocol.ack(table.state.version)


def _first_answer(table_id: int, user_id: int, frame: protocol.Frame) -> dict[str, Any] | None:
    """Return the first answer to this request in the player's present or last stay (they may just have left)."""
    if frame.id is None:
        return None
    answers = Answer.objects.raw(_FIRST_ANSWER, (str(frame.id), table_id, user_id))
    return next((each.answer for each in answers), None)


def _remember(seating: Seating, frame: protocol.Frame, answer: dict[str, Any]) -> None:
    if frame.id is not None:
        Answer.objects.create(seating=seating, request_id=str(frame.id), answer=answer)


def send_emote(*, table_id: int, user_id: int, emote: str) -> None:
    """Show the emote at the player's seat to everybody at the table; it is stored nowhere.

    TableError `not_seated`, `rate_limited`.
    """
    own = Seating.objects.filter(table_id=table_id, user_id=user_id, left_at=None, user__is_active=True)
    seat = own.values_list("seat", flat=True).first()
    if seat is None:
        raise not_seated()
    if not rate_limits.count_tries([(EMOTES, EMOTES.key(user_id))]):
        raise TableError("rate_limited", _("Wait a moment before you say more."), status=429)
    broadcast.send(broadcast.table_group(table_id), {"type": "table.emote", "seat": seat, "emote": emote})
