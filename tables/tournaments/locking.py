"""Locking a tournament: before any table, player or account, so that each of its steps is made by one at a time."""

from tables.errors import TableError
from tables.models import Tournament
from tables.play import store
from tables.tournaments import moments
from wallet.base.queries import one_or_none
from wallet.language import gettext as _


def lock_tournament(tournament_id: int, *, skip_locked: bool = False) -> tuple[Tournament, int]:
    """Lock the tournament; return it, with its moments put off for outages, and the time by the database clock.

    The caller saves it. TableError `not_found`; with `skip_locked` `busy` where somebody else makes a step.
    """
    row = one_or_none(Tournament.objects.select_for_update(skip_locked=skip_locked).filter(pk=tournament_id))
    if row is None and skip_locked:
        raise TableError("busy", _("The tournament is being changed at this moment."))
    if row is None:
        raise TableError("not_found", _("There is no such tournament."), status=404)
    moments.put_off(row)
    return row, store.now_ms()
