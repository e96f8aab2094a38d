"""Stored sums, so that reports need not add up every transfer of a month.

A closing adds up the transfers between two ids in three ways, each by the day of the report zone: by reason and kinds
of accounts, by place, and the fees by player. Every transfer is in one closing or after the last, whatever its date, so
one that comes late or was dated by a clock that was ahead is counted once like any other. The audit adds up all
closings again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import IntegrityError, transaction
from django.db.models import BigIntegerField, Case, Count, F, Func, Max, Model, Q, QuerySet, Sum, Value, When
from django.utils import timezone

from wallet.base.report_zone import midnight, zone
from wallet.ledger.fees import IS_FEE, entries_of, fee_shares
from wallet.ledger.snapshots import committed_up_to
from wallet.models import AccountKind, Closing, DaySum, FeeSum, PlaceSum, Transfer

#: The most ids in a closing: adding them up takes a fraction of a second, and blocks nobody.
PIECE = 100_000
#: The number of transfers and their amount, by the day and the groups of a grouping.
GroupSums = dict[tuple[Any, ...], tuple[int, int]]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """A way to add up transfers by day and other `groups`: columns of `model`, each with its value for a transfer.

    Only transfers that meet the `condition` are added up.
    """

    model: type[Model]
    groups: Mapping[str, Any]
    condition: Q = field(default_factory=Q)

    def columns_of(self, transfers: QuerySet[Transfer]) -> "QuerySet[Any, Any]":
        """Return the transfers with the columns of the sums; their day as a `Quarter`."""
        day, one = Quarter("posting__created_at"), Value(1, output_field=BigIntegerField())
        return transfers.filter(self.condition).order_by().annotate(day=day, transfers=one, **self.groups)

    def add_up(self, transfers: QuerySet[Transfer], time_zone: ZoneInfo | None = None) -> GroupSums:
        """Return the sums of the transfers by days of that zone."""
        sums: GroupSums = {}
        rows = self.columns_of(transfers).values_list("day", *self.groups)
        for *key, count, total in rows.annotate(count=Count("pk"), total=Sum("amount")):
            _add(sums, (day_of(key[0], time_zone), *key[1:]), count, total)
        return sums


class _Fees(Grouping):
    """The fees of the players who bear them, see `wallet.ledger.fees`."""

    def add_up(self, transfers: QuerySet[Transfer], time_zone: ZoneInfo | None = None) -> GroupSums:
        is_shared = Q(debit__kind=AccountKind.POT)
        sums = Grouping.add_up(self, transfers.exclude(is_shared), time_zone)
        pots = self.columns_of(transfers.filter(is_shared)).values_list("day", "currency", "debit_id", "amount")
        fees = list(pots.order_by("pk"))
        entries = entries_of({pot for _, _, pot, _ in fees})
        for quarter, currency, pot, fee in fees:
            for player, part in fee_shares(fee, entries.get(pot, [])).items():
                _add(sums, (day_of(quarter, time_zone), currency, player), 1, part)
        return sums


def _add(sums: GroupSums, key: tuple[Any, ...], count: int, amount: int) -> None:
    before = sums.get(key, (0, 0))
    sums[key] = (before[0] + count, before[1] + amount)


_CURRENCY = F("debit__currency")
_KINDS = {"debit_kind": F("debit__kind"), "credit_kind": F("credit__kind")}
#: By currency, reason, and for each side its kind, and whether it has no owner.
DAYS = Grouping(
    model=DaySum,
    groups={
        "currency": _CURRENCY,
        "reason": F("posting__reason"),
        **_KINDS,
        **{
            f"{side}_unowned": Case(When(**{f"{side}__owner__isnull": True}, then=Value(True)), default=Value(False))
            for side in ("debit", "credit")
        },
    },
)

#: A transfer within a table counts once, for the side that pays.
AT_TABLES = [AccountKind.STACK, AccountKind.POT]
PAYS = Q(debit__kind__in=AT_TABLES)
IS_PAID = Q(credit__kind__in=AT_TABLES) & ~PAYS
#: Whether the place of a transfer is recorded.
IS_KNOWN = Q(posting__at_table__isnull=False)

PLACES = Grouping(
    model=PlaceSum,
    groups={
        "currency": _CURRENCY,
        "reason": F("posting__reason"),
        **_KINDS,
        **{name: F(f"posting__{name}") for name in ("at_table", "at_stake", "at_book", "at_title")},
        # The account at a table that a transfer without a recorded place counts for.
        "account": Case(
            When(IS_KNOWN, then=Value("")), When(PAYS, then=F("debit__reference")), default=F("credit__reference")
        ),
    },
    condition=PAYS | IS_PAID,
)
FEES = _Fees(model=FeeSum, groups={"currency": _CURRENCY, "player_id": F("debit__owner_id")}, condition=IS_FEE)
GROUPINGS = (DAYS, PLACES, FEES)


def stored_and_since(
    by: Grouping, currency: str, first: date | None, last: date | None
) -> "tuple[QuerySet[Any, Any], QuerySet[Transfer]]":
    """Return the stored sums from day `first` to `last`, and the transfers of these days that are in none yet.

    Together they are every transfer once. Call it inside a snapshot.
    """
    stored: QuerySet[Any, Any] = by.model._default_manager.filter(closing__zone=zone().key, currency=currency)
    since = Transfer.objects.filter(pk__gt=closed_up_to(), debit__currency=currency)
    if first is not None:
        stored, since = stored.filter(day__gte=first), since.filter(posting__created_at__gte=midnight(first))
    if last is not None:
        end = midnight(last + timedelta(days=1))
        stored, since = stored.filter(day__lte=last), since.filter(posting__created_at__lt=end)
    return stored.order_by(), since.order_by()


def added_up(
    by: Grouping, currency: str, *columns: str, first: date | None = None, last: date | None = None, **aggregates: Any
) -> Iterator[dict[str, Any]]:
    """Yield rows of these columns and aggregates over the sums and the transfers since; a group may come in several.

    Both are named in columns of the sums. `first`, `last` and the snapshot are as in `stored_and_since`.
    """
    stored, since = stored_and_since(by, currency, first, last)
    yield from stored.values(*columns).annotate(**aggregates)
    for row in by.columns_of(since).values(*columns).annotate(**aggregates):
        yield {**row, "day": day_of(row["day"])} if "day" in row else row


def close_days() -> int:
    """Add the transfers up to the horizon to closings; return how many were added. See `committed_up_to`.

    Call it on books that an audit has just found in order. Play goes on. WalletError `ledger_busy`.
    """
    until, added = committed_up_to(), 0
    while (after := closed_up_to()) < until:
        last = min(after + PIECE, until)
        transfers = between(after, last)
        sums = {grouping.model: grouping.add_up(transfers) for grouping in GROUPINGS}
        try:
            _close(after, last, sums)
        except IntegrityError:
            # Another process has closed these in the meantime.
            continue
        added += sum(count for count, _ in sums[DaySum].values())
    return added


def closed_up_to() -> int:
    """Return the id of the last transfer in a closing by days of today's report zone; 0 where none is."""
    return Closing.objects.filter(zone=zone().key).aggregate(last=Max("last"))["last"] or 0


