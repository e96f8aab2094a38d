"""Opening balance, movements and closing balance of every kind of account in a period."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, F, QuerySet, Sum

from wallet.base.report_zone import midnight, zone
from wallet.finance.exports import Period
from wallet.ledger.day_sums import closed_up_to
from wallet.ledger.snapshots import snapshot
from wallet.models import AccountKind, DaySum, Reason, Transfer

#: The reason of a transfer, and the kinds of the accounts that pay and are paid.
Route = tuple[str, str, str]
#: The number of transfers by each route, and their sum in smallest units.
RouteSums = dict[Route, tuple[int, int]]


@dataclass(slots=True)
class KindMovement:
    """The amounts that entered and left the accounts of a kind for one reason, in smallest units."""

    reason: str
    title: str
    credits: int = 0
    debits: int = 0


@dataclass(slots=True)
class KindLine:
    """The accounts of one kind, all together, in smallest units: `opening + credits - debits = closing`.

    A transfer between two accounts of the kind counts in neither direction.
    """

    kind: str
    title: str
    opening: int = 0
    movements: dict[str, KindMovement] = field(default_factory=dict)

    @property
    def credits(self) -> int:
        return sum(movement.credits for movement in self.movements.values())

    @property
    def debits(self) -> int:
        return sum(movement.debits for movement in self.movements.values())

    @property
    def closing(self) -> int:
        return self.opening + self.credits - self.debits

    def add(self, reason: str, change: int) -> None:
        """Add an amount that came in (above 0) or left (below 0) for the reason."""
        movement = self.movements.setdefault(reason, KindMovement(reason, str(Reason(reason).label)))
        movement.credits += max(change, 0)
        movement.debits += max(-change, 0)


def by_kind(period: Period, currency: str) -> list[KindLine]:
    """Return a line for each kind of account with an opening balance or movements, all from one snapshot."""
    with snapshot():
        before = route_sums(currency, None, period.first - timedelta(days=1))
        return lines_of(before, route_sums(currency, period.first, period.last))


def lines_of(before: RouteSums, within: RouteSums) -> list[KindLine]:
    """Return the lines that these transfers make, in the order of the kinds."""
    lines = {str(kind): KindLine(str(kind), str(kind.label)) for kind in AccountKind}
    for (_, debit, credit), (_, amount) in before.items():
        lines[debit].opening -= amount
        lines[credit].opening += amount
    for (reason, debit, credit), (_, amount) in within.items():
        if debit != credit:
            lines[debit].add(reason, -amount)
            lines[credit].add(reason, amount)
    return [line for line in lines.values() if line.opening or line.movements]


def total_line(lines: Iterable[KindLine]) -> KindLine:
    """Return the line of all kinds together: its opening and closing are 0, and as much enters as leaves."""
    total = KindLine("", "All")
    for line in lines:
        total.opening += line.opening
        for movement in line.movements.values():
            total.add(movement.reason, movement.credits)
            total.add(movement.reason, -movement.debits)
    return total


def route_sums(currency: str, first: date | None, last: date, *, use_day_sums: bool = True) -> RouteSums:
    """Return the sums that moved by route from day `first` to `last` of the report zone; without `first`, all before.

    They come from the stored day sums and the transfers since, or without `use_day_sums` from the transfers alone. Call
    it inside a snapshot.
    """
    sums: RouteSums = {}
    after = closed_up_to() if use_day_sums else 0
    if after:
        closed: QuerySet[Any, Any] = DaySum.objects.filter(
            closing__zone=zone().key, closing__last__lte=after, currency=currency, day__lte=last,
            **({"day__gte": first} if first else {}),
        )  # fmt: skip
        grouped = closed.order_by().values("reason", "debit_kind", "credit_kind")
        _add(sums, grouped.annotate(count=Sum("transfers"), total=Sum("amount")))
    unclosed: QuerySet[Any, Any] = Transfer.objects.filter(
        pk__gt=after, debit__currency=currency, posting__created_at__lt=midnight(last + timedelta(days=1)),
        **({"posting__created_at__gte": midnight(first)} if first else {}),
    )  # fmt: skip
    sides = {"reason": F("posting__reason"), "debit_kind": F("debit__kind"), "credit_kind": F("credit__kind")}
    _add(sums, unclosed.order_by().values(**sides).annotate(count=Count("pk"), total=Sum("amount")))
    return sums


def _add(sums: RouteSums, rows: QuerySet[Any, Mapping[str, Any]]) -> None:
    for row in rows:
        route = (row["reason"], row["debit_kind"], row["credit_kind"])
        count, total = sums.get(route, (0, 0))
        sums[route] = (count + row["count"], total + row["total"])
