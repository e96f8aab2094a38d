"""Checks of tables cancelled by the books: their events are unreliable, so trail and postings are compared instead."""

from collections.abc import Iterator
from typing import Any

from rules.books import BOOKS
from tables.models import Match, Table
from tables.staff.void import BY_THE_BOOKS, sealed_of_voided
from wallet.audit_log.models import AuditEntry
from wallet.base.findings import ALTERED, MISSING, Differences, Finding, register
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
        for due, held in _faults(row, entries.pop(str(row.pk), None)):
            yield Finding("voided", f"table {row.pk}", ALTERED, due, held)
    for pk in entries:
        yield Finding(
            "voided", f"table {pk}", MISSING, "its row cancelled by the books, as the trail tells", "none such"
        )


def _faults(row: Table, entry: AuditEntry | None) -> Iterator[tuple[str, str]]:
    """Yield what was expected of the row, and what was found."""
    if entry is None:
        yield "the act in the trail that cancelled it by the books", f"none for {row.void_at}"
        return
    # Older entries do not record the columns of the table.
    recorded: dict[str, Any] = (entry.after or {}).get("table", {})
    present = sealed_of_voided(row)
    for name, value in recorded.items():
        if present[name] != value:
            yield f"{name} {value}, as the trail tells", present[name]
    if row.status != Table.Status.CLOSED:
        yield "a closed table, as it was cancelled by the books", row.status
    if row.book not in BOOKS or row.family != BOOKS[row.book].family.value:
        yield f"the family of its book {row.book}", row.family
    for stake, book, title in places_at(row.pk):
        if (stake, book, title) != (row.stake_id, row.book, row.title):
            due = f"stake {stake}, book {book} and title {title!r}, as postings of it tell"
            yield due, f"{row.stake_id}, {row.book} and {row.title!r}"
    last = Match.objects.filter(table=row).order_by("-pk").first()
    cancelled = AuditEntry.objects.filter(action="match.cancel", target_id=str(last.pk)).last() if last else None
    if last is not None and cancelled is not None and last.reason != cancelled.reason[:200]:
        yield f"match {last.pk} cancelled for {cancelled.reason[:200]!r}, as the trail tells", repr(last.reason)
