"""What the tables no longer need: answers to requests that nobody can repeat any more."""

from datetime import timedelta

from django.utils import timezone

from tables.models import Answer

#: An answer is kept while its player sits, and so long after they have left: a client repeats within minutes.
KEPT_AFTER_LEAVING = timedelta(days=1)
#: So many are taken away in one transaction: no player waits for it.
BATCH = 5_000


def prune_answers() -> int:
    """No answer is older than its player's stay and a day; answers how many were taken away."""
    old = Answer.objects.filter(seating__left_at__lt=timezone.now() - KEPT_AFTER_LEAVING)
    gone = 0
    while ids := list(old.values_list("pk", flat=True)[:BATCH]):
        gone += Answer.objects.filter(pk__in=ids).delete()[0]
    return gone
