"""The sums of each day, kept: what reports would else add up anew from every transfer of a month.

A closing adds up the transfers between two ids by the day of the report zone, the currency, the reason, and the kinds
of the two accounts. Every transfer is in one closing or after the last, whatever its date: one that comes late, or that
a clock which was ahead has dated, is counted once like any other. The audit adds all of it up again.
"""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db import IntegrityError, transaction
from django.db.models import BigIntegerField, Case, Count, F, Func, Max, QuerySet, Sum, Value, When
from django.utils import timezone

from wallet.base.report_zone import zone
from wallet.ledger.horizon import committed_up_to
from wallet.models import Closing, DaySum, Transfer

#: So many ids at once: a fraction of a second, in which nobody waits.
PIECE = 100_000
_SIDES = {
    f"{side}_{name}": value
    for side in ("debit", "credit")
    for name, value in (
        ("kind", F(f"{side}__kind")),
        ("unowned", Case(When(**{f"{side}__owner__isnull": True}, then=Value(True)), default=Value(False))),
    )
}
_GROUPS = {"currency": F("debit__currency"), "reason": F("posting__reason"), **_SIDES}

Sums = dict[tuple[Any, ...], tuple[int, int]]
"""Transfers and amount by day, currency, reason, and what each side is: its kind, and whether it is nobody's."""


class Quarter(Func):
    """How many quarters of an hour lie between 1970 and that moment: no day of today's zones begins within one.

    The database's own arithmetic, where asking for the day would ask Python at every row on SQLite.
    """

    output_field = BigIntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **options: Any) -> Any:
        return self.as_sql(
            compiler, connection, template="(CAST(strftime('%%%%s', substr(%(expressions)s, 1, 19)) AS INTEGER) / 900)"
        )

    def as_postgresql(self, compiler: Any, connection: Any, **options: Any) -> Any:
        return self.as_sql(compiler, connection, template="FLOOR(EXTRACT(EPOCH FROM %(expressions)s) / 900)::bigint")


def day_of(quarter: int, place: ZoneInfo | None = None) -> date:
    """Return the day that the quarter of an hour lies in, in the report zone unless another is given."""
    return datetime.fromtimestamp(quarter * 900, place or zone()).date()


def close_days() -> int:
    """Put every transfer that nobody can precede any more into a closing; return how many were added.

    Call it on books that an audit has just found in order. Play goes on. WalletError `ledger_busy`.
    """
    until, added = committed_up_to(), 0
    while (after := closed_up_to()) < until:
        last = min(after + PIECE, until)
        sums = add_up(after, last)
        try:
            _store(after, last, sums)
        except IntegrityError:
            # Another process has closed these in the meantime.
            continue
        added += sum(count for count, _ in sums.values())
    return added


def closed_up_to() -> int:
    """Return the id of the last transfer in a closing by days of today's report zone; 0 where none is."""
    return Closing.objects.filter(zone=zone().key).aggregate(last=Max("last"))["last"] or 0


def add_up(after: int, last: int, place: ZoneInfo | None = None) -> Sums:
    """Return what the transfers after one id, up to and with another, come to by days of that zone."""
    found: Sums = {}
    there = Transfer.objects.filter(pk__gt=after, pk__lte=last).order_by()
    rows: QuerySet[Any, Any] = there.values(quarter=Quarter("posting__created_at"), **_GROUPS)
    for row in rows.annotate(count=Count("pk"), total=Sum("amount")):
        key = (day_of(row["quarter"], place), *(row[name] for name in _GROUPS))
        count, total = found.get(key, (0, 0))
        found[key] = (count + row["count"], total + row["total"])
    return found


def stored(closing: Closing) -> Sums:
    """Return what the closing says that its transfers come to."""
    rows = DaySum.objects.filter(closing=closing).values_list("day", *_GROUPS, "transfers", "amount")
    return {row[:-2]: row[-2:] for row in rows}


@transaction.atomic
def _store(after: int, last: int, sums: Mapping[tuple[Any, ...], tuple[int, int]]) -> None:
    closing = Closing.objects.create(zone=zone().key, after=after, last=last, made_at=timezone.now())
    DaySum.objects.bulk_create(
        DaySum(closing=closing, day=day, transfers=count, amount=total, **dict(zip(_GROUPS, key, strict=True)))
        for (day, *key), (count, total) in sums.items()
    )
