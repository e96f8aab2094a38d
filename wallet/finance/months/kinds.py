"""Opening balance, movements and closing balance of every kind of account in a period."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta

from django.db.models import Sum

from wallet.finance.periods import Period
from wallet.ledger.snapshots import snapshot
from wallet.ledger.sums import DAYS, added_up
from wallet.models import AccountKind, Reason

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


def route_sums(currency: str, first: date | None, last: date) -> RouteSums:
    """Return the sums that moved by route from day `first` to `last` of the report zone; without `first`, all before.

    Call it inside a snapshot.
    """
    sums: RouteSums = {}
    aggregates = {"count": Sum("transfers"), "total": Sum("amount")}
    for row in added_up(DAYS, currency, "reason", "debit_kind", "credit_kind", first=first, last=last, **aggregates):
        route = (row["reason"], row["debit_kind"], row["credit_kind"])
        count, total = sums.get(route, (0, 0))
        sums[route] = (count + row["count"], total + row["total"])
    return sums
