"""The ledger as finance staff take it out of the house: every transfer of a period, with control totals."""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import IO, Any
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from wallet.audit import snapshot
from wallet.days import midnight, zone
from wallet.errors import WalletError
from wallet.models import ExportRecord, Transfer
from wallet.money import currency as named
from wallet.sheets import Cell, CsvSheet, JsonLines, Sheet, Totals, Workbook
from wallet.trail.services import Actor
from wallet.trail.services import record as trail

FORMATS: dict[str, tuple[Callable[[IO[bytes], Any], Sheet], str]] = {
    "csv": (CsvSheet, "text/csv; charset=utf-8"),
    "xlsx": (Workbook, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "jsonl": (JsonLines, "application/x-ndjson"),
}
_FIELDS = {
    "transfer": "pk",
    "time_utc": "posting__created_at",
    "key": "posting__key",
    "reason": "posting__reason",
    "line": "line",
    "currency": "debit__currency",
    "debit_kind": "debit__kind",
    "debit_reference": "debit__reference",
    "debit_owner": "debit__owner_id",
    "credit_kind": "credit__kind",
    "credit_reference": "credit__reference",
    "credit_owner": "credit__owner_id",
    "amount": "amount",
    "debit_balance": "debit_balance",
    "credit_balance": "credit_balance",
}
#: Amounts are in smallest units, owners are ids of players; the day is that of the report zone.
COLUMNS = ("day", *_FIELDS)

Progress = Callable[[int, int], None]
"""Told now and then how many rows of how many are written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Whole days, the first and the last included, in the zone that reports are made in."""

    first: date
    last: date

    def __post_init__(self) -> None:
        if self.first > self.last:
            raise WalletError("invalid_period", "The first day of a period is not after its last.")
        if not date(1971, 1, 1) <= self.first <= self.last <= date(9990, 1, 1):
            raise WalletError("invalid_period", "Such days are not in any ledger.")

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        """The first moment in it, and the first after it, in UTC."""
        return midnight(self.first), midnight(self.last + timedelta(days=1))


@dataclass(slots=True)
class Written:
    """What has gone into the file; `sums` by currency."""

    rows: int = 0
    as_of: int = 0
    sums: dict[str, int] = field(default_factory=dict)

    def add(self, transfer: int, currency: str, amount: int) -> None:
        self.rows += 1
        self.as_of = max(self.as_of, transfer)
        self.sums[currency] = self.sums.get(currency, 0) + amount


def transfers(period: Period, currency: str = "") -> QuerySet[Transfer]:
    """The transfers of the period in the order of their ids; of one currency, or of all."""
    since, until = period.bounds
    found = Transfer.objects.filter(posting__created_at__gte=since, posting__created_at__lt=until)
    if currency:
        found = found.filter(debit__currency=named(currency).code)
    return found.order_by("pk")


@contextmanager
def export(
    *,
    period: Period,
    currency: str = "",
    format: str,
    by: AbstractBaseUser | None,
    via: str,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[Path, ExportRecord]]:
    """A file with every transfer of the period, written from one snapshot, and the record of who took it.

    The file is in `folder` and gone afterwards unless it was moved away. Memory does not grow with the rows. The
    same period makes the same bytes, as long as nothing was posted in it since. WalletError for an unknown currency
    or format; OSError where the file cannot be written. Either way nothing is recorded.
    """
    if format not in FORMATS:
        raise WalletError("unknown_format", f"An export is one of {', '.join(FORMATS)}.")
    if currency:
        named(currency)
    handle, name = tempfile.mkstemp(prefix=".export-", dir=folder)
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            written = _write(out, period, currency, format, progress)
        with path.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        record = _recorded(
            at=timezone.now(),
            by_id=None if by is None else by.pk,
            via=via[:60],
            first=period.first,
            last=period.last,
            currency=currency,
            format=format,
            rows=written.rows,
            as_of=written.as_of,
            digest=digest,
        )
        yield path, record
    finally:
        path.unlink(missing_ok=True)


@transaction.atomic
def _recorded(**fields: Any) -> ExportRecord:
    """Who took what, in the list of exports and in the trail."""
    taken = ExportRecord.objects.create(**fields)
    actor = Actor(taken.via) if taken.by is None else Actor(str(taken.by), taken.by)
    after = {name: getattr(taken, name) for name in ("first", "last", "currency", "format", "rows", "as_of", "digest")}
    trail(actor, "ledger.export", taken, after=after)
    return taken


def _write(out: IO[bytes], period: Period, currency: str, format: str, progress: Progress | None) -> Written:
    make, _ = FORMATS[format]
    sheet, written, place = make(out, COLUMNS), Written(), zone()
    with snapshot():
        found = transfers(period, currency)
        total = found.count() if progress else 0
        for row in found.values_list(*_FIELDS.values()).iterator(chunk_size=2000):
            sheet.row(_cells(row, place))
            written.add(row[0], row[5], row[12])
            if progress and (written.rows % 5000 == 0 or written.rows == total):
                progress(written.rows, total)
    sheet.close(_totals(written, period, place))
    return written


def _cells(row: tuple[Any, ...], place: ZoneInfo) -> list[Cell]:
    made: datetime = row[1]
    moment = made.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return [made.astimezone(place).date().isoformat(), row[0], moment, *row[2:]]


def _totals(written: Written, period: Period, place: ZoneInfo) -> Totals:
    """Every transfer debits one account and credits another, so that the two sums are one and the same."""
    return [
        ("from", period.first.isoformat()),
        ("to", period.last.isoformat()),
        ("zone", place.key),
        ("rows", written.rows),
        ("as_of_transfer", written.as_of),
        *((f"debits {code}", amount) for code, amount in sorted(written.sums.items())),
        *((f"credits {code}", amount) for code, amount in sorted(written.sums.items())),
    ]
