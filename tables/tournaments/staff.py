"""What staff do with a tournament, each act with an entry in the trail.

Nobody does it with a tournament that they are in: WalletError `own_account`.
"""

from typing import Any

from django.db import transaction

from rules.game import legal_moves, moves
from tables import staff as table_staff
from tables.errors import TableError
from tables.models import Entrant, Table, Template, Tournament
from tables.play import store
from tables.play.advance import advance, finish, freezing, run_overdue_clocks
from tables.play.seating import find_seating
from tables.standings import COUNTED, STEPPED_AWAY
from tables.tournaments import ending, moments, offers
from tables.tournaments.moments import lock_tournament
from tables.tournaments.services import let_go
from wallet.audit_log.services import Actor, record
from wallet.backoffice.requests import check_not_concerned
from wallet.base.retry import retried

Status = Tournament.Status


@retried
@transaction.atomic
def make(*, template: Template, starts_ms: int | None, opens_ms: int, reason: str, actor: Actor) -> Tournament:
    """Make the next tournament of the template. TableError `wrong_phase` where one waits that begins then."""
    template = Template.objects.select_for_update().get(pk=template.pk)
    waiting = template.tournaments.filter(status__in=(Status.ANNOUNCED, Status.OPEN), starts_ms=starts_ms).first()
    if waiting is not None:
        when = "as soon as it is full" if starts_ms is None else "at that moment"
        raise TableError("wrong_phase", f"{waiting} begins {when} already.")
    tournament = offers.make_tournament(template, starts_ms=starts_ms, opens_ms=opens_ms)
    record(actor, "tournament.make", tournament, reason=reason, after=_summary(tournament))
    return tournament


@retried
@transaction.atomic
def pause(*, tournament_id: int, reason: str, actor: Actor) -> None:
    """Begin no step of it until it is resumed; deals that run are played on. TableError `not_found`, `wrong_phase`."""
    tournament, now = _lock_unfinished(tournament_id, actor)
    if tournament.paused_ms is not None:
        raise TableError("wrong_phase", f"{tournament} is paused already.")
    _change(tournament, actor, "tournament.pause", reason, paused_ms=now)


@retried
@transaction.atomic
def resume(*, tournament_id: int, reason: str, actor: Actor) -> None:
    """Let it go on, with its moments put off for as long as it was paused; a start that was missed comes in a minute.

    TableError as for `pause`.
    """
    tournament, now = _lock_unfinished(tournament_id, actor)
    if tournament.paused_ms is None:
        raise TableError("wrong_phase", f"{tournament} is not paused.")
    fills_later = tournament.entered < tournament.most and moments.filled_ms(tournament) is not None
    if tournament.status == Status.RUNNING or fills_later:
        moments.delay(tournament, tournament.paused_ms, now)
    elif tournament.starts_ms is not None and tournament.starts_ms <= now:
        moments.put_off_start(tournament, now)
    _change(tournament, actor, "tournament.resume", reason, paused_ms=None)


@retried
@transaction.atomic
def cancel(*, tournament_id: int, reason: str, actor: Actor) -> None:
    """Cancel it: its tables are closed, every entry goes back in full. TableError as for `pause`."""
    tournament, now = _lock_unfinished(tournament_id, actor)
    before = _summary(tournament)
    # All at once, so that none of them closes meanwhile: what is closed is not cancelled.
    going = Table.objects.select_for_update().filter(tournament_id=tournament.pk).exclude(status=Table.Status.CLOSED)
    for table_id in list(going.order_by("pk").values_list("pk", flat=True)):
        table_staff.cancel_table(table_id=table_id, reason=reason, actor=actor)
    ending.cancel(tournament, now, reason)
    tournament.save()
    record(actor, "tournament.cancel", tournament, reason=reason, before=before, after=_summary(tournament))


@retried
@transaction.atomic
def remove_entrant(*, entrant_id: int, reason: str, actor: Actor) -> None:
    """Remove a cheat: their place is forfeited, later prizes go to the next.

    TableError as for `pause`, `wrong_phase` also for somebody who is not in it any more.
    """
    entrant = Entrant.objects.filter(pk=entrant_id).first()
    if entrant is None:
        raise TableError("not_found", "There is no such entrant.", status=404)
    tournament, now = _lock_unfinished(entrant.tournament_id, actor)
    _leave_table(entrant)
    entrant = Entrant.objects.select_for_update().get(pk=entrant_id)
    if entrant.status not in COUNTED:
        raise TableError("wrong_phase", f"{entrant} is {entrant.status}.")
    before = {"status": entrant.status}
    entrant.status, entrant.waits_ms, entrant.place, entrant.changed_ms = Entrant.Status.REMOVED, None, None, now
    # Where they could not leave, as while others meld to their show, they do as the next deal begins.
    entrant.automatic = STEPPED_AWAY
    entrant.save(update_fields=["status", "waits_ms", "place", "automatic", "changed_ms"])
    if tournament.status == Status.OPEN:
        let_go(tournament, now)
    tournament.save()
    record(actor, "tournament.remove", entrant, reason=reason, before=before, after={"status": entrant.status})


def _leave_table(entrant: Entrant) -> None:
    """Take the entrant from the table where they play, if any."""
    table_id = entrant.table_id or 0
    if not Table.objects.filter(pk=table_id, status=Table.Status.OPEN).exists():
        return
    with freezing(table_id):
        table = store.lock_table(table_id)
        run_overdue_clocks(table)
        seating = find_seating(table, entrant.user_id or 0)
        if seating is not None and "leave" in legal_moves(table.state, seating.seat):
            advance(table, moves.Leave(seat=seating.seat))
        finish(table)


def _lock_unfinished(tournament_id: int, actor: Actor) -> tuple[Tournament, int]:
    tournament, now = lock_tournament(tournament_id)
    check_not_concerned(actor, table_staff.entered, tournament.pk)
    if tournament.over_ms is not None:
        raise TableError("wrong_phase", f"{tournament} is {tournament.status}.")
    return tournament, now


def _change(tournament: Tournament, actor: Actor, act: str, reason: str, **columns: Any) -> None:
    before = _summary(tournament)
    for name, value in columns.items():
        setattr(tournament, name, value)
    tournament.save()
    record(actor, act, tournament, reason=reason, before=before, after=_summary(tournament))


def _summary(tournament: Tournament) -> dict[str, Any]:
    columns = ("status", "starts_ms", "ends_ms", "paused_ms", "round", "entered")
    return {name: getattr(tournament, name) for name in columns}
