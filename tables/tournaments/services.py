"""What a player may do with a tournament: enter, withdraw, step away, come back."""

from collections.abc import Collection
from contextlib import suppress
from typing import Any

from django.db import transaction
from django.db.models import Q

from rules.books import book
from rules.game import hand_of, legal_moves, moves
from tables.errors import TableError, no_such_tournament
from tables.models import Entrant, Table, Tournament, TournamentKind
from tables.play import presence, store
from tables.play.advance import advance, changing, finish
from tables.play.entrants import ARENA_CHIPS
from tables.play.opening import check_trusted
from tables.play.seating import check_brought, check_free_hand, find_seating
from tables.standings import STEPPED_AWAY
from tables.tournaments import moments
from tables.tournaments.moments import lock_tournament
from wallet.base.queries import in_list
from wallet.base.retry import retried
from wallet.language import gettext as _
from wallet.play_money import tournaments as play_money
from wallet.responsible_gaming import admission

#: Who has withdrawn from a tournament so often does not enter it again: each entry is there for ever, in the books too.
MOST_WITHDRAWALS = 5
Status = Tournament.Status


@retried
def enter(*, tournament_id: int, user: Any) -> Entrant:
    """Enter the user and take the entry; called again, return the same entrant.

    TableError `not_found`, `entry_closed`, `tournament_full`, `already_entered` for somebody who was removed from it,
    `too_many_tables`, `too_often`, `book_suspended`; InsufficientBalance, CareRefusal.
    """
    with transaction.atomic():
        tournament, now = lock_tournament(tournament_id)
        if (own := find_entrant(tournament_id, user)) is not None:
            _check_not_removed(own)
            return own
        _check_entry(tournament, user, now)
        running = tournament.status == Status.RUNNING
        started = {"round": 1, "chips": ARENA_CHIPS, "waits_ms": now, "changed_ms": now} if running else {}
        entrant = Entrant.objects.create(tournament=tournament, user=user, name=str(user), **started)
        if tournament.entry:
            check_brought(user, tournament.entry)
            play_money.take_tournament_entry(
                tournament=tournament.pk, entrant=entrant.pk, user=user, amount=tournament.entry
            )
        tournament.entered += 1
        _hasten(tournament, now)
        tournament.save()
    presence.note_alive(user.pk)
    return entrant


def _check_not_removed(entrant: Entrant) -> None:
    if entrant.status == Entrant.Status.REMOVED:
        raise TableError("already_entered", _("You were taken out of this tournament."))


def is_open(tournament: Tournament, now: int) -> bool:
    """Return whether one may enter at that moment, if there is a place left: an arena also while it runs."""
    late = tournament.kind == TournamentKind.ARENA and now < (tournament.ends_ms or 0) - moments.LATE_MS
    entry = tournament.status == Status.OPEN or (tournament.status == Status.RUNNING and late)
    return entry and tournament.paused_ms is None


def _check_entry(tournament: Tournament, user: Any, now: int) -> None:
    if not is_open(tournament, now):
        raise TableError("entry_closed", _("Entry to this tournament is closed."))
    check_trusted(book(tournament.book, tournament.book_version))
    withdrawals = Entrant.objects.filter(tournament=tournament, user=user, status=Entrant.Status.WITHDRAWN)
    if withdrawals.count() >= MOST_WITHDRAWALS:
        raise TableError("too_often", _("You have withdrawn from this tournament several times."), status=429)
    if tournament.entered >= tournament.most:
        raise TableError("tournament_full", _("This tournament is full."))
    admission.lock_player_row(user.pk)
    admission.check_account_open(user)
    admission.check_play(user.pk)
    if tournament.status == Status.RUNNING or tournament.starts_ms is None:
        check_free_hand(user.pk)


def _hasten(tournament: Tournament, now: int) -> None:
    """Set when a tournament that begins when it is full looks again: now, or when computer players come."""
    if tournament.starts_ms is None and tournament.entered >= tournament.most:
        tournament.next_ms = now
    elif tournament.starts_ms is None and tournament.next_ms is None and tournament.computers_after is not None:
        tournament.next_ms = now + tournament.computers_after * 1_000


