"""Staff's services for a table: freeze, resume, cancel, cancel by the books. Each is recorded in the audit trail.

Nobody does them at a table where they sit, in whose match they have played, or of a tournament that they are in:
WalletError `own_account`.
What waits for them are tables that are frozen, or have a deadline that has passed without effect, and tournaments that
do not go on.
"""

import logging
from dataclasses import replace
from typing import Any

from django.db import DatabaseError, OperationalError, transaction
from django.db.models import Q, QuerySet

from rules.game import Phase, legal_moves, moves
from tables.errors import TableError, no_such_table
from tables.log import reading
from tables.models import Deal, DealSeat, Entrant, Match, Seating, Table, Tournament
from tables.play import broadcast, outages, store
from tables.play.advance import advance, finish
from tables.play.settlement import place_of
from tables.play.store import LockedTable, moment
from wallet.audit_log.services import Actor, record
from wallet.backoffice.requests import check_not_concerned
from wallet.base.queries import lift_timeouts
from wallet.base.retry import is_passing, retried
from wallet.ledger.selectors import pot, stack
from wallet.play_money.recovery import refund_from_books, return_stacks

log = logging.getLogger(__name__)
#: The canceller's name in the audit trail.
BY_THE_BOOKS = "the books"
#: A table whose deadline is overdue by more than this, in ms, counts as stuck.
STUCK_AFTER_MS = 5_000
#: The statuses of tournaments that are not over.
UNDER_WAY = (Tournament.Status.ANNOUNCED, Tournament.Status.OPEN, Tournament.Status.RUNNING)


@retried
@transaction.atomic
def freeze_table(*, table_id: int, reason: str, actor: Actor) -> None:
    """Freeze the table: it accepts no moves, its clocks stop, and its players get a message.

    This works even if the state cannot be read. TableError `not_found`; `wrong_phase` unless the table is open.
    """
    row = _lock_row(table_id, actor)
    if row.status != Table.Status.OPEN:
        raise TableError("wrong_phase", f"{row} is {row.get_status_display()}.")
    before = _summary(row)
    row.status, row.fault = Table.Status.FROZEN, f"{store.STOPPED_BY} {actor.name}: {reason}"
    row.save(update_fields=["status", "fault"])
    record(actor, "table.freeze", row, reason=reason, before=before, after=_summary(row))
    broadcast.frozen(row.pk)


@retried
@transaction.atomic
def resume_table(*, table_id: int, reason: str, actor: Actor) -> None:
    """Resume the frozen table: the player who must act gets at least outages.GRACE_MS, and all players get a message.

    Whoever was removed from its tournament meanwhile leaves it. A state that cannot be read is rebuilt from the events
    first. TableError `not_found`; `wrong_phase` unless the table is frozen; `not_rebuilt` if neither state nor events
    can be read.
    """
    row = _lock_row(table_id, actor)
    if row.status != Table.Status.FROZEN:
        raise TableError("wrong_phase", f"{row} is not frozen.")
    before = _summary(row)
    table = _lock_readable(row, actor)
    table.row.status, table.row.fault = Table.Status.OPEN, ""
    table.row.save(update_fields=["status", "fault"])
    if table.state.clock is not None:
        advance(table, moves.Grant(ms=outages.GRACE_MS))
        _let_removed_leave(table)
        finish(table)
    broadcast.frames_after_commit(table)
    record(actor, "table.resume", table.row, reason=reason, before=before, after=_summary(table.row))


def _let_removed_leave(table: LockedTable) -> None:
    """Take those from the table who were removed from its tournament."""
    entrants = {seating.entrant_id: seat for seat, seating in table.seatings.items()}
    removed = Entrant.objects.filter(pk__in=filter(None, entrants), status=Entrant.Status.REMOVED)
    for seat in sorted(entrants[pk] for pk in removed.values_list("pk", flat=True)):
        if "leave" in legal_moves(table.state, seat):
            advance(table, moves.Leave(seat=seat))


