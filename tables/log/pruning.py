"""What the tables no longer need goes: old answers, states of tables long closed, and logs that are past their time.

Everything goes in small transactions; stopped in the middle it goes on the next time.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from tables.log import rebuilding
from tables.models import Answer, Pack, Table

#: So many are taken away in one transaction: no player waits for it.
BATCH = 5_000
_NO_STATE = {"snapshot": b"", "former_snapshot": b""}


def prune_answers() -> Iterator[int]:
    """Take away the answers of ANSWERS_KEPT_HOURS ago and earlier; yield how many, after each transaction.

    They are written in the order of time, so that the oldest come first and the rest need not be looked at.
    """
    before = timezone.now() - timedelta(hours=settings.ANSWERS_KEPT_HOURS)
    while True:
        oldest = Answer.objects.order_by("pk").values_list("pk", "answered_at")[:BATCH]
        old = [pk for pk, answered_at in oldest if answered_at < before]
        if not old:
            return
        yield Answer.objects.filter(pk__in=old).delete()[0]


def prune_snapshots() -> Iterator[int]:
    """Take away the states of tables that were closed SNAPSHOTS_KEPT_DAYS ago or earlier; yield one for each.

    Their events tell the same; where they do not, both stay for the audit to name.
    """
    tables = _closed(settings.SNAPSHOTS_KEPT_DAYS).filter(void_at=None).exclude(snapshot=b"", former_snapshot=b"")
    for table in tables.iterator(chunk_size=100):
        if rebuilding.is_told_by_its_log(table):
            yield Table.objects.filter(pk=table.pk, version=table.version).update(**_NO_STATE)


def prune_logs() -> Iterator[int]:
    """Take away the packs of tables that were closed PACKED_EVENTS_KEPT_DAYS ago or earlier; yield one for each table.

    Their matches, deals, results and postings stay. A log is kept whole or not at all, so that what is kept can be held
    against everything else: that of an open table stays with it, as does one that could not be packed.
    """
    tables = _closed(settings.PACKED_EVENTS_KEPT_DAYS).filter(events=None)
    for pk in tables.values_list("pk", flat=True):
        with transaction.atomic():
            Table.objects.filter(pk=pk).update(log_pruned_at=timezone.now(), **_NO_STATE)
            # The database lets no other pack go.
            Pack.objects.filter(table=pk).update(content=b"")
            Pack.objects.filter(table=pk).delete()
        yield 1


def _closed(days: int) -> QuerySet[Table, Any]:
    before = timezone.now() - timedelta(days=days)
    closed = Table.objects.filter(status=Table.Status.CLOSED, closed_at__lt=before, log_pruned_at=None)
    return closed.order_by("pk")
