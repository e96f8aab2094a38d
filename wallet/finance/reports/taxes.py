"""Rupees as the tax office asks: fees with the GST in them, and winnings with TDS, by the Indian financial year.

Rates are the setting TAX_RATES, each from its day on. A fee holds its GST. Net winnings of a year are what a player
has been paid out and still has at its end, less what they paid in and had at its beginning (Income-tax Rule 133).
What lies in the pot of a running match is in nobody's hands. The platform reckons; it withholds nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import Q, QuerySet, Sum

from wallet.audit.audit import snapshot
from wallet.finance.days import by_day
from wallet.finance.exports import Period
from wallet.finance.fees import fees_by_player
from wallet.models import AccountKind, Transfer

RUPEES = "INR"


@dataclass(slots=True, kw_only=True)
class FeesOfMonth:
    """The fees of a month while one rate of GST held, in paise; `gst` is the part of `fees` that is tax."""

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
    """Return the rate of `gst` or `tds` on that day, in whole percent; 0 before the first that is known."""
    since = [(date.fromisoformat(first), rate) for first, rate in settings.TAX_RATES[tax]]
    return max(((first, rate) for first, rate in since if first <= day), default=(day, 0))[1]


def contained(amount: int, rate: int) -> int:
    """Return the tax of that rate that the amount holds, half a paisa rounded up."""
    return (2 * amount * rate + 100 + rate) // (2 * (100 + rate))


def percent_of(amount: int, rate: int) -> int:
    """Return so many percent of the amount, half a paisa rounded up."""
    return (amount * rate + 50) // 100


def fees_with_gst(period: Period) -> list[FeesOfMonth]:
    """Return the fees in rupees of each month, apart where the rate changed within it, the oldest first."""
    found: dict[tuple[date, int], FeesOfMonth] = {}
    for day, totals in sorted(by_day(period, RUPEES).items()):
        if totals.fees:
            key = (day.replace(day=1), rate_on("gst", day))
            line = found.setdefault(key, FeesOfMonth(month=key[0], rate=key[1]))
            line.fees += totals.fees
    for line in found.values():
        line.gst = contained(line.fees, line.rate)
    return list(found.values())


def players_with_tds(year: Period) -> list[PlayerYear]:
    """Return every player whose rupees moved in the financial year or before it, by name."""
    since, until = year.bounds
    with snapshot():
        came, went = _sums("credit", since, until), _sums("debit", since, until)
        fees = {each.player: each.fees for each in fees_by_player(year, RUPEES)}
        names = dict(
            get_user_model()._default_manager.filter(pk__in=came.keys() | went.keys()).values_list("pk", "username")
        )
    rates = rate_on("gst", year.last), rate_on("tds", year.last)
    lines = [_player_year(pk, names[pk], came.get(pk, {}), went.get(pk, {}), fees.get(pk, 0), rates) for pk in names]
    return sorted(lines, key=lambda each: each.name)


def _player_year(
    player: int, name: str, came: Mapping[str, Any], went: Mapping[str, Any], fees: int, rates: tuple[int, int]
) -> PlayerYear:
    opening = (came.get("before") or 0) - (went.get("before") or 0)
    closing = opening + (came.get("within") or 0) - (went.get("within") or 0)
    paid_in, paid_out = came.get("outside") or 0, went.get("outside") or 0
    winnings = max(0, paid_out + closing - paid_in - opening)
    return PlayerYear(
        player=player, name=name, opening=opening, paid_in=paid_in, paid_out=paid_out, closing=closing, fees=fees,
        gst=contained(fees, rates[0]), winnings=winnings, tds=percent_of(winnings, rates[1]),
    )  # fmt: skip


def _sums(side: str, since: datetime, until: datetime) -> dict[int, Mapping[str, Any]]:
    """Return what came to (`credit`) or went from (`debit`) the accounts of each player: before and within the days,
    and what of the latter came from outside or went there.
    """
    within = Q(posting__created_at__gte=since)
    other = "debit" if side == "credit" else "credit"
    moved: QuerySet[Any, Any] = Transfer.objects.filter(
        **{f"{side}__owner__isnull": False}, debit__currency=RUPEES, posting__created_at__lt=until
    ).order_by()
    rows = moved.values(f"{side}__owner").annotate(
        before=Sum("amount", filter=~within),
        within=Sum("amount", filter=within),
        outside=Sum("amount", filter=within & Q(**{f"{other}__kind": AccountKind.GATEWAY})),
    )
    return {row[f"{side}__owner"]: row for row in rows}
