"""Checking the stored sums of days, places and fees: added up again from the transfers as they are read.

The database made them (`ledger/sums.py`); here Python adds up, independently.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Q

from wallet.audit.transfers import TransferCheck
from wallet.base.findings import ALTERED, Differences, Fault, Finding
from wallet.ledger.fees import entries_of, fee_shares
from wallet.ledger.hash_chain import MISSING, LinkedTransfer
from wallet.ledger.prefix import current_prefix, prefix_end
from wallet.ledger.sums import (
    AT_TABLES,
    DAYS,
    FEES,
    GROUPINGS,
    PLACES,
    Grouping,
    GroupSums,
    between,
    day_of,
    stored_sums,
)
from wallet.models import Account, AccountKind, Closing, Reason, Transfer

_EPOCH, _QUARTER = datetime(1970, 1, 1, tzinfo=UTC), timedelta(minutes=15)


class _Side(NamedTuple):
    """The columns of an account, paying or paid, that sums are grouped by."""

    kind: str
    currency: str
    owner: int | None
    reference: str


class _Closings:
    """Find closings whose sums differ from their transfers, or that do not begin where another ended."""

    def __init__(self) -> None:
        sides = {pk: _Side(*side) for pk, *side in Account.objects.values_list("pk", *_Side._fields).iterator()}
        zones = Closing.objects.order_by("zone").values_list("zone", flat=True).distinct()
        self._zones = [_ZoneClosings(zone, sides) for zone in zones]

    def read(self, rows: Sequence[LinkedTransfer]) -> Differences:
        for zone in self._zones:
            yield from zone.take(rows)

    def finish(self) -> Differences:
        for zone in self._zones:
            yield from zone.finish()
        latest = Transfer.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        ended: dict[str, int] = {}
        for closing in Closing.objects.order_by("after", "pk").iterator():
            subject, before = f"closing {closing.pk}", ended.get(closing.zone, 0)
            if closing.after != before or closing.last <= closing.after:
                expected = f"to begin after transfer {before}, where another ended, and to end later"
                yield Finding("closing", subject, ALTERED, expected, f"transfers {closing.after} to {closing.last}")
            ended[closing.zone] = closing.last
            if closing.last > latest:
                yield Finding(
                    "closing", subject, Fault.MISSING, f"transfer {closing.last}, its last", f"{latest} as last"
                )


class _ZoneClosings:
    """The closings by days of one zone, one after the other, without those within the prefix."""

    def __init__(self, zone: str, sides: dict[int, _Side]) -> None:
        self._place, self._sides = ZoneInfo(zone), sides
        prefix = current_prefix()
        unchanged = Q(pk__lte=prefix.closing, last__lte=prefix.transfer) if prefix else Q(pk=None)
        others = Closing.objects.filter(zone=zone).exclude(unchanged)
        self._coming: Iterator[Closing] = iter(others.order_by("after", "pk"))
        self._closing: Closing | None = None
        self._sums: _RunningSums
        self._next()

    def _next(self) -> None:
        self._closing = next(self._coming, None)
        self._sums = _RunningSums(self._sides, self._place)
        if self._closing is not None and self._closing.after < (end := prefix_end()):
            until = min(self._closing.last, end)
            for grouping in GROUPINGS:
                self._sums.start(grouping, grouping.add_up(between(self._closing.after, until), self._place))

    def take(self, rows: Sequence[LinkedTransfer]) -> Differences:
        ids = [row.pk for row in rows]
        first = 0
        while self._closing is not None and first < len(rows):
            first = max(first, bisect_right(ids, self._closing.after))
            until = bisect_right(ids, self._closing.last)
            self._sums.add(rows[first:until])
            if until == len(rows):
                return
            yield from self._compared()
            first = max(first, until)

    def finish(self) -> Differences:
        while self._closing is not None:
            yield from self._compared()

    def _compared(self) -> Differences:
        """Compare the sums of this closing, and move on to the next."""
        closing = self._closing
        assert closing is not None
        for grouping in GROUPINGS:
            expected, actual = self._sums.of(grouping), stored_sums(closing, grouping)
            differing = (key for key in expected.keys() | actual.keys() if expected.get(key) != actual.get(key))
            for key in sorted(differing, key=str):
                subject = f"closing {closing.pk} of {' '.join(map(str, key))}"
                due, held = (f"{sums.get(key, 'no sum')}" for sums in (expected, actual))
                yield Finding("closing", subject, ALTERED if key in actual else Fault.MISSING, due, held)
        self._next()


class _RunningSums:
    """The sums so far of the transfers of a closing, for each sort."""

    def __init__(self, sides: dict[int, _Side], place: ZoneInfo) -> None:
        self._sides, self._place = sides, place
        self._days: dict[int, Any] = {}
        self._sums: dict[int, dict[tuple[Any, ...], list[int]]] = {id(grouping): {} for grouping in GROUPINGS}

    def start(self, grouping: Grouping, sums: GroupSums) -> None:
        """Begin with the sums of the rows that are not read."""
        self._sums[id(grouping)] = {key: list(count_and_total) for key, count_and_total in sums.items()}

    def of(self, grouping: Grouping) -> GroupSums:
        return {key: (count, total) for key, (count, total) in self._sums[id(grouping)].items()}

    def add(self, rows: Sequence[LinkedTransfer]) -> None:
        """Add the rows up: the keys are those of the groupings, in the order of their groups."""
        sides = self._sides
        days, places, fees = (self._sums[id(grouping)] for grouping in (DAYS, PLACES, FEES))
        pots: list[tuple[Any, str, int, int]] = []
        for row in rows:
            debit, credit = sides.get(row.debit_id), sides.get(row.credit_id)
            if debit is None or credit is None or row.posting is MISSING:
                continue
            posting, amount = row.posting, row.amount
            day, reason = self._day(posting.made_at), posting.reason
            currency, pays, is_paid = debit.currency, debit.kind, credit.kind
            _count(days, (day, currency, reason, pays, is_paid, debit.owner is None, credit.owner is None), amount)
            if pays in AT_TABLES or is_paid in AT_TABLES:
                table, _, _, stake, book, title = posting.place
                account = "" if table is not None else (debit if pays in AT_TABLES else credit).reference
                _count(places, (day, currency, reason, pays, is_paid, table, stake, book, title, account), amount)
            if is_paid == AccountKind.FEES and reason != Reason.ADJUST:
                if pays == AccountKind.POT:
                    pots.append((day, currency, row.debit_id, amount))
                else:
                    _count(fees, (day, currency, debit.owner), amount)
        entries = entries_of({pot for _, _, pot, _ in pots})
        for day, currency, pot, amount in pots:
            for player, part in fee_shares(amount, entries.get(pot, [])).items():
                _count(fees, (day, currency, player), part)

    def _day(self, moment: datetime) -> Any:
        quarter = (moment - _EPOCH) // _QUARTER
        day = self._days.get(quarter)
        if day is None:
            day = self._days[quarter] = day_of(quarter, self._place)
        return day


def _count(sums: dict[tuple[Any, ...], list[int]], key: tuple[Any, ...], amount: int) -> None:
    count_and_total = sums.get(key)
    if count_and_total is None:
        sums[key] = [1, amount]
    else:
        count_and_total[0] += 1
        count_and_total[1] += amount


closings = TransferCheck("closings", _Closings)