@retried
def withdraw_entry(*, tournament_id: int, user: Any, asked: bool = True) -> None:
    """Take the user out before the start, with the whole entry back; called again, do nothing.

    Whether they have `asked` for it is kept: who has not is told why.
    TableError `not_found`, `already_entered` for somebody who was removed from it, `entry_closed` once it has begun.
    """
    with transaction.atomic():
        tournament, now = lock_tournament(tournament_id)
        entrant = find_entrant(tournament_id, user)
        if entrant is None:
            return
        if tournament.status == Status.CANCELLED:
            raise TableError("entry_closed", _("This tournament was cancelled: every entry is back."))
        if tournament.status != Status.OPEN:
            raise TableError("entry_closed", _("The tournament has begun: nobody can withdraw any more."))
        _check_not_removed(entrant)
        _take_out(tournament, entrant, now, asked=asked)
        tournament.save()


def withdraw_barred(tournament: Tournament, now: int) -> bool:
    """Take out who may not begin a match now, with the whole entry back, before it begins; return whether any were.

    That is also who is locked: nobody could play for them.
    """
    entrants = Entrant.objects.filter(tournament=tournament, status=Entrant.Status.IN, user__isnull=False)
    excluded = admission.excluded(entrants.values_list("user_id", flat=True))
    barred = list(entrants.filter(in_list("user_id", excluded) | Q(user__is_active=False)).order_by("pk"))
    for entrant in barred:
        _take_out(tournament, entrant, now, asked=False)
    return bool(barred)


def _take_out(tournament: Tournament, entrant: Entrant, now: int, *, asked: bool) -> None:
    """Take the entrant out; only of who has not `asked` for it is the moment kept as that of their last change."""
    entrant.status, entrant.changed_ms = Entrant.Status.WITHDRAWN, 0 if asked else now
    entrant.save(update_fields=["status", "changed_ms"])
    if tournament.entry and entrant.user_id is not None:
        key, refunds = f"entrant:{entrant.pk}:refund", {entrant.user_id: tournament.entry}
        play_money.return_tournament_entries(tournament=tournament.pk, key=key, refunds=refunds)
    let_go(tournament, now)


def withdraw_all(user: Any) -> None:
    """Take the user out of every tournament that has not begun, each time with the whole entry back."""
    own = Entrant.objects.filter(user=user, status=Entrant.Status.IN, tournament__status=Status.OPEN)
    for tournament_id in list(own.order_by("tournament_id").values_list("tournament_id", flat=True)):
        # It may begin meanwhile.
        with suppress(TableError):
            withdraw_entry(tournament_id=tournament_id, user=user, asked=False)


def lock_running(user: Any) -> None:
    """Lock the running tournaments that the user is in: until the end of the transaction no arena seats them."""
    own = Entrant.objects.filter(user=user, status=Entrant.Status.IN)
    running = Tournament.objects.filter(pk__in=own.values("tournament"), status=Status.RUNNING)
    list(running.select_for_update().order_by("pk").values_list("pk", flat=True))


def to_play_on(user: Any) -> list[Tournament]:
    """Return the running knock-outs that the user is not out of: between two rounds they hold no seat."""
    own = Entrant.objects.filter(user=user, status=Entrant.Status.IN, tournament__status=Status.RUNNING)
    running = Tournament.objects.filter(pk__in=own.values("tournament"), kind=TournamentKind.KNOCKOUT)
    return list(running.order_by("pk"))


def let_go(tournament: Tournament, now: int) -> None:
    """Count one less before the start: what was full waits anew, and no computer player comes where nobody is left.

    In a pause it waits from the beginning of that: whoever resumes it gives the whole pause back.
    """
    was_full = tournament.entered >= tournament.most
    tournament.entered -= 1
    if tournament.starts_ms is None and (was_full or not tournament.entered):
        tournament.next_ms = None
        if tournament.entered:
            _hasten(tournament, now if tournament.paused_ms is None else tournament.paused_ms)


