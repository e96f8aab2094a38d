"""Exports of the ledger for finance: all transfers of a period, with control totals, as files and as downloads."""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AbstractBaseUser
from django.core.cache import cache
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes

from wallet.audit_log.services import Actor, record as trail
from wallet.base.api import attachment
from wallet.base.errors import WalletError
from wallet.base.money import currency as known_currency
from wallet.base.report_zone import local_day, zone
from wallet.finance.periods import Period
from wallet.finance.spreadsheets import (
    Cell,
    Column,
    CsvSheet,
    ExcelCsv,
    FooterLines,
    JsonLines,
    MoneyCell,
    Sheet,
    Workbook,
)
from wallet.ledger.snapshots import committed_up_to, snapshot
from wallet.models import ExportRecord, Transfer

#: Seconds for which the progress of an export is stored.
PROGRESS_KEPT = 3600
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
_WIDTHS = {
    "day": 11,
    "time_utc": 24,
    "key": 34,
    "debit_reference": 17,
    "credit_reference": 17,
    "amount": 18,
    "debit_balance": 21,
    "credit_balance": 21,
}
_FIGURES = {"transfer", "line", "debit_owner", "credit_owner", "amount", "debit_balance", "credit_balance"}
#: Amounts are in smallest units, owners are ids of players; the day is that of the report zone.
COLUMNS = tuple(Column(name, _WIDTHS.get(name, 14), name in _FIGURES) for name in ("day", *_FIELDS))
#: Called with the number of written rows, and of all rows; the last time when all are written.
TellWritten = Callable[[int, int], None]
#: Rows after which an export reports its progress.
REPORT_EVERY = 5000


class Format(NamedTuple):
    """A format of files: what writes one, its type for browsers, and the ending of its name."""

    make: Callable[[IO[bytes], Any], Sheet]
    type: str
    ending: str


