"""Digests of the ledger by pieces, left by every whole audit: by them a night knows what it need not reckon again.

The database makes them of all columns of the rows between two ids. One that differs accuses nobody: it only says that
the piece is to be looked at again, as everything then is.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from django.db import connection
from django.db.models import Max
from django.utils.dateparse import parse_datetime

from wallet.models import Posting, Transfer
from wallet.witness import statements

KIND = "pieces"
#: So many ids at once: a fraction of a second.
PIECE = 50_000
_AT_ONCE = (
    "SELECT encode(sha256(convert_to(coalesce(string_agg(row::text, E'\\n' ORDER BY id), ''), 'UTF8')), 'hex')"
    " FROM {0} AS row WHERE id > %s AND id <= %s"
)
_ROW_BY_ROW = "SELECT * FROM {0} WHERE id > %s AND id <= %s ORDER BY id"


@dataclass(frozen=True, slots=True)
class Prefix:
    """The transfers and postings up to these ids are those that a whole audit, begun at `audited_at`, found in order.

    Their dates go up to `day` (UTC).
    """

    transfer: int
    posting: int
    day: date
    audited_at: datetime


def read_pieces(audited_at: datetime) -> dict[str, Any]:
    """Return the digests of all whole pieces, to be stated once the audit has found them in order.

    Call it in the snapshot that is audited. Whoever commits a smaller id later makes its piece another, and the next
    night a whole audit.
    """
    latest = Transfer.objects.aggregate(latest=Max("pk"))["latest"] or 0
    last = latest // PIECE * PIECE
    within = Transfer.objects.filter(pk__lte=last).aggregate(
        latest_posting=Max("posting_id"), made_at=Max("posting__created_at")
    )
    return {
        "at": audited_at.isoformat(),
        "transfer": last,
        "posting": within["latest_posting"] or 0,
        "day": within["made_at"].astimezone(UTC).date().isoformat() if last else "",
        "digests": list(_digests(last, within["latest_posting"] or 0)),
        "by": connection.vendor,
    }


def unchanged_prefix() -> Prefix | None:
    """Return how far the ledger is as the last whole audit found it; None where it is not, or there was none."""
    told = statements.latest_statement(KIND)
    if not told.get("transfer") or told["by"] != connection.vendor:
        return None
    if list(_digests(told["transfer"], told["posting"])) != told["digests"]:
        return None
    audited_at = parse_datetime(told["at"])
    assert audited_at is not None
    return Prefix(told["transfer"], told["posting"], date.fromisoformat(told["day"]), audited_at)


def _digests(transfer: int, posting: int) -> Iterator[str]:
    for table, last in ((Transfer._meta.db_table, transfer), (Posting._meta.db_table, posting)):
        for after in range(0, last, PIECE):
            yield _digest(table, after, min(after + PIECE, last))


def _digest(table: str, after: int, last: int) -> str:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_AT_ONCE.format(table), [after, last])
            return str(cursor.fetchone()[0])
        whole = hashlib.sha256()
        cursor.execute(_ROW_BY_ROW.format(table), [after, last])
        while rows := cursor.fetchmany(5_000):
            whole.update(repr(rows).encode())
        return whole.hexdigest()
