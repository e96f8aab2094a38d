"""Upkeep of the log, for the daily tasks and for `manage.py prune`: what is packed, and deleted after its time.

Deals over for EVENTS_KEPT_HOURS are packed; stored answers, states of tables long closed and old logs are deleted.
Nothing waits for it: no table is locked, and each transaction is small. Two runs at once do not disturb each other, and
the next one continues where a stopped one ended.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from tables.log import packs, reading
from tables.log.reading import ORDER
from tables.log.sealing import EVENTS
from tables.models import Answer, Deal, LoggedEvent, Pack, Table

log = logging.getLogger(__name__)

#: The number of deals in one query.
TABLES_AT_ONCE = 500
#: Jumps in the index from each deal with rows to the next, so that the number of rows does not matter.
_DEALS_WITH_ROWS = (
    "WITH RECURSIVE found(id) AS (SELECT MIN(deal_id) FROM tables_event UNION ALL"
    " SELECT (SELECT MIN(deal_id) FROM tables_event WHERE deal_id > found.id) FROM found WHERE found.id IS NOT NULL)"
    " SELECT id FROM found WHERE id IS NOT NULL ORDER BY id"
)
#: A part of a log: the id of the table, and of the deal; None for events before the first deal is prepared.
LogPart = tuple[int, int | None]
#: The most rows that one transaction deletes, few enough that no player waits for it.
ANSWERS_AT_ONCE = 5_000
_NO_STATE = {"snapshot": b""}


class NotPackable(Exception):
    """The rows are damaged. They are not deleted, so that the audit can report them."""


def due() -> Iterator[LogPart]:
    """Yield each part of a log that ended EVENTS_KEPT_HOURS ago or earlier and still has events in their own rows.

    Frozen tables, which staff have not looked at yet, and tables cancelled by the books, whose log is lost, are left
    out.
    """
    before = timezone.now() - timedelta(hours=settings.EVENTS_KEPT_HOURS)
    tables = Table.objects.filter(void_at=None).exclude(status=Table.Status.FROZEN)
    with_rows_before = tables.filter(pk__in=LoggedEvent.objects.filter(deal=None).order_by().values("table_id"))
    first_ended = Exists(Deal.objects.filter(match__table=OuterRef("pk"), ended_at__lt=before))
    started = with_rows_before.filter(first_ended | Q(closed_at__lt=before))
    for table_id in started.order_by("pk").values_list("pk", flat=True):
        yield table_id, None
    with connection.cursor() as cursor:
        cursor.execute(_DEALS_WITH_ROWS)
        with_rows = [pk for (pk,) in cursor.fetchall()]
    closed = Q(match__table__status=Table.Status.CLOSED)
    # At a table that was closed before the last deal ended, this deal was prepared and never dealt.
    ended = Q(ended_at__lt=before) | closed & Q(ended_at=None, match__table__closed_at__lt=before)
    # Until the next deal is prepared, new events still belong to the last one.
    current = Q(pk=F("match__table__deal_id"))
    over = Deal.objects.filter(ended, ~current | closed, match__table__in=tables)
    for start in range(0, len(with_rows), TABLES_AT_ONCE):
        chosen = over.filter(pk__in=with_rows[start : start + TABLES_AT_ONCE]).order_by("pk")
        yield from chosen.values_list("match__table_id", "pk")


def pack_due() -> Iterator[int]:
    """Pack each part that is due; yield 1 for each part that has been packed."""
    for part in due():
        try:
            if pack_deal(*part):
                yield 1
        except NotPackable as fault:
            log.warning("deal %s of table %s is not packed: %s", part[1], part[0], fault)


def pack_deal(table_id: int, deal_id: int | None) -> bool:
    """Move the events of the deal from their own rows into one; return False if another process has just done so.

    NotPackable if the events have a gap or one cannot be opened; then nothing is changed.
    """
    rows = list(LoggedEvent.objects.filter(table=table_id, deal=deal_id).order_by(*ORDER))
    if not rows:
        return False
    pack = _filled(table_id, deal_id, rows)
    try:
        with transaction.atomic():
            pack.save()
            deleted, _ = LoggedEvent.objects.filter(pk__in=[row.pk for row in rows]).delete()
            if deleted != len(rows):
                raise IntegrityError("some of the rows were gone already")
    except IntegrityError:
        # Its first version is packed already: another process was faster.
        return False
    return True


def _filled(table_id: int, deal_id: int | None, rows: list[LoggedEvent]) -> Pack:
    first, last = rows[0].version, rows[-1].version
    _check(table_id, rows)
    pack = Pack(table_id=table_id, deal_id=deal_id, first_version=first, last_version=last, last_ms=rows[-1].at_ms)
    try:
        lines = [packs.PackedEvent(row.version, row.number, row.at_ms, row.kind, EVENTS.unseal(row)) for row in rows]
    except Exception as fault:
        raise NotPackable(f"an event cannot be opened: {type(fault).__name__}") from fault
    packs.fill(pack, lines)
    # Compare the pack with the rows before any of them is deleted.
    if list(packs.lines(pack)) != lines:
        raise NotPackable("an event is not the same once it is packed")
    return pack


def _check(table_id: int, rows: list[LoggedEvent]) -> None:
    places = [(row.version, row.number) for row in rows]
    numbers: dict[int, list[int]] = {}
    for version, number in places:
        numbers.setdefault(version, []).append(number)
    versions = list(numbers)
    if versions != list(range(versions[0], versions[-1] + 1)):
        raise NotPackable("versions are missing")
    if any(found != list(range(len(found))) for found in numbers.values()):
        raise NotPackable("the events of a version are not numbered from 0 on")
    among = LoggedEvent.objects.filter(table=table_id, version__gte=versions[0], version__lte=versions[-1])
    if among.count() != len(rows):
        raise NotPackable("events of another deal lie among them")


def prune_answers() -> Iterator[int]:
    """Delete the answers of ANSWERS_KEPT_HOURS ago and earlier; yield the number deleted after each transaction.

    Answers are written in the order of time, so the oldest have the lowest ids and the search can stop early.
    """
    before = timezone.now() - timedelta(hours=settings.ANSWERS_KEPT_HOURS)
    while True:
        oldest = Answer.objects.order_by("pk").values_list("pk", "answered_at")[:ANSWERS_AT_ONCE]
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
HOURLY: Kinds = {"answers pruned": prune_answers, "deals packed": pack_due}
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
