"""Stuck tables: frozen, or with a deadline that has passed without effect."""

from django.db.models import Q

from tables.models import Table
from tables.play import store

#: A table whose deadline is overdue by more than this, in ms, counts as stuck.
STUCK_AFTER_MS = 5_000


def is_stuck() -> Q:
    """Return the query condition for tables that are stuck now."""
    overdue = Q(status=Table.Status.OPEN, deadline_ms__lt=store.now_ms() - STUCK_AFTER_MS)
    return Q(status=Table.Status.FROZEN) | overdue


def count_stuck() -> int:
    """Return the number of tables that are stuck now."""
    return Table.objects.filter(is_stuck()).count()


def count_open() -> tuple[int, int]:
    """Return the number of open tables with players, and the number of seats taken there."""
    seats = Table.objects.filter(status=Table.Status.OPEN, seated__gt=0).values_list("seated", flat=True)
    return len(seats), sum(seats)
