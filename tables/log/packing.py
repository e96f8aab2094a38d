"""Packing of finished deals: the rows of a deal's events, one for each event, become one compressed row.

Nothing waits for it: no table is locked, and each deal is packed in a short transaction of its own. A run can be
stopped at any time, and two runs at once do not disturb each other.
"""

import logging
from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from tables.log import packs
from tables.log.reading import ORDER
from tables.log.sealing import EVENTS
from tables.models import Deal, LoggedEvent, Pack, Table

log = logging.getLogger(__name__)

#: The number of deals in one query.
BATCH = 500
#: Jumps in the index from each deal with rows to the next, so that the number of rows does not matter.
_DEALS_WITH_ROWS = (
    "WITH RECURSIVE found(id) AS (SELECT MIN(deal_id) FROM tables_event UNION ALL"
    " SELECT (SELECT MIN(deal_id) FROM tables_event WHERE deal_id > found.id) FROM found WHERE found.id IS NOT NULL)"
    " SELECT id FROM found WHERE id IS NOT NULL ORDER BY id"
)
#: A part of a log: the id of the table, and of the deal; None for events before the first deal is prepared.
Part = tuple[int, int | None]


class NotPackable(Exception):
    """The rows are damaged. They are not deleted, so that the audit can report them."""


def due() -> Iterator[Part]:
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
    for start in range(0, len(with_rows), BATCH):
        chosen = over.filter(pk__in=with_rows[start : start + BATCH]).order_by("pk")
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
