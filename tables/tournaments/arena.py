"""Arenas: whoever is free is seated with others who are, deal after deal, until the time is over."""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from rules.tournaments import ARENA_SEATS, Free, paired
from tables import staff
from tables.models import Entrant, Seating, Table, Tournament
from tables.play import presence
from tables.play.entrants import ARENA_CHIPS
from tables.play.tournament_tables import OPENED_AT_ONCE, open_tables
from tables.standings import ABSENT_AFTER
from tables.tournaments import ending, moments
from wallet.audit_log.services import PLATFORM
from wallet.base.queries import update_each
from wallet.responsible_gaming import admission

#: So many who are free are paired in one transaction.
FREE_AT_ONCE = OPENED_AT_ONCE * ARENA_SEATS


def begin_arena(tournament: Tournament, now: int) -> None:
    """Give everybody their chips; from now on they wait to be paired."""
    tournament.ends_ms = (tournament.starts_ms or now) + tournament.minutes * 60_000
    tournament.next_ms = now
    entrants = Entrant.objects.filter(tournament=tournament, status=Entrant.Status.IN)
    entrants.update(round=1, chips=ARENA_CHIPS, waits_ms=now)


def pair_or_end(tournament: Tournament, now: int) -> bool:
    """Pair who is free, until shortly before the end; once the time and all deals are over, pay the prizes."""
    _free_from_stopped_tables(tournament, now)
    ends = tournament.ends_ms or now
    if now >= ends:
        return _end_arena(tournament, now)
    if now >= ends - moments.LAST_TABLES_MS or now < (tournament.next_ms or 0):
        return False
    seated = _pair(tournament, now)
    tournament.next_ms = now if seated == FREE_AT_ONCE else now + moments.PAIR_MS
    return seated == FREE_AT_ONCE


def _free_from_stopped_tables(tournament: Tournament, now: int) -> None:
    """Let those play on elsewhere whose table stands still, or was voided: no deal that ends there frees them.

    Their chips stand as after their last deal. If their table goes on, what is played out there counts, too.
    """
    stopped = Table.objects.filter(
        Q(status=Table.Status.FROZEN) | Q(void_at__isnull=False), tournament_id=tournament.pk
    )
    held = Entrant.objects.filter(tournament=tournament, status=Entrant.Status.IN, waits_ms=None)
    held.filter(automatic__lt=ABSENT_AFTER, table_id__in=stopped.values("pk")).update(waits_ms=now)


def _pair(tournament: Tournament, now: int) -> int:
    """Seat those who are free and present, who have waited longest first; return how many were looked at."""
    waiting = Entrant.objects.filter(tournament=tournament, status=Entrant.Status.IN, waits_ms__isnull=False)
    waiting = waiting.filter(Q(deals=0) | Q(waits_ms__lte=now - moments.RESULT_MS))
    free = _present(waiting.select_related("user").order_by("waits_ms", "pk"))
    parties = paired([Free(entrant.pk, frozenset(entrant.met)) for entrant in free])
    entrants = {entrant.pk: entrant for entrant in free}
    if _others_come(tournament, now):
        parties = tuple(party for party in parties if not _waits_for_others([entrants[pk] for pk in party], now))
    if parties:
        open_tables(tournament, [[entrants[pk] for pk in party] for party in parties], None)
        for party in parties:
            for pk in party:
                entrants[pk].waits_ms, entrants[pk].met = None, [other for other in party if other != pk]
        seated = [entrants[pk] for party in parties for pk in party]
        # Nobody else: who waits on may be stepping away at this moment.
        update_each(seated, ["table_id", "waits_ms", "met"])
    return len(free)


def _others_come(tournament: Tournament, now: int) -> bool:
    """Return whether somebody still plays a deal, or looks at the result of one."""
    looking = Entrant.objects.filter(tournament=tournament, deals__gt=0, waits_ms__gt=now - moments.RESULT_MS)
    return looking.exists() or Table.objects.filter(tournament_id=tournament.pk, status=Table.Status.OPEN).exists()


def _waits_for_others(party: Sequence[Entrant], now: int) -> bool:
    """Return whether some of the party have just met, and none has waited long."""
    again = any(other.pk in entrant.met for entrant in party for other in party)
    return again and all(now - (entrant.waits_ms or now) < moments.AGAIN_MS for entrant in party)


def _present(waiting: QuerySet[Entrant]) -> list[Entrant]:
    """Return the first of them who are there: computer players, and people with a live socket here or in the lobby.

    Who may not begin another deal now, being locked, by their own limits or a break from play, is not among them.
    """
    listed = list(waiting[: 2 * FREE_AT_ONCE])
    people = [entrant.user.pk for entrant in listed if entrant.user is not None and entrant.user.is_active]
    last = Seating.objects.filter(entrant_id__in=[entrant.pk for entrant in listed])
    there = presence.online(people, list(last.filter(table_id__in=[entrant.table_id for entrant in listed])))
    there -= admission.excluded(there)
    return [entrant for entrant in listed if entrant.user_id is None or entrant.user_id in there][:FREE_AT_ONCE]


def _end_arena(tournament: Tournament, now: int) -> bool:
    tables = Table.objects.filter(tournament_id=tournament.pk)
    if tables.filter(status=Table.Status.OPEN).exists():
        return False
    for table_id in tables.filter(status=Table.Status.FROZEN).order_by("pk").values_list("pk", flat=True):
        staff.cancel_table(table_id=table_id, reason="the arena is over", actor=PLATFORM)
    ending.award_places(tournament, now)
    return True
