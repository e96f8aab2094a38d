"""Totals for each day of the report zone, from the stored day sums and the transfers since the last of them."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum

from wallet.base.report_zone import zone
from wallet.finance.exports import Period
from wallet.finance.figures import BALANCES, FIGURES, Totals, changing_balance, closed_sums, of_day_sums, on_side, sums
from wallet.ledger.day_sums import Quarter, closed_up_to, day_of
from wallet.ledger.snapshots import snapshot
from wallet.models import DaySum, Transfer

Rows = dict[date, list[Mapping[str, Any]]]


def by_day(period: Period, currency: str) -> dict[date, Totals]:
    """Return the totals of every day of the period, the latest first."""
    days = [period.last - timedelta(days=n) for n in range((period.last - period.first).days + 1)]
    totals = {day: Totals() for day in days}
    rows = _rows(currency, {**closed_sums(), **_closed_changes()}, {**sums(), **_changes()})
    balances = dict.fromkeys(BALANCES, 0)
    # The balance at the end of a day is everything paid in up to then, less everything paid out.
    for day in sorted({*days, *rows}):
        for part in rows.get(day, ()):
            if day in totals:
                totals[day].add(part)
            for name in balances:
                balances[name] += (part[f"{name}_in"] or 0) - (part[f"{name}_out"] or 0)
        if day in totals:
            totals[day].in_play, totals[day].liabilities = balances["in_play"], balances["liabilities"]
    return totals


def figure_of(currency: str, what: str = "", since: date | None = None, until: date | None = None) -> tuple[int, int]:
    """Return how many transfers make up a figure of `by_day`, and its amount; without a figure, count and sum them all.

    Without `since` it begins with the first transfer, without `until` it ends with the latest. Amounts are in smallest
    units.
    """
    condition = changing_balance(BALANCES[what]) if what in BALANCES else FIGURES.get(what, Q())
    up = on_side("credit", BALANCES[what]) if what in BALANCES else condition
    # A transfer between two accounts of a balance does not change it.
    rows = _rows(
        currency,
        {
            "count": Sum(F("transfers"), filter=of_day_sums(condition)),
            "up": Sum(F("amount"), filter=of_day_sums(condition & up)),
            "all": Sum(F("amount"), filter=of_day_sums(condition)),
        },
        {
            "count": Count("pk", filter=condition),
            "up": Sum("amount", filter=condition & up),
            "all": Sum("amount", filter=condition),
        },
    )
    parts = [
        part
        for day, of_day in rows.items()
        if (since is None or since <= day) and (until is None or day <= until)
        for part in of_day
    ]
    count, increases, total = (sum(part[name] or 0 for part in parts) for name in ("count", "up", "all"))
    return count, 2 * increases - total


def _rows(currency: str, closed: Mapping[str, Any], unclosed: Mapping[str, Any]) -> Rows:
    """Return the aggregates of each day: over the stored sums, and over the transfers in no closing yet."""
    rows: Rows = defaultdict(list)
    with snapshot():
        closed_rows: QuerySet[Any, Any] = DaySum.objects.filter(closing__zone=zone().key, currency=currency).order_by()
        for row in closed_rows.values("day").annotate(**closed):
            rows[row["day"]].append(row)
        open_rows: QuerySet[Any, Any] = _transfers_since_closing(currency)
        for row in open_rows.values(quarter=Quarter("posting__created_at")).annotate(**unclosed):
            rows[day_of(row["quarter"])].append(row)
    return rows


def _transfers_since_closing(currency: str) -> QuerySet[Transfer]:
    return Transfer.objects.filter(pk__gt=closed_up_to(), debit__currency=currency).order_by()


def _changes() -> dict[str, Any]:
    return {f"{name}_{word}": Sum("amount", filter=accounts) for name, word, accounts in _sides()}


def _closed_changes() -> dict[str, Any]:
    return {f"{name}_{word}": Sum("amount", filter=of_day_sums(accounts)) for name, word, accounts in _sides()}


def _sides() -> list[tuple[str, str, Q]]:
    directions = (("in", "credit"), ("out", "debit"))
    return [
        (name, direction, on_side(side, accounts))
        for name, accounts in BALANCES.items()
        for direction, side in directions
    ]
