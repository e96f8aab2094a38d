"""Which of their deals a player asks for, and what those come to."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import BooleanField, Case, Count, Q, QuerySet, Sum, Value, When
from rest_framework import serializers

from rules.books import BOOKS
from rules.game import Outcome
from tables.models import Deal, DealSeat, Seating
from wallet.base.api import DayOrTime
from wallet.finance.own_data import DownloadQuery
from wallet.ledger import selectors as ledger

#: Asked for beside the outcomes of a scored deal.
CANCELLED: Final = "cancelled"
OUTCOMES: Final = (*(outcome.value for outcome in Outcome), CANCELLED)
#: So many of the tables where a player sat last are offered to choose from.
TABLES_OFFERED: Final = 20
_LARGEST_ID: Final = 2**63 - 1


class HistoryQuery(serializers.Serializer[Any]):
    """Which deals: of one `game` (the key of its rule book), one `table`, one `outcome`, and of the period `from` (its
    first day or moment) `to` (its last). What is left out is not asked for.
    """

    game = serializers.ChoiceField(choices=list(BOOKS), required=False)
    table = serializers.IntegerField(min_value=1, max_value=_LARGEST_ID, required=False)
    outcome = serializers.ChoiceField(choices=OUTCOMES, required=False)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        period = {"from": DayOrTime(source="since"), "to": DayOrTime(source="until", last=True)}
        return {**super().get_fields(), **period}


class HistoryFileQuery(DownloadQuery, HistoryQuery):
    """As the history, and the format of the file."""


def narrowed(
    deals: QuerySet[DealSeat],
    *,
    game: str | None = None,
    table: int | None = None,
    outcome: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[DealSeat]:
    """Return those of the deals that are asked for, of `since <= end of the deal < until`."""
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
    """What the scored deals in one kind of chips come to; amounts in the smallest unit of the currency.

    `amount` was won or lost deal by deal, `matches` in the pots of finished matches: prizes and refunds less entries
    and rejoins. `matches` is None where single outcomes are asked for, and of practice chips, which nobody owns.
    """

    currency: str
    practice: bool
    deals: int
    won: int
    points: int
    amount: int
    matches: int | None

    @property
    def result(self) -> int:
        return self.amount + (self.matches or 0)


#: Whether the deal was played for chips of the practice house.
FOR_PRACTICE_CHIPS: Final = Case(
    When(deal__match__table__strength="", then=Value(False)), default=Value(True), output_field=BooleanField()
)


def deal_sums(user: Any, **asked: Any) -> list[DealSum]:
    """Return what the user's scored deals that are asked for come to: chips at stakes first, practice last."""
    deals = narrowed(DealSeat.objects.filter(user_id=user.pk).exclude(outcome=""), **asked)
    rows = (
        deals.annotate(practice=FOR_PRACTICE_CHIPS)
        .values_list("deal__match__table__currency", "practice")
        .annotate(
            Count("pk"), wins=Count("pk", filter=Q(outcome=Outcome.WON)), lost=Sum("points"), gained=Sum("amount")
        )
        .order_by("practice", "deal__match__table__currency")
    )
    pots: dict[str, int] = {}
    if asked.get("outcome") is None:
        places = {"table": asked.get("table"), "book": asked.get("game")}
        pots = ledger.pot_results(user, **places, since=asked.get("since"), until=asked.get("until"))
    return [
        DealSum(
            currency=currency,
            practice=practice,
            deals=deals,
            won=won,
            points=points,
            amount=amount,
            matches=None if practice or asked.get("outcome") is not None else pots.get(currency, 0),
        )
        for currency, practice, deals, won, points, amount in rows
    ]


def cancelled(user: Any, **asked: Any) -> int:
    """Count the deals asked for that were cancelled under the user."""
    deals = DealSeat.objects.filter(user_id=user.pk, outcome="", deal__status=Deal.Status.CANCELLED)
    return narrowed(deals, **asked).count()


def tables_offered(user: Any) -> dict[int, str]:
    """Return the tables where the user sat last, with their titles, the latest first."""
    seatings = Seating.objects.filter(user_id=user.pk).order_by("-pk")
    rows = seatings.values_list("table_id", "table__title")[: 5 * TABLES_OFFERED]
    return dict(list(dict(rows).items())[:TABLES_OFFERED])
