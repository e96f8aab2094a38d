"""Closings added up by places and players: the source of totals of tables, stakes, books and players.

The previous release does not know these sums, and may close days during an upgrade. So each closing that has them is
marked, and the next process that closes days adds up those that are not.
"""

from collections.abc import Iterable

from django.db import IntegrityError, transaction
from django.db.models import Case, F, Max, Q, Value, When

from wallet.base.report_zone import zone
from wallet.ledger.day_sums import Grouping, Sums, add_up, store
from wallet.models import AccountKind, Closing, DetailedClosing, PlaceSum, PlayerSum

#: A transfer within a table counts once, for the side that pays.
AT_TABLES = [AccountKind.STACK, AccountKind.POT]
PAYS = Q(debit__kind__in=AT_TABLES)
IS_PAID = Q(credit__kind__in=AT_TABLES) & ~PAYS
#: Whether the place of a transfer is recorded.
IS_KNOWN = Q(posting__at_table__isnull=False)
#: The account at a table that a transfer without a recorded place counts for.
ACCOUNT_AT_TABLE = Case(
    When(IS_KNOWN, then=Value("")), When(PAYS, then=F("debit__reference")), default=F("credit__reference")
)

PLACES = Grouping(
    model=PlaceSum,
    groups={
        "currency": F("debit__currency"),
        "reason": F("posting__reason"),
        "debit_kind": F("debit__kind"),
        "credit_kind": F("credit__kind"),
        **{name: F(f"posting__{name}") for name in ("at_table", "at_stake", "at_book", "at_title")},
        "account": ACCOUNT_AT_TABLE,
    },
    condition=PAYS | IS_PAID,
)


def _of_players(own: str, other: str) -> Grouping:
    return Grouping(
        model=PlayerSum,
        groups={
            "currency": F("debit__currency"),
            "player_id": F(f"{own}__owner"),
            "own_kind": F(f"{own}__kind"),
            "other_kind": F(f"{other}__kind"),
        },
        condition=Q(**{f"{own}__owner__isnull": False}),
        constants={"pays": own == "debit"},
    )


PAYING, PAID = _of_players("debit", "credit"), _of_players("credit", "debit")
DETAILS = (PLACES, PAYING, PAID)


def add_details() -> int:
    """Add up by places and players every closing of today's report zone that is not yet; return how many those were.

    Call it after `close_days`. They are added up in order, so none before the last is missing.
    """
    added = 0
    for closing in Closing.objects.filter(zone=zone().key, details=None).order_by("after"):
        sums = [(grouping, add_up(closing.after, closing.last, grouping=grouping)) for grouping in DETAILS]
        try:
            _store(closing, sums)
        except IntegrityError:
            # Another process is adding these up, and goes on with the next ones.
            return added
        added += 1
    return added


def detailed_up_to() -> int:
    """Return the id of the last transfer that is in the sums of places and players; 0 where none is."""
    detailed = DetailedClosing.objects.filter(closing__zone=zone().key)
    return detailed.aggregate(last=Max("closing__last"))["last"] or 0


@transaction.atomic
def _store(closing: Closing, sums: Iterable[tuple[Grouping, Sums]]) -> None:
    DetailedClosing.objects.create(closing=closing)
    for grouping, sort_sums in sums:
        store(closing, grouping, sort_sums)
