"""The totals of every day of the report zone."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import BigIntegerField, Func, Q, Sum

from wallet.audit.audit import snapshot
from wallet.base.report_zone import zone
from wallet.finance.exports import Period
from wallet.finance.figures import STANDING, Totals, on_side, sums
from wallet.models import Account, Transfer


class _Quarter(Func):
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


def by_day(period: Period, currency: str) -> dict[date, Totals]:
    """Return the totals of every day of the period, the latest first, in one query and two for what stands now."""
    days = [period.last - timedelta(days=n) for n in range((period.last - period.first).days + 1)]
    found = {day: Totals() for day in days}
    since, _ = period.bounds
    with snapshot():
        standing = {name: _standing(which, currency) for name, which in STANDING.items()}
        moved = Transfer.objects.filter(posting__created_at__gte=since, debit__currency=currency)
        rows = list(moved.values(quarter=_Quarter("posting__created_at")).annotate(**sums(), **_changes()))
    changes: dict[date, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        changes[_day(row["quarter"])].append(row)
    # What stood at the end of a day is what stands now, less what changed since.
    for day in sorted({*days, *changes}, reverse=True):
        if day in found:
            found[day].in_play, found[day].liabilities = standing["in_play"], standing["liabilities"]
        for part in changes[day]:
            if day in found:
                found[day].add(part)
            _take_back(standing, part)
    return found


def _day(quarter: int) -> date:
    return datetime.fromtimestamp(quarter * 900, zone()).date()


def _take_back(standing: dict[str, int], moved: Mapping[str, Any]) -> None:
    """Take the moves back: what stood before them is left."""
    for name in standing:
        standing[name] += (moved[f"{name}_out"] or 0) - (moved[f"{name}_in"] or 0)


def _standing(which: Q, currency: str) -> int:
    return Account.objects.filter(which, currency=currency).aggregate(total=Sum("balance", default=0))["total"] or 0


def _changes() -> dict[str, Any]:
    return {
        f"{name}_{word}": Sum("amount", filter=on_side(side, which))
        for name, which in STANDING.items()
        for word, side in (("in", "credit"), ("out", "debit"))
    }
