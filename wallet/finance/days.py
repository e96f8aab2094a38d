"""Totals for each day of the report zone, from the stored sums and the transfers since the last of them."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from django.db.models import F, Sum

from wallet.finance.exports import Period
from wallet.finance.figures import BALANCES, Totals, condition_of, sums
from wallet.ledger.snapshots import snapshot
from wallet.ledger.sums import DAYS, added_up


def by_day(period: Period, currency: str) -> dict[date, Totals]:
    """Return the totals of every day of the period, the latest first."""
    days = [period.last - timedelta(days=n) for n in range((period.last - period.first).days + 1)]
    totals = {day: Totals() for day in days}
    rows: dict[date, list[Mapping[str, Any]]] = defaultdict(list)
    with snapshot():
        for row in added_up(DAYS, currency, "day", **sums(), **_changes()):
            rows[row["day"]].append(row)
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
    condition = condition_of(what)
    # A transfer between two accounts of a balance does not change it.
    up = condition & BALANCES[what]("credit") if what in BALANCES else condition
    aggregates = {
        "count": Sum(F("transfers"), filter=condition),
        "up": Sum("amount", filter=up),
        "all": Sum("amount", filter=condition),
    }
    with snapshot():
        parts = list(added_up(DAYS, currency, "currency", first=since, last=until, **aggregates))
    count, increases, total = (sum(part[name] or 0 for part in parts) for name in aggregates)
    return count, 2 * increases - total


def _changes() -> dict[str, Any]:
    directions = (("in", "credit"), ("out", "debit"))
    return {
        f"{name}_{direction}": Sum("amount", filter=accounts(side))
        for name, accounts in BALANCES.items()
        for direction, side in directions
    }
