"""Locking a tournament, before any table, player or account, so that one at a time makes its steps; and their moments.

A moment is in ms. Outages put off what is to come.
"""

from tables.errors import TableError, no_such_tournament
from tables.models import Outage, Tournament
from tables.play import outages, store
from tables.play.tournament_tables import START_MS
from wallet.base.queries import one_or_none
from wallet.language import gettext as _

#: Between two rounds of a knock-out.
BREAK_MS = 15_000
#: How often an arena looks who is free, and for how long those who have just played look at the result.
PAIR_MS, RESULT_MS = 3_000, 4_000
#: In the last half minute of an arena no deal begins, so before it no table opens; nobody enters in the last five.
LAST_TABLES_MS, LATE_MS = 30_000 + START_MS, 300_000
#: So long those who have just met wait for others to come free; then they meet again, within the ten seconds published.
AGAIN_MS = 5_500
#: From a start that fell into an outage to the start.
RECOVERY_MS = 60_000


def put_off(tournament: Tournament) -> None:
    """Give the tournament back the time of the outages since this was last done, which its row remembers.

    What runs gets all of it, as clocks do. A published start is put off only where it fell into an outage.
    """
    for outage in outages.ended_after(tournament.last_outage):
        _put_off(tournament, outage)
        tournament.last_outage = outage.pk


def _put_off(tournament: Tournament, outage: Outage) -> None:
    starts = tournament.starts_ms
    if tournament.status != Tournament.Status.RUNNING:
        if starts is not None and outage.began_ms <= starts <= outage.ended_ms:
            put_off_start(tournament, outage.ended_ms)
        return
    # What comes after is within the pause, which is given back as a whole.
    ended = outage.ended_ms if tournament.paused_ms is None else min(outage.ended_ms, tournament.paused_ms)
    delay(tournament, outage.began_ms, ended)


def put_off_start(tournament: Tournament, now: int) -> None:
    """Let a start that was missed come RECOVERY_MS from `now`; where entry is not open yet, it opens before that."""
    tournament.starts_ms = now + RECOVERY_MS
    if tournament.status == Tournament.Status.OPEN:
        tournament.next_ms = tournament.starts_ms


def filled_ms(tournament: Tournament) -> int | None:
    """Return when computer players take the free seats, once somebody has entered; None where they do not."""
    is_open = tournament.status == Tournament.Status.OPEN
    waits = is_open and tournament.starts_ms is None and tournament.computers_after is not None
    return tournament.next_ms if waits else None


def delay(tournament: Tournament, began_ms: int, ended_ms: int) -> None:
    """Put off what is to come of the tournament by the time from `began_ms` to `ended_ms`."""
    lost = max(0, ended_ms - max(began_ms, tournament.starts_ms or began_ms))
    for name in ("ends_ms", "next_ms"):
        moment = getattr(tournament, name)
        if moment is not None and moment >= began_ms:
            setattr(tournament, name, moment + lost)


def lock_tournament(tournament_id: int, *, skip_locked: bool = False) -> tuple[Tournament, int]:
    """Lock the tournament; return it, with its moments put off for outages, and the time by the database clock.

    The caller saves it. TableError `not_found`; with `skip_locked` `busy` where somebody else makes a step.
    """
    row = one_or_none(Tournament.objects.select_for_update(skip_locked=skip_locked).filter(pk=tournament_id))
    if row is None and skip_locked:
        raise TableError("busy", _("The tournament is being changed at this moment."))
    if row is None:
        raise no_such_tournament()
    put_off(row)
    return row, store.now_ms()
