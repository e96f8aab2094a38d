"""Rupees for the tax office: fees with the GST in them, and winnings with TDS, by Indian financial year.

The setting TAX_RATES has the rates, each with its first day. A fee includes its GST. Net winnings of a year are the
player's payouts and closing balance, less their deposits and opening balance (Income-tax Rule 133). The pot of a
running match belongs to nobody yet. The platform only calculates taxes; it withholds nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import F, Q, QuerySet, Sum

from wallet.base.report_zone import zone
from wallet.finance.days import by_day
from wallet.finance.exports import Period
from wallet.finance.fees import fees_by_player
from wallet.ledger.day_sums import detailed_up_to
from wallet.ledger.snapshots import snapshot
from wallet.models import AccountKind, PlayerSum, Transfer

RUPEES = "INR"


@dataclass(slots=True, kw_only=True)
class FeesOfMonth:
    """The fees of a month while one rate of GST applied, in paise; `gst` is the part of `fees` that is tax."""

    month: date
    rate: int
    fees: int = 0
    gst: int = 0

    @property
    def net(self) -> int:
        return self.fees - self.gst


@dataclass(slots=True, kw_only=True)
class PlayerYear:
    """A player's rupees in a financial year, in paise: `winnings` are net and never below 0."""

    player: int
    name: str
    opening: int
    paid_in: int
    paid_out: int
    closing: int
    fees: int
    gst: int
    winnings: int
    tds: int


def rate_on(tax: str, day: date) -> int:
    """Return the rate of `gst` or `tds` on that day, in whole percent; 0 before the first known rate."""
    since = [(date.fromisoformat(first), rate) for first, rate in settings.TAX_RATES[tax]]
    return max(((first, rate) for first, rate in since if first <= day), default=(day, 0))[1]


def tax_within(amount: int, rate: int) -> int:
    """Return the tax of that rate included in the amount, half a paisa rounded up."""
    return (2 * amount * rate + 100 + rate) // (2 * (100 + rate))


def percent_of(amount: int, rate: int) -> int:
    """Return `rate` percent of the amount, half a paisa rounded up."""
    return (amount * rate + 50) // 100


def fees_with_gst(period: Period) -> list[FeesOfMonth]:
    """Return the fees in rupees of each month, oldest first; a month whose rate changed has a line for each rate."""
    lines: dict[tuple[date, int], FeesOfMonth] = {}
    for day, totals in sorted(by_day(period, RUPEES).items()):
        if totals.fees:
            key = (day.replace(day=1), rate_on("gst", day))
            line = lines.setdefault(key, FeesOfMonth(month=key[0], rate=key[1]))
            line.fees += totals.fees
    for line in lines.values():
        line.gst = tax_within(line.fees, line.rate)
    return list(lines.values())


def players_with_tds(year: Period) -> list[PlayerYear]:
    """Return every player whose rupees moved in the financial year or before it, sorted by name."""
    with snapshot():
        incoming, outgoing = _sums("credit", year), _sums("debit", year)
        fees = {line.player: line.fees for line in fees_by_player(year, RUPEES)}
        names = dict(
            get_user_model()
            ._default_manager.filter(pk__in=incoming.keys() | outgoing.keys())
            .values_list("pk", "username")
        )
    rates = rate_on("gst", year.last), rate_on("tds", year.last)
    lines = [
        _player_year(pk, names[pk], incoming.get(pk, {}), outgoing.get(pk, {}), fees.get(pk, 0), rates) for pk in names
    ]
    return sorted(lines, key=lambda line: line.name)


def _player_year(
    player: int, name: str, incoming: Mapping[str, int], outgoing: Mapping[str, int], fees: int, rates: tuple[int, int]
) -> PlayerYear:
    opening = incoming.get("before", 0) - outgoing.get("before", 0)
    closing = opening + incoming.get("within", 0) - outgoing.get("within", 0)
    paid_in, paid_out = incoming.get("outside", 0), outgoing.get("outside", 0)
    winnings = max(0, paid_out + closing - paid_in - opening)
    return PlayerYear(
        player=player, name=name, opening=opening, paid_in=paid_in, paid_out=paid_out, closing=closing, fees=fees,
        gst=tax_within(fees, rates[0]), winnings=winnings, tds=percent_of(winnings, rates[1]),
    )  # fmt: skip


def _sums(side: str, year: Period) -> dict[int, dict[str, int]]:
    """Return the sums that each player's accounts received (`credit`) or paid (`debit`), by the player's id.

    They are `before` the year, `within` it, and `outside`: the part of `within` that passed the payment gateway.
    """
    by_player: dict[int, dict[str, int]] = {}
    for row in (*_closed(side, year), *_late(side, year)):
        sums = by_player.setdefault(row["whose"], dict.fromkeys(("before", "within", "outside"), 0))
        for name in sums:
            sums[name] += row[name] or 0
    return by_player


def _closed(side: str, year: Period) -> list[Mapping[str, Any]]:
    within = Q(day__gte=year.first)
    closed_sums = PlayerSum.objects.filter(
        closing__zone=zone().key, currency=RUPEES, pays=side == "debit", day__lte=year.last
    ).order_by()
    rows: QuerySet[Any, Any] = closed_sums.values(whose=F("player"))
    return list(rows.annotate(**_parts(within, Q(other_kind=AccountKind.GATEWAY))))


def _late(side: str, year: Period) -> list[Mapping[str, Any]]:
    since, until = year.bounds
    other = "debit" if side == "credit" else "credit"
    unclosed = Transfer.objects.filter(
        **{f"{side}__owner__isnull": False}, pk__gt=detailed_up_to(), debit__currency=RUPEES,
        posting__created_at__lt=until,
    ).order_by()  # fmt: skip
    outside = Q(**{f"{other}__kind": AccountKind.GATEWAY})
    rows: QuerySet[Any, Any] = unclosed.values(whose=F(f"{side}__owner"))
    return list(rows.annotate(**_parts(Q(posting__created_at__gte=since), outside)))


def _parts(within: Q, outside: Q) -> dict[str, Any]:
    parts = {"before": ~within, "within": within, "outside": within & outside}
    return {name: Sum("amount", filter=condition) for name, condition in parts.items()}
