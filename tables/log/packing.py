"""Finished deals are packed: the events of each, which were rows of their own, become one compressed row.

Nobody waits for it: no table is locked, each deal is a short transaction of its own. Whoever stops it in the middle
has lost nothing and done part of it; two at once disturb each other as little.
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

#: So many deals are looked up at once.
BATCH = 500
#: Walks over the index from each deal that has rows to the next, however many rows each of them has.
_DEALS_WITH_ROWS = (
    "WITH RECURSIVE found(id) AS (SELECT MIN(deal_id) FROM tables_event UNION ALL"
    " SELECT (SELECT MIN(deal_id) FROM tables_event WHERE deal_id > found.id) FROM found WHERE found.id IS NOT NULL)"
    " SELECT id FROM found WHERE id IS NOT NULL ORDER BY id"
)
#: A part of a log: the table, and the deal; before the first deal is prepared there is none.
Part = tuple[int, int | None]


class NotPackable(Exception):
    """The rows are not what can have been written there: they stay, for the audit to name."""


def due() -> Iterator[Part]:
    """Yield each part of a log that is over, ended EVENTS_KEPT_HOURS ago or earlier, and has rows of its own.

    Not those of a frozen table, which staff have yet to look at, nor of one cancelled by the books, which tell nothing.
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
    # Where the table was closed first, the last deal was prepared and never dealt.
    ended = Q(ended_at__lt=before) | closed & Q(ended_at=None, match__table__closed_at__lt=before)
    # What happens before the next deal is prepared is put under the last one.
    current = Q(pk=F("match__table__deal_id"))
    over = Deal.objects.filter(ended, ~current | closed, match__table__in=tables)
    for start in range(0, len(with_rows), BATCH):
        chosen = over.filter(pk__in=with_rows[start : start + BATCH]).order_by("pk")
        yield from chosen.values_list("match__table_id", "pk")


def pack_due() -> Iterator[int]:
    """Pack everything that is due; yield 1 for each part that has been packed."""
    for part in due():
        try:
            if pack_deal(*part):
                yield 1
        except NotPackable as fault:
            log.warning("deal %s of table %s is not packed: %s", part[1], part[0], fault)


def pack_deal(table_id: int, deal_id: int | None) -> bool:
    """Put the events of the deal into one row and take their own away; False where somebody else just has.

    NotPackable where they have a gap, or one cannot be opened; nothing is changed then.
    """
    rows = list(LoggedEvent.objects.filter(table=table_id, deal=deal_id).order_by(*ORDER))
    if not rows:
        return False
    made = _filled(table_id, deal_id, rows)
    try:
        with transaction.atomic():
            made.save()
            gone, _ = LoggedEvent.objects.filter(pk__in=[row.pk for row in rows]).delete()
            if gone != len(rows):
                raise IntegrityError("some of the rows were gone already")
    except IntegrityError:
        # Its first version is packed already: somebody else was faster.
        return False
    return True


def _filled(table_id: int, deal_id: int | None, rows: list[LoggedEvent]) -> Pack:
    first, last = rows[0].version, rows[-1].version
    _check(table_id, rows)
    made = Pack(table_id=table_id, deal_id=deal_id, first_version=first, last_version=last, last_ms=rows[-1].at_ms)
    try:
        lines = [packs.PackedEvent(row.version, row.number, row.at_ms, row.kind, EVENTS.unseal(row)) for row in rows]
    except Exception as fault:
        raise NotPackable(f"an event cannot be opened: {type(fault).__name__}") from fault
    packs.fill(made, lines)
    # What is read from it is held against what goes, before anything goes.
    if list(packs.lines(made)) != lines:
        raise NotPackable("an event is not the same once it is packed")
    return made


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
