"""The steps of a tournament: entry opens, it begins, rounds are drawn and end, an arena pairs, prizes are paid.

Each is one transaction under the lock of its row, and looks at what is stored: made twice, late or by two at once it
does nothing twice. Nobody remembers what comes next: each second the sweep asks every tournament that may have
something to do.
"""

import logging
from collections.abc import Callable

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from rules import bots
from tables import staff
from tables.models import Entrant, Table, Tournament, TournamentKind
from tables.play import store
from tables.tournaments import arena, ending, knockout, offers, services
from tables.tournaments.moments import lock_tournament
from wallet.audit_log.services import PLATFORM
from wallet.base.errors import Refusal
from wallet.base.retry import retried
from wallet.ledger.settlement_freeze import SETTLEMENT_FROZEN

log = logging.getLogger(__name__)

#: The most steps of one tournament that follow each other at once: so many parts has the opening of 5,000 seats.
MOST_AT_ONCE = 60
Status = Tournament.Status


def make_due_steps(now: int) -> int:
    """Make what steps are due; return how many tournaments had any. `now` as for `tables.play.services.sweep`."""
    offers.ensure_offered(now)
    due = Q(next_ms__lte=now) | Q(status=Status.RUNNING)
    ids = Tournament.objects.filter(due, over_ms=None, paused_ms=None).order_by("next_ms", "pk")
    return sum(_run(tournament_id) for tournament_id in list(ids.values_list("pk", flat=True)))


def _run(tournament_id: int) -> bool:
    """Make the steps that are due, one after the other; return whether there were any."""
    try:
        made = 0
        while made < MOST_AT_ONCE and step(tournament_id):
            made += 1
        return bool(made)
    except Refusal as refusal:
        if refusal.code not in ("busy", SETTLEMENT_FROZEN):
            log.exception("tournament %s cannot go on", tournament_id)
    except Exception:
        log.exception("tournament %s cannot go on", tournament_id)
    return False


@retried
def step(tournament_id: int) -> bool:
    """Make the next step of the tournament, if one is due; return whether there was one. TableError `busy`."""
    with transaction.atomic():
        tournament, now = lock_tournament(tournament_id, skip_locked=True)
        if tournament.over_ms is not None or tournament.paused_ms is not None:
            return False
        made = _STEPS[Status(tournament.status)](tournament, now)
        tournament.save()
        return made


def _announced(tournament: Tournament, now: int) -> bool:
    if now < tournament.opens_ms:
        return False
    tournament.status, tournament.next_ms = Status.OPEN, tournament.starts_ms
    return True


def _open(tournament: Tournament, now: int) -> bool:
    """Begin once the time has come or it is full, without those who may not play now; with too few it is cancelled."""
    is_due = tournament.next_ms is not None and tournament.next_ms <= now
    when_full = tournament.starts_ms is None
    fills_up = when_full and is_due and tournament.computers_after is not None and settings.COMPUTER_PLAYERS
    is_full = when_full and tournament.entered >= tournament.most
    if not (fills_up or is_full or (is_due and not when_full)):
        return False
    if services.withdraw_barred(tournament, now):
        return True
    if fills_up:
        _seat_computers(tournament)
    if tournament.entered < tournament.least:
        ending.cancel(tournament, now, "too few have entered")
        return True
    tournament.status, tournament.starts_ms = Status.RUNNING, now if when_full else tournament.starts_ms
    begin = arena.begin_arena if tournament.kind == TournamentKind.ARENA else knockout.draw_round
    begin(tournament, now)
    return True


def _seat_computers(tournament: Tournament) -> None:
    """Let computer players take the places that are left: for practice, so only where it is free."""
    free = tournament.most - tournament.entered
    names = bots.NAMES
    taken = Entrant.objects.filter(tournament=tournament, user=None).count()
    Entrant.objects.bulk_create(
        Entrant(tournament=tournament, name=names[number % len(names)]) for number in range(taken, taken + free)
    )
    tournament.entered += free


def _running(tournament: Tournament, now: int) -> bool:
    _clear_stuck_tables(tournament)
    go_on = arena.pair_or_end if tournament.kind == TournamentKind.ARENA else knockout.play_round
    return go_on(tournament, now)


def _clear_stuck_tables(tournament: Tournament) -> None:
    """Close tables at which nobody is left to play with: whoever waits there plays elsewhere, or has won.

    In an arena those that a fault of ours has frozen, too; a round would go on without them. Tables that staff have
    stopped are left to them.
    """
    stuck = Q(status=Table.Status.OPEN, phase="waiting")
    if tournament.kind == TournamentKind.ARENA:
        stuck |= Q(status=Table.Status.FROZEN) & ~Q(fault__startswith=store.STOPPED_BY)
    for table in Table.objects.filter(stuck, tournament_id=tournament.pk).order_by("pk").only("pk"):
        staff.cancel_table(table_id=table.pk, reason="nobody can play on there", actor=PLATFORM)


_STEPS: dict[Status, Callable[[Tournament, int], bool]] = {
    Status.ANNOUNCED: _announced,
    Status.OPEN: _open,
    Status.RUNNING: _running,
}