@retried
def cancel_match(*, match_id: int, reason: str, actor: Actor) -> None:
    """Cancel the match and refund it by the rules, only once (rules/RULES.md, Packs and limits).

    If the table's state is lost, the refunds are what each player has paid by the books. TableError `not_found`;
    `wrong_phase` unless the match is running.
    """
    match = Match.objects.filter(pk=match_id).first()
    if match is None:
        raise TableError("not_found", f"There is no match {match_id}.", status=404)
    with transaction.atomic():
        row = _lock_row(match.table_id, actor)
        if _running(row) != match_id:
            raise TableError("wrong_phase", f"Match {match_id} is not running.")
        _cancel(row, reason, actor)


@retried
@transaction.atomic
def cancel_table(*, table_id: int, reason: str, actor: Actor) -> None:
    """Cancel the match at the table and refund it as `cancel_match` does, return every stack, and close the table.

    TableError `not_found`; `wrong_phase` at a closed table.
    """
    row = _lock_row(table_id, actor)
    if row.status == Table.Status.CLOSED:
        raise TableError("wrong_phase", f"{row} is closed already.")
    _cancel(row, reason, actor)


def _cancel(row: Table, reason: str, actor: Actor) -> None:
    before, match = _summary(row), _running(row)
    try:
        with transaction.atomic():
            row, returned = _cancelled_by_rules(row, reason, actor)
    except Exception as fault:
        if (isinstance(fault, DatabaseError) and is_passing(fault)) or isinstance(fault, OperationalError):
            raise
        if getattr(fault, "code", "") == "settlement_frozen":
            raise
        log.exception("table %s cannot be cancelled by its own state; the books decide", row.pk)
        row = _lock_row(row.pk, actor)
        returned = void(row, reason)
    record(actor, "table.cancel", row, reason=reason, before=before, after={**_summary(row), **returned})
    if match is not None:
        cancelled = Match.objects.get(pk=match)
        was, now = {"status": str(Match.Status.OPEN)}, {"status": cancelled.status, **returned}
        record(actor, "match.cancel", cancelled, reason=reason, before=was, after=now)


def _cancelled_by_rules(row: Table, reason: str, actor: Actor) -> tuple[Table, dict[str, Any]]:
    """Cancel the table by its state; return its row and the amounts returned. RuntimeError if chips would remain."""
    table = _lock_readable(row, actor)
    seatings, match = list(table.seatings.values()), _running(row)
    advance(table, moves.Cancel(reason=reason))
    finish(table)
    if any(stack(seating.pk) for seating in seatings) or (match is not None and pot(match)):
        raise RuntimeError("the state knows of less chips than the books")
    returned = {
        "refunds": [list(pair) for event in table.events for pair in getattr(event, "refunds", ())],
        "stacks": [[event.seat, event.returned] for event in table.events if event.name == "seat_left"],  # type: ignore[attr-defined]
    }
    return table.row, returned


def _lock_row(table_id: int, actor: Actor) -> Table:
    """Lock and return the row, even if its state cannot be read. TableError `not_found`; WalletError `own_account`."""
    row = Table.objects.select_for_update().filter(pk=table_id).first()
    if row is None:
        raise no_such_table()
    check_not_concerned(actor, concerning, row.pk)
    return row


def concerning(person: int) -> QuerySet[Table]:
    """Return the tables where that player sits, those in whose running match they have played, and those of `entered`.

    At another table of their tournament the chips of those ahead of them would stand.
    """
    seated = Seating.objects.filter(user=person, freed_at=None)
    playing = DealSeat.objects.filter(user=person, deal__match__status=Match.Status.OPEN)
    return Table.objects.filter(
        Q(pk__in=seated.values("table"))
        | Q(pk__in=playing.values("deal__match__table"))
        | Q(tournament_id__in=entered(person).values("pk"))
    )


def entered(person: int) -> QuerySet[Tournament]:
    """Return the tournaments under way that the player is in or was in, unless they withdrew."""
    stayed = Entrant.objects.filter(user=person).exclude(status=Entrant.Status.WITHDRAWN)
    return Tournament.objects.filter(pk__in=stayed.values("tournament"), status__in=UNDER_WAY)


def play_together(one: int, other: int) -> bool:
    """Return whether the two are at one table, in one match that runs, or in one tournament under way."""
    at_tables = concerning(one).filter(pk__in=concerning(other).values("pk"))
    return at_tables.exists() or entered(one).filter(pk__in=entered(other).values("pk")).exists()