#: Every table that leaves the house is in one of these: exports, reports, and what players take of their own.
FORMATS: Mapping[str, Format] = {
    "csv": Format(CsvSheet, "text/csv; charset=utf-8", "csv"),
    "xlsx": Format(Workbook, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    "jsonl": Format(JsonLines, "application/x-ndjson", "jsonl"),
    "excel": Format(ExcelCsv, "text/csv; charset=utf-8", "csv"),
}


def file_responses(formats: Iterable[str] = FORMATS) -> dict[tuple[int, str], OpenApiTypes]:
    """Return the responses of an endpoint that answers with a file of one of these formats, for its description."""
    return {(200, FORMATS[name].type.partition(";")[0]): OpenApiTypes.BINARY for name in formats}


@dataclass(slots=True)
class WrittenFile:
    """The content of a written file: `sums` by currency, and `as_of` its last transfer, or the requested one."""

    rows: int = 0
    as_of: int = 0
    sums: dict[str, int] = field(default_factory=dict)

    def add(self, transfer: int, currency: str, amount: int) -> None:
        self.rows += 1
        self.as_of = max(self.as_of, transfer)
        self.sums[currency] = self.sums.get(currency, 0) + amount


def transfers(period: Period, currency: str = "") -> QuerySet[Transfer]:
    """Return the transfers of the period in the order of their ids; of one currency, or of all."""
    since, until = period.bounds
    rows = Transfer.objects.filter(posting__created_at__gte=since, posting__created_at__lt=until)
    if currency:
        rows = rows.filter(debit__currency=known_currency(currency).code)
    return rows.order_by("pk")


@contextmanager
def export(
    *,
    period: Period,
    currency: str = "",
    format: str,
    as_of: int | None = None,
    by: AbstractBaseUser | None,
    via: str,
    folder: Path | None = None,
    progress: TellWritten | None = None,
) -> Iterator[tuple[Path, ExportRecord]]:
    """Write a file with all transfers of the period, from one snapshot, and record who exported it.

    The file is in `folder`, and is deleted afterwards unless it was moved away. Memory does not grow with the rows.
    The same period gives the same bytes as long as nothing is posted in it, and always with the `as_of` in the file.
    WalletError for an unknown currency or format, and for an `as_of` that the ledger has not reached; OSError where
    the file cannot be written. After an error nothing is recorded.
    """
    if format not in FORMATS:
        raise WalletError("unknown_format", f"An export is one of {', '.join(FORMATS)}.")
    if currency:
        known_currency(currency)
    latest = committed_up_to()
    if as_of is not None and not 0 <= as_of <= latest:
        raise WalletError(
            "invalid_as_of", f"The ledger ends at transfer {latest}: it can be as of none but up to that."
        )
    handle, name = tempfile.mkstemp(prefix=".export-", dir=folder)
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            rows = transfers(period, currency).filter(pk__lte=latest if as_of is None else as_of)
            written = _write(out, rows, period, format, as_of, progress)
        with path.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        record = _record_export(
            at=timezone.now(),
            by_id=None if by is None else by.pk,
            via=via[:60],
            first_day=period.first,
            last_day=period.last,
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
def _record_export(**fields: Any) -> ExportRecord:
    """Record who exported what, in the list of exports and in the trail."""
    record = ExportRecord.objects.create(**fields)
    actor = Actor(record.via) if record.by is None else Actor(str(record.by), record.by)
    after = {
        name: getattr(record, name)
        for name in ("first_day", "last_day", "currency", "format", "rows", "as_of", "digest")
    }
    trail(actor, "ledger.export", record, after=after)
    return record


def _write(
    out: IO[bytes],
    rows: QuerySet[Transfer],
    period: Period,
    format: str,
    as_of: int | None,
    progress: TellWritten | None,
) -> WrittenFile:
    sheet, written, time_zone = FORMATS[format].make(out, COLUMNS), WrittenFile(), zone()
    with snapshot():
        total = rows.count() if progress else 0
        for row in rows.values_list(*_FIELDS.values()).iterator(chunk_size=2000):
            if progress and written.rows % REPORT_EVERY == 0:
                progress(written.rows, total)
            sheet.row(_cells(row))
            written.add(row[0], row[5], row[12])
    if as_of is not None:
        written.as_of = as_of
    sheet.close(_totals(written, period, time_zone))
    if progress:
        progress(written.rows, total)
    return written


def _cells(row: tuple[Any, ...]) -> list[Cell]:
    """Return the cells of a row, whose last three values are the amount and the balances."""
    return [local_day(row[1]), *row[:-3], MoneyCell(row[-3]), MoneyCell(row[-2]), MoneyCell(row[-1])]


def _totals(written: WrittenFile, period: Period, time_zone: ZoneInfo) -> FooterLines:
    """Return the control totals. Debits equal credits, since each transfer debits one account and credits another."""
    return [
        ("from", period.first),
        ("to", period.last),
        ("zone", time_zone.key),
        ("rows", written.rows),
        ("as_of_transfer", written.as_of),
        *((f"debits {code}", MoneyCell(amount)) for code, amount in sorted(written.sums.items())),
        *((f"credits {code}", MoneyCell(amount)) for code, amount in sorted(written.sums.items())),
    ]


def download(
    *,
    period: Period,
    currency: str,
    format: str,
    as_of: int | None = None,
    by: AbstractBaseUser,
    via: str,
    ticket: str = "",
) -> HttpResponseBase:
    """Return the export as a response, recorded with the user `by`.

    The whole file is written before the first byte is sent: a failure leaves no file, and a slow client does not keep
    the database snapshot open. `progress` returns how far it is, by its ticket.
    """

    def report(rows: int, total: int) -> None:
        if ticket:
            cache.set(_cache_key(by, ticket), (rows, total), PROGRESS_KEPT)

    with ExitStack() as open_files:
        exported = export(
            period=period,
            currency=currency,
            format=format,
            as_of=as_of,
            by=by,
            via=via,
            progress=report if ticket else None,
        )
        path, record = open_files.enter_context(exported)
        content = path.open("rb")
    name = f"ledger_{period.first}_{period.last}{f'_{currency}' if currency else ''}.{FORMATS[format].ending}"
    return attachment(name, content, FORMATS[format].type, record.digest)


def progress(by: AbstractBaseUser, ticket: str) -> dict[str, int] | None:
    """Return the written rows, and all rows, of the export that `by` requested with that ticket. None if unknown."""
    stored = cache.get(_cache_key(by, ticket))
    return None if stored is None else {"rows": stored[0], "of": stored[1]}


def _cache_key(by: AbstractBaseUser, ticket: str) -> str:
    return f"export:{by.pk}:{ticket}"