@retried
def step_away(*, tournament_id: int, user: Any) -> Entrant:
    """Stop pairing the user in an arena until they come back. TableError as for `come_back`."""
    with transaction.atomic():
        entrant = _lock_playing(tournament_id, user)
        if entrant.tournament.kind == TournamentKind.ARENA:
            entrant.automatic, entrant.waits_ms, entrant.changed_ms = STEPPED_AWAY, None, store.now_ms()
            entrant.save(update_fields=["automatic", "waits_ms", "changed_ms"])
    return entrant


@retried
def come_back(*, tournament_id: int, user: Any) -> Entrant:
    """Pair the user again in an arena; in a knock-out end that they are dropped at each deal.

    TableError `not_found`, `not_entered`, `not_running` for a tournament or an entrant that is not playing. CareRefusal
    in an arena to who may begin no other deal; the running one is played to its end.
    """
    with transaction.atomic():
        entrant = _lock_playing(tournament_id, user)
        playing = Table.objects.filter(pk=entrant.table_id or 0, status=Table.Status.OPEN).exists()
        if entrant.tournament.kind == TournamentKind.ARENA and not playing:
            admission.check_play(user.pk)
        entrant.automatic, entrant.changed_ms = 0, store.now_ms()
        if entrant.tournament.kind == TournamentKind.ARENA and not playing and entrant.waits_ms is None:
            entrant.waits_ms = entrant.changed_ms
        entrant.save(update_fields=["automatic", "waits_ms", "changed_ms"])
    presence.note_alive(user.pk)
    if playing and entrant.table_id is not None:
        _disarm(entrant.table_id, user)
    return entrant


def taken_out(tournament_ids: Collection[int], user: Any) -> dict[int, Entrant]:
    """Return by tournament the user's entrants whom the platform took out before it began, and who are not in it.

    Their `changed_ms` says when that was. Nobody enters while they are in it: the last one counts.
    """
    own = Entrant.objects.filter(user=user, tournament_id__in=tournament_ids).order_by("pk")
    last = {entrant.tournament_id: entrant for entrant in own}
    return {pk: each for pk, each in last.items() if each.status == Entrant.Status.WITHDRAWN and each.changed_ms}


def find_entrant(tournament_id: int, user: Any) -> Entrant | None:
    """Return the user's place in the tournament, None where they have none, or have withdrawn."""
    own = Entrant.objects.select_related("tournament").filter(tournament_id=tournament_id, user=user)
    return own.exclude(status=Entrant.Status.WITHDRAWN).first()


def _lock_playing(tournament_id: int, user: Any) -> Entrant:
    """Lock and return the user's entrant, who is in a tournament that runs: a table may just be changing it."""
    if not Tournament.objects.filter(pk=tournament_id).exists():
        raise no_such_tournament()
    own = Entrant.objects.select_for_update(of=("self",)).select_related("tournament")
    entrant = own.filter(tournament_id=tournament_id, user=user).exclude(status=Entrant.Status.WITHDRAWN).first()
    if entrant is None:
        raise TableError("not_entered", _("You are not in this tournament."))
    if entrant.status != Entrant.Status.IN or entrant.tournament.status != Status.RUNNING:
        raise TableError("not_running", _("You do not play in this tournament now."))
    return entrant


@retried
def _disarm(table_id: int, user: Any) -> None:
    """Let the user play the running deal, if they have not been dropped yet."""
    with changing(table_id):
        table = store.lock_table(table_id)
        seating = find_seating(table, user.pk)
        hand = hand_of(table.state, seating.seat) if seating is not None else None
        armed = hand is not None and hand.auto_drop
        if seating is not None and armed and "auto_drop" in legal_moves(table.state, seating.seat):
            advance(table, moves.AutoDrop(seat=seating.seat, on=False))
        finish(table)
