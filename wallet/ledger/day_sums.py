"""Stored sums of each day, so that reports need not add up every transfer of a month.

A closing adds up the transfers between two ids by the day of the report zone, the currency, the reason, and the kinds
of the two accounts. Every transfer is in one closing or after the last, whatever its date, so one that comes late or
was dated by a clock that was ahead is counted once like any other. The audit adds up all closings again. A closing is
added up by places and players as well: the source of totals of tables, stakes, books and players. The previous release
does not know these sums, and may close days during an upgrade. So each closing that has them is marked, and the next
process that closes days adds up those that are not.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db import IntegrityError, transaction
from django.db.models import BigIntegerField, Case, Count, F, Func, Max, Model, Q, QuerySet, Sum, Value, When
from django.utils import timezone

from wallet.base.report_zone import zone
from wallet.ledger.horizon import committed_up_to
from wallet.models import AccountKind, Closing, DaySum, DetailedClosing, PlaceSum, PlayerSum, Transfer

#: The most ids in a closing: adding them up takes a fraction of a second, and blocks nobody.
PIECE = 100_000
_SIDES = {
    f"{side}_{name}": value
    for side in ("debit", "credit")
    for name, value in (
        ("kind", F(f"{side}__kind")),
        ("unowned", Case(When(**{f"{side}__owner__isnull": True}, then=Value(True)), default=Value(False))),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """A way to add up transfers by day and other `groups`: columns of `model`, each with its value for a transfer.

    Only transfers that meet the `condition` are added up; `constants` are the values of the other columns.
    """

    model: type[Model]
    groups: Mapping[str, Any]
    condition: Q = field(default_factory=Q)
    constants: Mapping[str, Any] = field(default_factory=dict)


#: By currency, reason, and for each side its kind, and whether it has no owner.
DAYS = Grouping(model=DaySum, groups={"currency": F("debit__currency"), "reason": F("posting__reason"), **_SIDES})

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

#: The number of transfers and their amount, by the day and the groups of a grouping.
Sums = dict[tuple[Any, ...], tuple[int, int]]


class Quarter(Func):
    """The number of quarter hours between 1970 and a moment: no day of today's zones begins within one.

    PostgreSQL returns the first quarter of the day in the report zone, so that each day is one group; on SQLite, asking
    for the day would call Python for every row. `day_of` returns the day of either.
    """

    output_field = BigIntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **options: Any) -> Any:
        return self.as_sql(
            compiler, connection, template="(CAST(strftime('%%%%s', substr(%(expressions)s, 1, 19)) AS INTEGER) / 900)"
        )

    def as_postgresql(self, compiler: Any, connection: Any, **options: Any) -> Any:
        template = "(DATE_PART('epoch', DATE_TRUNC('day', %(expressions)s, '%(zone)s')) / 900)::bigint"
        return self.as_sql(compiler, connection, template=template, zone=zone().key)


def day_of(quarter: int, time_zone: ZoneInfo | None = None) -> date:
    """Return the day of that quarter hour, in the report zone unless another is given."""
    return datetime.fromtimestamp(quarter * 900, time_zone or zone()).date()


def close_days() -> int:
    """Add the transfers up to the horizon to closings; return how many were added. See `horizon`.

    Call it on books that an audit has just found in order. Play goes on. WalletError `ledger_busy`.
    """
    until, added = committed_up_to(), 0
    while (after := closed_up_to()) < until:
        last = min(after + PIECE, until)
        sums = add_up(after, last)
        try:
            _close(after, last, sums)
        except IntegrityError:
            # Another process has closed these in the meantime.
            continue
        added += sum(count for count, _ in sums.values())
    return added


def closed_up_to() -> int:
    """Return the id of the last transfer in a closing by days of today's report zone; 0 where none is."""
    return Closing.objects.filter(zone=zone().key).aggregate(last=Max("last"))["last"] or 0


def add_up(after: int, last: int, time_zone: ZoneInfo | None = None, grouping: Grouping = DAYS) -> Sums:
    """Return the sums by days of that zone of the transfers with `after < id <= last`."""
    sums: Sums = {}
    transfers = Transfer.objects.filter(grouping.condition, pk__gt=after, pk__lte=last).order_by()
    rows: QuerySet[Any, Any] = transfers.values(quarter=Quarter("posting__created_at"), **grouping.groups)
    for row in rows.annotate(count=Count("pk"), total=Sum("amount")):
        key = (day_of(row["quarter"], time_zone), *(row[name] for name in grouping.groups))
        count, total = sums.get(key, (0, 0))
        sums[key] = (count + row["count"], total + row["total"])
    return sums


def stored_sums(closing: Closing, grouping: Grouping = DAYS) -> Sums:
    """Return the sums that are stored for the closing."""
    rows = grouping.model._default_manager.filter(closing=closing, **grouping.constants)
    return {row[:-2]: row[-2:] for row in rows.values_list("day", *grouping.groups, "transfers", "amount")}


def store(closing: Closing, grouping: Grouping, sums: Sums) -> None:
    """Store the sums of the closing, in the transaction that makes it visible."""
    grouping.model._default_manager.bulk_create(_rows(closing, grouping, sums), batch_size=1000)


def _rows(closing: Closing, grouping: Grouping, sums: Sums) -> Iterator[Model]:
    for (day, *key), (count, total) in sums.items():
        columns = dict(zip(grouping.groups, key, strict=True))
        yield grouping.model(closing=closing, day=day, transfers=count, amount=total, **columns, **grouping.constants)


@transaction.atomic
def _close(after: int, last: int, sums: Sums) -> None:
    closing = Closing.objects.create(zone=zone().key, after=after, last=last, made_at=timezone.now())
    store(closing, DAYS, sums)


def add_details() -> int:
    """Add up by places and players every closing of today's report zone that is not yet; return how many those were.

    Call it after `close_days`. They are added up in order, so none before the last is missing.
    """
    added = 0
    for closing in Closing.objects.filter(zone=zone().key, details=None).order_by("after"):
        sums = [(grouping, add_up(closing.after, closing.last, grouping=grouping)) for grouping in DETAILS]
        try:
            _store_details(closing, sums)
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
def _store_details(closing: Closing, sums: Iterable[tuple[Grouping, Sums]]) -> None:
    DetailedClosing.objects.create(closing=closing)
    for grouping, sort_sums in sums:
        store(closing, grouping, sort_sums)
