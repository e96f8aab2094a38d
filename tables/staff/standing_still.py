"""Tables that stand still: frozen, or with a deadline that is over and that nobody has acted on."""

from django.db.models import Q

from tables.models import Table
from tables.play import store

#: A deadline overdue by more than this, in ms, means that nothing moves this table any more.
STUCK_AFTER_MS = 5_000


def is_stuck() -> Q:
    """Return the condition on tables that stand still now."""
    overdue = Q(status=Table.Status.OPEN, deadline_ms__lt=store.now_ms() - STUCK_AFTER_MS)
    return Q(status=Table.Status.FROZEN) | overdue


def count_stuck() -> int:
    """Return how many tables stand still now."""
    return Table.objects.filter(is_stuck()).count()


def count_open() -> tuple[int, int]:
    """Return how many tables have somebody at them, and how many seats are taken there."""
    seats = Table.objects.filter(status=Table.Status.OPEN, seated__gt=0).values_list("seated", flat=True)
    return len(seats), sum(seats)
