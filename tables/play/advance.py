"""How a match changes under the table's lock: move, transition, events, money, rows, clocks, and then the frames."""

import logging
import traceback
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial

from django.conf import settings
from django.db import DatabaseError, OperationalError, transaction
from structlog.contextvars import bound_contextvars

from rules import game
from rules.errors import Refused, RulesError
from rules.game import Clock, Phase, moves
from rules.masking import mask_cards
from tables.errors import FROZEN, TableError
from tables.language import using_language
from tables.models import Table
from tables.play import broadcast, clocks, entrants, executors, outages, practice, records, settlement, store
from tables.play.fast import table_cache
from tables.play.seating import costs_nothing_to_leave, may_use, offline_seats
from tables.play.store import LockedTable
from wallet.base.errors import WalletError
from wallet.base.retry import is_passing
from wallet.language import ENGLISH
from wallet.ledger import settlement_freeze
from wallet.ledger.settlement_freeze import SETTLEMENT_FROZEN
from wallet.responsible_gaming import admission

log = logging.getLogger(__name__)

#: The errors that refuse a move and change nothing; any other exception is a fault of ours.
REFUSALS = (Refused, TableError, WalletError)

#: By how much seating players out delays the start, in ms.
SEATING_OUT_MS = 1_000


def advance(table: LockedTable, move: moves.Move) -> None:
    """Make the move and what follows from it automatically: prepare the next deal.

    When the player of a practice table leaves, the computer players leave as well, and the table is closed.
    """
    attended = practice.is_attended(table)
    _step(table, move)
    # An outage ends before the sockets are back: nobody is absent for that.
    if table.row.tournament_id is not None and not isinstance(move, moves.Grant):
        for drop in entrants.absent_moves(table):
            _step(table, drop)
    if attended and not practice.is_attended(table):
        while (seat := practice.next_to_go(table)) is not None:
            _step(table, moves.Leave(seat=seat))
    while game.wants_deal(table.state) and table.row.status != Table.Status.CLOSED:
        _step(table, records.prepare_deal(table))


def _step(table: LockedTable, move: moves.Move) -> None:
    transition = game.apply(table.state, move, table.now)
    store.append(table, transition)
    entrants.count_events(table, transition)
    written = records.RowWrites()
    for event in transition.events:
        settlement.settle(table, event)
        written.record(table, event)
    written.write()


def finish(table: LockedTable) -> None:
    """Save the row of a table that has changed, arm its clocks, and send everybody their frame after the commit."""
    if not table.events:
        return
    clocks.arm(table)
    store.save(table)
    transaction.on_commit(partial(table_cache.put, table))
    broadcast.frames_after_commit(table)


def run_overdue_clocks(table: LockedTable, *, is_served: bool = True) -> None:
    """Run out every clock that is overdue, or give it back the time that it lost to an outage.

    `is_served`: a web process does this, so somebody serves now. Otherwise a clock is left alone until a heartbeat has
    been noted since its end: if the gap becomes an outage, the clock will be extended. TableError `try_again` while the
    database refuses moves; `settlement_frozen` where a rejoin or a split is asked for: nobody can say yes meanwhile,
    and where they could only for the last moments, they get some.
    """
    give_back(table)
    while (clock := table.state.clock) is not None and table.now >= clock.deadline:
        if not outages.was_served(clock.deadline, table.now, is_served=is_served):
            if not is_served:
                return
            outages.record_heartbeat()
            if outages.are_refused():
                raise executors.busy()
            give_back(table)
        elif ms := outages.allowance(clock, table.now, unheard=outages.is_anybody_unheard(table)):
            advance_for_platform(table, moves.Grant(ms=ms))
        elif entrants.holds_next_deal(table):
            advance_for_platform(table, moves.Grant(ms=entrants.HELD_MS))
        elif table.state.phase in (Phase.REJOIN, Phase.SPLIT) and _was_frozen(clock):
            if settlement_freeze.is_frozen():
                raise TableError(SETTLEMENT_FROZEN, broadcast.WAITS, status=503)
            advance_for_platform(table, moves.Grant(ms=outages.GRACE_MS))
        elif not _unseat_barred(table):
            advance_for_platform(table, moves.Expire(offline=offline_seats(table.seatings, table.now)))