def between(after: int, last: int) -> QuerySet[Transfer]:
    """Return the transfers with `after < id <= last`."""
    return Transfer.objects.filter(pk__gt=after, pk__lte=last)


def stored_sums(closing: Closing, grouping: Grouping) -> GroupSums:
    """Return the sums that are stored for the closing, as reports add them up: of a group that is there twice, both."""
    sums: GroupSums = {}
    rows: QuerySet[Any, Any] = grouping.model._default_manager.filter(closing=closing)
    for *key, count, total in rows.values_list("day", *grouping.groups, "transfers", "amount"):
        _add(sums, tuple(key), count, total)
    return sums


@transaction.atomic
def _close(after: int, last: int, sums: Mapping[type[Model], GroupSums]) -> None:
    closing = Closing.objects.create(zone=zone().key, after=after, last=last, made_at=timezone.now())
    for grouping in GROUPINGS:
        rows = _rows(closing, grouping, sums[grouping.model])
        grouping.model._default_manager.bulk_create(rows, batch_size=1000)


def _rows(closing: Closing, grouping: Grouping, sums: GroupSums) -> Iterator[Model]:
    for (day, *key), (count, total) in sums.items():
        columns = dict(zip(grouping.groups, key, strict=True))
        yield grouping.model(closing=closing, day=day, transfers=count, amount=total, **columns)
