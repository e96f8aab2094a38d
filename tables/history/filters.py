"""Filters of a player's history, and the totals of the deals that they select."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import BooleanField, Case, Count, Q, QuerySet, Sum, Value, When
from rest_framework import serializers

from rules.books import BOOKS
from rules.game import Outcome
from tables.models import Deal, DealSeat, Seating
from wallet.base.api import LARGEST_ID, InPeriod
from wallet.base.money import COUNTERS
from wallet.finance.own_data import DownloadQuery
from wallet.ledger import selectors as ledger

#: A value of `outcome` in the query besides the outcomes of scored deals.
CANCELLED: Final = "cancelled"
OUTCOMES: Final = (*(outcome.value for outcome in Outcome), CANCELLED)
#: The number of the player's latest tables that the filter offers.
TABLES_OFFERED: Final = 20


class HistoryQuery(InPeriod):
    """A selection of deals: by `game` (the key of its rule book), `table`, `outcome` and period. Each is optional."""

    game = serializers.ChoiceField(choices=list(BOOKS), required=False)
    table = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False)
    outcome = serializers.ChoiceField(choices=OUTCOMES, required=False)


class HistoryFileQuery(DownloadQuery, HistoryQuery):
    """The same selection of deals, and the format of the file."""


def filter_deals(
    deals: QuerySet[DealSeat],
    *,
    game: str | None = None,
    table: int | None = None,
    outcome: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[DealSeat]:
    """Return the deals that match every argument given; the period is `since <= end of the deal < until`."""
    if game is not None:
        deals = deals.filter(deal__book=game)
    if table is not None:
        deals = deals.filter(deal__match__table_id=table)
    if outcome is not None:
        deals = deals.filter(outcome="" if outcome == CANCELLED else outcome)
    if since is not None:
        deals = deals.filter(deal__ended_at__gte=since)
    if until is not None:
        deals = deals.filter(deal__ended_at__lt=until)
    return deals


@dataclass(frozen=True, slots=True, kw_only=True)
class DealSum:
    """The totals of scored deals in one kind of chips; amounts in the smallest unit of the currency.

    `amount` is the sum won or lost in single deals, `matches` that in the pots of finished matches: prizes less
    entries and rejoins. `matches` is None if the query has an outcome, and for the chips of practice and of
    tournaments, which nobody owns.
    """

    currency: str
    practice: bool
    deals: int
    won: int
    points: int
    amount: int
    matches: int | None

    @property
    def for_tournament(self) -> bool:
        return self.currency in COUNTERS

    @property
    def result(self) -> int:
        return self.amount + (self.matches or 0)


#: Whether the deal was played for chips of the practice house.
FOR_PRACTICE_CHIPS: Final = Case(
    When(deal__match__table__strength="", then=Value(False)), default=Value(True), output_field=BooleanField()
)


def deal_sums(user: AbstractBaseUser, **query: Any) -> list[DealSum]:
    """Return the totals of the user's selected scored deals by kind of chips: stakes first, practice last."""
    deals = filter_deals(DealSeat.objects.filter(user_id=user.pk).exclude(outcome=""), **query)
    rows = (
        deals.annotate(practice=FOR_PRACTICE_CHIPS)
        .values_list("deal__match__table__currency", "practice")
        .annotate(
            Count("pk"), wins=Count("pk", filter=Q(outcome=Outcome.WON)), lost=Sum("points"), gained=Sum("amount")
        )
        .order_by("practice", "deal__match__table__currency")
    )
    pots: dict[str, int] = {}
    if query.get("outcome") is None:
        places = {"table": query.get("table"), "book": query.get("game")}
        pots = ledger.pot_results(user, **places, since=query.get("since"), until=query.get("until"))
    return [
        DealSum(
            currency=currency,
            practice=practice,
            deals=deals,
            won=won,
            points=points,
            amount=amount,
            matches=None
            if practice or currency in COUNTERS or query.get("outcome") is not None
            else pots.get(currency, 0),
        )
        for currency, practice, deals, won, points, amount in rows
    ]


def cancelled(user: AbstractBaseUser, **query: Any) -> int:
    """Count the selected deals of the user that were cancelled."""
    deals = DealSeat.objects.filter(user_id=user.pk, outcome="", deal__status=Deal.Status.CANCELLED)
    return filter_deals(deals, **query).count()


def tables_offered(user: AbstractBaseUser) -> dict[int, str]:
    """Return the ids and titles of the user's latest tables, newest first, at most TABLES_OFFERED."""
    seatings = Seating.objects.filter(user_id=user.pk).order_by("-pk")
    rows = seatings.values_list("table_id", "table__title")[: 5 * TABLES_OFFERED]
    return dict(list(dict(rows).items())[:TABLES_OFFERED])