def _running(row: Table) -> int | None:
    """Return the id of the open match at the table, None if there is none."""
    deal = store.current_deal(row)
    return deal.match_id if deal is not None and deal.match.status == Match.Status.OPEN else None


def _lock_readable(row: Table, actor: Actor) -> LockedTable:
    try:
        return store.lock_table(row.pk, frozen=True)
    except Exception:
        log.exception("the state of table %s cannot be read; it is rebuilt from the events", row.pk)
    rebuild(row, actor)
    return store.lock_table(row.pk, frozen=True)


def rebuild(row: Table, actor: Actor) -> None:
    """Rebuild the snapshot of the table from its terms and its events. TableError `not_rebuilt`."""
    before = {"version": row.version}
    lift_timeouts()
    try:
        state = reading.state_of(row)
    except Exception as fault:
        log.exception("table %s cannot be rebuilt", row.pk)
        raise TableError("not_rebuilt", f"{row} can neither be read nor rebuilt from its events.") from fault
    store.write_state(row, state)
    row.save()
    record(actor, "table.rebuild", row, before=before, after={"version": row.version})


def _summary(row: Table) -> dict[str, Any]:
    return {"status": str(row.status), "phase": row.phase, "version": row.version, "fault": row.fault}


def void(row: Table, reason: str) -> dict[str, Any]:
    """Close the table, cancel its open match, and return pot and stacks to their owners by the books. Call it locked.

    Return the details for the audit trail, such as the amount from each stack; in points and blind, that is the stack
    before the running deal. The snapshot is not changed, so that the fault can be investigated.
    """
    now, deal, place = moment(store.now_ms()), store.current_deal(row), place_of(row)
    posting = None
    if deal is not None and deal.match.status == Match.Status.OPEN:
        posting = refund_from_books(match=deal.match_id, place=replace(place, match=deal.match_id))
        if deal.ended_at is None:
            Deal.objects.filter(pk=deal.pk).update(status=Deal.Status.CANCELLED, ended_at=now)
        Match.objects.filter(pk=deal.match_id).update(status=Match.Status.CANCELLED, ended_at=now, reason=reason[:200])
    seatings = {seating.pk: seating for seating in row.seatings.filter(freed_at=None)}
    stacks = return_stacks(seatings=seatings.keys(), place=place, tournament=row.tournament_id)
    for seating in seatings.values():
        Seating.objects.filter(pk=seating.pk).update(left_at=seating.left_at or now, freed_at=now)
    Table.objects.filter(pk=row.pk).update(
        status=Table.Status.CLOSED,
        closed_at=now,
        void_at=now,
        phase=Phase.OVER.value,
        seated=0,
        deadline_ms=None,
        computer_due_ms=None,
    )
    row.refresh_from_db()
    broadcast.voided(row.pk)
    returned = [[seatings[pk].seat, amount] for pk, amount in stacks.items() if amount]
    return {
        "by": BY_THE_BOOKS,
        "refund": posting.key if posting else None,
        "stacks": returned,
        "table": sealed_of_voided(row),
    }


def sealed_of_voided(row: Table) -> dict[str, Any]:
    """Return the table's columns for the audit trail, since its events are lost."""
    fields = ("title", "stake_id", "book", "family", "currency", "seats", "opened_at", "closed_at", "void_at")
    return {name: str(getattr(row, name)) for name in fields}


def is_stuck() -> Q:
    """Return the query condition for tables that are stuck now."""
    overdue = Q(status=Table.Status.OPEN, deadline_ms__lt=store.now_ms() - STUCK_AFTER_MS)
    return Q(status=Table.Status.FROZEN) | overdue


def count_open() -> tuple[int, int]:
    """Return the number of open tables with players, and the number of seats taken there."""
    seats = Table.objects.filter(status=Table.Status.OPEN, seated__gt=0).values_list("seated", flat=True)
    return len(seats), sum(seats)


def tournament_stands_still() -> Q:
    """Return the condition for tournaments that are paused or overdue, or have a table that is frozen."""
    frozen = Table.objects.filter(status=Table.Status.FROZEN, tournament_id__isnull=False).values("tournament_id")
    overdue = Q(next_ms__lt=store.now_ms() - STUCK_AFTER_MS)
    return Q(status__in=UNDER_WAY) & (Q(paused_ms__isnull=False) | overdue | Q(pk__in=frozen))