def _was_frozen(clock: Clock) -> bool:
    """Return whether settlement stood still in the last moments of the clock, or does."""
    return settlement_freeze.was_frozen_after(store.moment(clock.deadline - outages.GRACE_MS))


def give_back(table: LockedTable) -> None:
    """Give the running clock back the time lost to the outages since this was last done, which the row remembers."""
    missed, clock = outages.ended_after(table.row.last_outage), table.state.clock
    if not missed:
        return
    table.row.last_outage = missed[-1].pk
    if clock is not None and (ms := outages.allowance(clock, table.now, missed)):
        advance_for_platform(table, moves.Grant(ms=ms))
    else:
        table.row.save(update_fields=["last_outage"])


def _unseat_barred(table: LockedTable) -> bool:
    """Seat out barred players before another match begins, and send them the reason; return whether there were any.

    So are those who are locked, for whom nobody could play. A tournament is played to its end, as a match is.
    """
    if table.state.phase not in (Phase.STARTING, Phase.RESULT) or table.row.tournament_id is not None:
        return False
    idle = {
        seating.user_id: seat
        for seat, seating in table.seatings.items()
        if seating.user_id is not None and seating.left_at is None and costs_nothing_to_leave(table, seat)
    }
    with using_language(ENGLISH):
        barred = admission.barred(idle)
    leaving = [seat for user_id, seat in idle.items() if user_id in barred or not may_use(table.seatings[seat])]
    if leaving:
        # Leaving is a player's move, which is refused once the deadline has passed.
        advance_for_platform(table, moves.Grant(ms=SEATING_OUT_MS))
        reasons = _reasons_by_language(barred)
    for seat in leaving:
        advance_for_platform(table, moves.Leave(seat=seat))
    for user_id, refusal in barred.items():
        broadcast.seated_out(table.row.pk, user_id, refusal, reasons[user_id])
    return bool(leaving)


def _reasons_by_language(user_ids: Collection[int]) -> dict[int, dict[str, str]]:
    """Return why each player may not play on, in every language: which one they read is not known here."""
    reasons: dict[int, dict[str, str]] = {user_id: {} for user_id in user_ids}
    for language in dict(settings.LANGUAGES):
        with using_language(language):
            for user_id, refusal in admission.barred(user_ids).items():
                reasons[user_id][language] = refusal.message
    return reasons


def advance_for_platform(table: LockedTable, move: moves.Move) -> None:
    """Advance by a move that no player made: nobody can be refused, so a refusal is a fault of ours (RuntimeError).

    While settlement is frozen the move must wait: TableError `settlement_frozen`.
    """
    try:
        advance(table, move)
    except (RulesError, WalletError) as refusal:
        if refusal.code == SETTLEMENT_FROZEN:
            raise TableError(refusal.code, refusal.message, status=503) from refusal
        raise RuntimeError(f"the platform's own {type(move).__name__} was refused: {refusal.code}") from refusal


@contextmanager
def changing(table_id: int) -> Iterator[None]:
    """Run one transaction at the table within `freezing`, alone in this process (`executors.exclusive`)."""
    with executors.exclusive(table_id), freezing(table_id), transaction.atomic():
        yield


@contextmanager
def freezing(table_id: int) -> Iterator[None]:
    """Freeze the table if the block fails by a fault of ours, so that no other table is affected.

    Refusals and passing database errors are raised as they are; that the database takes nothing is noted. After a fault
    the players are notified, staff find the traceback, with its cards masked, on the table's page, and TableError
    `frozen` is raised, or `table_closed`.
    """
    with bound_contextvars(table=table_id):
        try:
            yield
        except REFUSALS:
            raise
        except Exception as fault:
            if outages.is_refusal(fault):
                outages.note_refusal()
                raise
            if isinstance(fault, OperationalError) or (isinstance(fault, DatabaseError) and is_passing(fault)):
                raise
            table_cache.evict(table_id)
            trace = mask_cards(traceback.format_exc())
            running = Table.objects.filter(pk=table_id, status=Table.Status.OPEN)
            if running.update(status=Table.Status.FROZEN, fault=trace):
                log.exception("table %s is frozen", table_id)
                broadcast.frozen(table_id)
            elif Table.objects.filter(pk=table_id, status=Table.Status.CLOSED).exists():
                log.exception("table %s is closed, and failed", table_id)
                raise TableError("table_closed", broadcast.VOID) from fault
            raise TableError("frozen", FROZEN) from fault
