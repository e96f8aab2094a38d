"""How far an audit is, and what a nightly one need not read again since a complete one found it in order.

Every complete audit states digests of the ledger by pieces, which cover all columns of the rows between two ids. A
digest that differs is no finding: it only makes the next audit a complete one.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, date, datetime
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Max
from django.utils.dateparse import parse_datetime

from wallet.audit_log.services import latest_statement, state_facts
from wallet.ledger.prefix import Prefix
from wallet.models import Closing, DaySum, FeeSum, PlaceSum, Posting, Transfer

#: The name of the statements of digests.
PIECES = "pieces"
#: Ids in a piece: its digest takes a fraction of a second.
PIECE = 50_000
_DIGEST_QUERY = (
    "SELECT encode(sha256(convert_to(coalesce(string_agg(row::text, E'\\n' ORDER BY id), ''), 'UTF8')), 'hex')"
    " FROM {0} AS row WHERE id > %s AND id <= %s"
)
#: The stored sums that reports read.
_SUMS = (Closing, DaySum, PlaceSum, FeeSum)
_ROWS_QUERY = "SELECT * FROM {0} WHERE id > %s AND id <= %s ORDER BY id"


def read_pieces(audited_at: datetime) -> dict[str, Any]:
    """Return the digests up to the last whole piece, for `state_pieces` once the audit has found it in order.

    Call it in the snapshot that is audited. A smaller id that is committed later changes the digest of its piece, so
    the next audit is a complete one.
    """
    latest = Transfer.objects.aggregate(latest=Max("pk"))["latest"] or 0
    last = latest // PIECE * PIECE
    latest_row = Transfer.objects.filter(pk__lte=last).aggregate(
        latest_posting=Max("posting_id"), made_at=Max("posting__created_at")
    )
    content = {
        "at": audited_at.isoformat(),
        "transfer": last,
        "posting": latest_row["latest_posting"] or 0,
        "sums": [model._default_manager.aggregate(last=Max("pk"))["last"] or 0 for model in _SUMS],
        "day": latest_row["made_at"].astimezone(UTC).date().isoformat() if last else "",
        "by": connection.vendor,
    }
    return content | {"digests": list(_digests(content))}


def state_pieces(digests: Mapping[str, Any]) -> None:
    """State in the trail that the ledger was in order with these digests."""
    state_facts("pieces.state", PIECES, digests)


def unchanged_prefix() -> Prefix | None:
    """Return the part of the ledger unchanged since the last complete audit; None if it changed, or there was none."""
    content = latest_statement(PIECES)
    if not content.get("transfer") or content["by"] != connection.vendor:
        return None
    if list(_digests(content)) != content["digests"]:
        return None
    audited_at = parse_datetime(content["at"])
    assert audited_at is not None
    closing = content["sums"][_SUMS.index(Closing)]
    return Prefix(content["transfer"], content["posting"], date.fromisoformat(content["day"]), audited_at, closing)


def _digests(content: Mapping[str, Any]) -> Iterator[str]:
    for model, last in zip(
        (Transfer, Posting, *_SUMS), (content["transfer"], content["posting"], *content["sums"]), strict=True
    ):
        for after in range(0, last, PIECE):
            yield _digest(model._meta.db_table, after, min(after + PIECE, last))


def _digest(table: str, after: int, last: int) -> str:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_DIGEST_QUERY.format(table), [after, last])
            return str(cursor.fetchone()[0])
        digest = hashlib.sha256()
        cursor.execute(_ROWS_QUERY.format(table), [after, last])
        while rows := cursor.fetchmany(5_000):
            digest.update(repr(rows).encode())
        return digest.hexdigest()


#: Called with the number of finished checks, of all checks, and the name of the last or the running one with its rows.
TellProgress = Callable[[int, int, str], None]

#: Rows after which a check reports its progress.
REPORT_EVERY = 100_000

#: Called with how far the running check is.
TellCounted = Callable[[str], None]

T = TypeVar("T")


def silent(_: str) -> None:
    """Report nothing."""


_report: ContextVar[TellCounted] = ContextVar("report", default=silent)


@contextmanager
def reporting(progress: TellProgress | None, done: int, total: int, check: str) -> Iterator[TellCounted]:
    """Report the progress of the check within after every piece of `counted` rows, and when it is done.

    Yield what reports it in words.
    """
    report = silent if progress is None else lambda how_far: progress(done, total, f"{check}, {how_far}")
    token = _report.set(report)
    try:
        yield report
    finally:
        _report.reset(token)
    if progress is not None:
        progress(done + 1, total, check)


def counted(rows: Iterable[T]) -> Iterator[T]:
    """Yield the rows, and report their number after every piece."""
    report = _report.get()
    for number, row in enumerate(rows, start=1):
        yield row
        if number % REPORT_EVERY == 0:
            report(f"{number:,} rows")
