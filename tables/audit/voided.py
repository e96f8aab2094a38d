"""Checks of tables cancelled by the books: their events are unreliable, so trail and postings are compared instead."""

from collections.abc import Iterator
from typing import Any

from rules.books import BOOKS
from tables.models import Match, Table
from tables.staff.void import BY_THE_BOOKS, sealed_of_voided
from wallet.audit_log.models import AuditEntry
from wallet.base.findings import Differences, Finding, register
from wallet.ledger.selectors import places_at


@register
def voided_tables() -> Differences:
    """Find tables cancelled by the books in their row or the trail only, or that differ from trail or postings."""
    entries = {
        entry.target_id: entry
        for entry in AuditEntry.objects.filter(action="table.cancel", target_type="tables.table")
        .order_by("pk")
        .iterator()
        if (entry.after or {}).get("by") == BY_THE_BOOKS
    }
    for row in Table.objects.filter(void_at__isnull=False).order_by("pk").iterator(chunk_size=100):
        for fault in _faults(row, entries.pop(str(row.pk), None)):
            yield Finding("voided", f"table {row.pk}", fault)
    for pk in entries:
        yield Finding("voided", f"table {pk}", "was cancelled by the books, says the trail, and knows nothing of it")


def _faults(row: Table, entry: AuditEntry | None) -> Iterator[str]:
    if entry is None:
        yield "is cancelled by the books, of which the trail knows nothing"
        return
    # Older entries do not record the columns of the table.
    recorded: dict[str, Any] = (entry.after or {}).get("table", {})
    present = sealed_of_voided(row)
    for name, value in recorded.items():
        if present[name] != value:
            yield f"its {name} is {present[name]}, by the trail {value}"
    if row.status != Table.Status.CLOSED:
        yield f"is {row.status} and cancelled by the books"
    if row.book not in BOOKS or row.family != BOOKS[row.book].family.value:
        yield f"its family is {row.family}, that of its book is another"
    for stake, book, title in places_at(row.pk):
        if (stake, book, title) != (row.stake_id, row.book, row.title):
            yield f"was of stake {stake}, by {book}, called {title!r}, say postings that were made there"
    last = Match.objects.filter(table=row).order_by("-pk").first()
    cancelled = AuditEntry.objects.filter(action="match.cancel", target_id=str(last.pk)).last() if last else None
    if last is not None and cancelled is not None and last.reason != cancelled.reason[:200]:
        yield f"its match {last.pk} was cancelled for another reason, says the trail"
