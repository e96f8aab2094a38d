"""The fees paid out of each player's winnings."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, Sum

from wallet.base.report_zone import zone
from wallet.finance.exports import Period, transfers
from wallet.ledger.day_sums import detailed_up_to
from wallet.ledger.snapshots import snapshot
from wallet.models import AccountKind, PlayerSum


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerFees:
    """The fees paid out of one player's winnings in deals; `player` is their id."""

    player: int
    name: str
    deals: int
    fees: int


def fees_by_player(period: Period, currency: str) -> list[PlayerFees]:
    """Return the fees paid in deals by player, most first.

    They come from the stored sums of players, and the transfers since.
    """
    by_player: dict[int, PlayerFees] = {}
    with snapshot():
        for player, name, deals, fees in (*_closed(period, currency), *_late(period, currency)):
            line = by_player.get(player, PlayerFees(player=player, name=name, deals=0, fees=0))
            by_player[player] = replace(line, deals=line.deals + deals, fees=line.fees + fees)
    return sorted(by_player.values(), key=lambda line: (-line.fees, line.name))


def _closed(period: Period, currency: str) -> Iterable[Any]:
    sums = PlayerSum.objects.filter(
        closing__zone=zone().key, currency=currency, pays=True, own_kind=AccountKind.STACK,
        other_kind=AccountKind.FEES, day__gte=period.first, day__lte=period.last,
    )  # fmt: skip
    return sums.order_by().values_list("player", "player__username").annotate(Sum("transfers"), Sum("amount"))


def _late(period: Period, currency: str) -> Iterable[Any]:
    paid = transfers(period, currency).filter(
        pk__gt=detailed_up_to(), debit__kind=AccountKind.STACK, debit__owner__isnull=False,
        credit__kind=AccountKind.FEES,
    )  # fmt: skip
    return paid.order_by().values_list("debit__owner", "debit__owner__username").annotate(Count("pk"), Sum("amount"))
