"""Which fees each player's winnings paid."""

from dataclasses import dataclass

from django.db.models import Count, Sum

from wallet.finance.exports import Period, transfers
from wallet.models import AccountKind


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerFees:
    """What one player's winnings in deals paid: `player` is their id."""

    player: int
    name: str
    deals: int
    fees: int


def fees_by_player(period: Period, currency: str) -> list[PlayerFees]:
    """Return whose winnings paid which fees in deals, most first."""
    paid = transfers(period, currency).filter(
        credit__kind=AccountKind.FEES, debit__kind=AccountKind.STACK, debit__owner__isnull=False
    )
    rows = paid.order_by().values_list("debit__owner", "debit__owner__username").annotate(Count("pk"), Sum("amount"))
    found = [PlayerFees(player=pk, name=name, deals=count, fees=amount) for pk, name, count, amount in rows]
    return sorted(found, key=lambda each: (-each.fees, each.name))
