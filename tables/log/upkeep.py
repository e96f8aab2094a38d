"""Upkeep of the log, for the daily tasks and for `manage.py prune`: what is packed, and deleted after its time.

Stored answers, states of tables long closed and old logs are deleted in small transactions: the next run continues
where a stopped one ended.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from tables.log import packing, reading
from tables.models import Answer, Pack, Table

#: The most rows that one transaction deletes, few enough that no player waits for it.
BATCH = 5_000
_NO_STATE = {"snapshot": b""}


def prune_answers() -> Iterator[int]:
    """Delete the answers of ANSWERS_KEPT_HOURS ago and earlier; yield the number deleted after each transaction.

    Answers are written in the order of time, so the oldest have the lowest ids and the search can stop early.
    """
    before = timezone.now() - timedelta(hours=settings.ANSWERS_KEPT_HOURS)
    while True:
        oldest = Answer.objects.order_by("pk").values_list("pk", "answered_at")[:BATCH]
        old = [pk for pk, answered_at in oldest if answered_at < before]
        if not old:
            return
        yield Answer.objects.filter(pk__in=old).delete()[0]


def prune_snapshots() -> Iterator[int]:
    """Delete the states of tables that were closed SNAPSHOTS_KEPT_DAYS ago or earlier; yield one for each.

    Their events lead to the same state; where they do not, both are kept, so that the audit can report them.
    """
    tables = _closed(settings.SNAPSHOTS_KEPT_DAYS).filter(void_at=None).exclude(snapshot=b"")
    for table in tables.iterator(chunk_size=100):
        if reading.is_told_by_its_log(table):
            yield Table.objects.filter(pk=table.pk, version=table.version).update(**_NO_STATE)


def prune_logs() -> Iterator[int]:
    """Delete the packs of tables that were closed PACKED_EVENTS_KEPT_DAYS ago or earlier; yield one for each table.

    Their matches, deals, results and postings stay. A log is kept whole or not at all, so that a kept log can always be
    compared with the other records: the log of an open table stays, and so does one that could not be packed.
    """
    tables = _closed(settings.PACKED_EVENTS_KEPT_DAYS).filter(events=None)
    for pk in tables.values_list("pk", flat=True):
        with transaction.atomic():
            Table.objects.filter(pk=pk).update(log_pruned_at=timezone.now(), **_NO_STATE)
            # A trigger lets only an empty pack be deleted.
            Pack.objects.filter(table=pk).update(content=b"")
            Pack.objects.filter(table=pk).delete()
        yield 1


def _closed(days: int) -> QuerySet[Table, Any]:
    before = timezone.now() - timedelta(days=days)
    closed = Table.objects.filter(status=Table.Status.CLOSED, closed_at__lt=before, log_pruned_at=None)
    return closed.order_by("pk")


#: Each task's name for people, and its function, which yields a number of rows after each transaction.
Kinds = Mapping[str, Callable[[], Iterator[int]]]
HOURLY: Kinds = {"answers pruned": prune_answers, "deals packed": packing.pack_due}
NIGHTLY: Kinds = {"states pruned": prune_snapshots, "logs pruned": prune_logs}
ALL: Kinds = {**HOURLY, **NIGHTLY}


def run_upkeep(kinds: Kinds, progress: Callable[[str, int], None] = lambda kind, done: None) -> dict[str, int]:
    """Run these kinds of upkeep where due, and return the count of each.

    After each transaction `progress` is called with the kind and its count so far. Safe at any time, also when two runs
    overlap or one is stopped in the middle.
    """
    done = dict.fromkeys(kinds, 0)
    for kind, act in kinds.items():
        for number in act():
            done[kind] += number
            progress(kind, done[kind])
    return done
