"""Stuck tables: frozen, or with a deadline that has passed without effect; and tournaments that do not go on."""

from django.db.models import Q

from tables.models import Table, Tournament
from tables.play import store

#: A table whose deadline is overdue by more than this, in ms, counts as stuck.
STUCK_AFTER_MS = 5_000
#: The statuses of tournaments that are not over.
UNDER_WAY = (Tournament.Status.ANNOUNCED, Tournament.Status.OPEN, Tournament.Status.RUNNING)


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
