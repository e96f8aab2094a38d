"""Opening balance, movements and closing balance of every kind of account in a period."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, F, QuerySet, Sum

from wallet.audit.audit import snapshot
from wallet.base.report_zone import midnight, zone
from wallet.finance.exports import Period
from wallet.ledger.day_sums import closed_up_to
from wallet.models import AccountKind, DaySum, Reason, Transfer

Route = tuple[str, str, str]
"""The reason of a transfer, and the kinds of the accounts that pay and are paid."""
Moved = dict[Route, tuple[int, int]]
"""How many transfers went that way, and their sum in smallest units."""


@dataclass(slots=True)
class KindMovement:
    """The amounts that entered and left the accounts of a kind for one reason, in smallest units."""

    reason: str
    title: str
    came: int = 0
    went: int = 0


@dataclass(slots=True)
class KindLine:
    """The accounts of one kind, all together, in smallest units: `opening + came - went = closing`.

    A transfer between two accounts of the kind counts in neither direction.
    """

    kind: str
    title: str
    opening: int = 0
    movements: dict[str, KindMovement] = field(default_factory=dict)

    @property
    def came(self) -> int:
        return sum(each.came for each in self.movements.values())

    @property
    def went(self) -> int:
        return sum(each.went for each in self.movements.values())

    @property
    def closing(self) -> int:
        return self.opening + self.came - self.went

    def add(self, reason: str, change: int) -> None:
        """Add an amount that came in (above 0) or left (below 0) for the reason."""
        movement = self.movements.setdefault(reason, KindMovement(reason, str(Reason(reason).label)))
        movement.came += max(change, 0)
        movement.went += max(-change, 0)


def by_kind(period: Period, currency: str) -> list[KindLine]:
    """Return a line for each kind of account with an opening balance or movements, all from one snapshot."""
    with snapshot():
        before = moved_by_route(currency, None, period.first - timedelta(days=1))
        return lines_of(before, moved_by_route(currency, period.first, period.last))


def lines_of(before: Moved, within: Moved) -> list[KindLine]:
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


def moved_total(lines: Iterable[KindLine]) -> KindLine:
    """Return the line of all kinds together: its opening and closing are 0, and as much enters as leaves."""
    whole = KindLine("", "All")
    for line in lines:
        whole.opening += line.opening
        for each in line.movements.values():
            whole.add(each.reason, each.came)
            whole.add(each.reason, -each.went)
    return whole


def moved_by_route(currency: str, first: date | None, last: date, *, use_day_sums: bool = True) -> Moved:
    """Return the sums that moved by route from day `first` to `last` of the report zone; without `first`, all before.

    They come from the stored day sums and the transfers since, or without `use_day_sums` from the transfers alone. Call
    it inside a snapshot.
    """
    found: Moved = {}
    after = closed_up_to() if use_day_sums else 0
    if after:
        kept: QuerySet[Any, Any] = DaySum.objects.filter(
            closing__zone=zone().key, closing__last__lte=after, currency=currency, day__lte=last,
            **({"day__gte": first} if first else {}),
        )  # fmt: skip
        grouped = kept.order_by().values("reason", "debit_kind", "credit_kind")
        _add(found, grouped.annotate(count=Sum("transfers"), total=Sum("amount")))
    late: QuerySet[Any, Any] = Transfer.objects.filter(
        pk__gt=after, debit__currency=currency, posting__created_at__lt=midnight(last + timedelta(days=1)),
        **({"posting__created_at__gte": midnight(first)} if first else {}),
    )  # fmt: skip
    sides = {"reason": F("posting__reason"), "debit_kind": F("debit__kind"), "credit_kind": F("credit__kind")}
    _add(found, late.order_by().values(**sides).annotate(count=Count("pk"), total=Sum("amount")))
    return found


def _add(found: Moved, rows: QuerySet[Any, Mapping[str, Any]]) -> None:
    for row in rows:
        route = (row["reason"], row["debit_kind"], row["credit_kind"])
        count, total = found.get(route, (0, 0))
        found[route] = (count + row["count"], total + row["total"])
