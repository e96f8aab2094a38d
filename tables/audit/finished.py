"""Rows of tables that no longer change once they are over: the night marks them, see `audit_log.row_marks`.

Every audit compares rows with the events of their table (`rows`). The marks cover what events do not show, such as
times, and tables without events to compare with: those with a pruned log, and those cancelled by the books. The events
of the latter are unreliable, so each is compared with the trail and the postings instead. So is what no event tells of
tables that go on: that staff have stopped them.
"""

from collections.abc import Iterator
from typing import Any

from django.db.models import Q

from rules.books import BOOKS
from tables.models import Match, Table
from tables.play.store import STOPPED_BY
from tables.staff import BY_THE_BOOKS, sealed_of_voided
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.row_marks import FinishedRows, register_rows
from wallet.audit_log.services import json_digest
from wallet.base.findings import ALTERED, MISSING, WITHOUT_MONEY, Differences, Finding, register
from wallet.ledger.selectors import places_at

register_rows(
    FinishedRows(
        "tables.Table",
        (
            *(
                "title",
                "stake_id",
                "book",
                "book_version",
                "family",
                "currency",
                "seats",
                "practice_for_id",
                "strength",
            ),
            *("guided", "shoe_id", "private_code", "fault", "terms", "opened_at", "closed_at", "void_at"),
        ),
        Q(status="closed"),
    ),
    FinishedRows(
        "tables.Seating", ("table_id", "seat", "user_id", "taken_at", "left_at", "freed_at"), Q(freed_at__isnull=False)
    ),
    FinishedRows(
        "tables.Match",
        ("table_id", "book", "book_version", "status", "started_at", "ended_at", "reason"),
        ~Q(status="open"),
    ),
    FinishedRows(
        "tables.Deal",
        (
            *("match_id", "number", "book", "book_version", "status", "commitment", "client_seeds", "order"),
            *("started_at", "ended_at"),
        ),
        Q(ended_at__isnull=False),
    ),
    FinishedRows(
        "tables.DealSeat",
        ("deal_id", "seating_id", "user_id", "seat", "outcome", "points", "amount", "total"),
        Q(deal__ended_at__isnull=False),
    ),
    FinishedRows(
        "tables.LoggedEvent",
        ("table_id", "deal_id", "version", "number", "kind", "at_ms"),
        Q(table__void_at__isnull=False),
        rare=True,
    ),
    FinishedRows(
        "tables.Tournament",
        (
            *("title", "kind", "book", "book_version", "seats", "deals", "go_on", "minutes", "least_deals", "entry"),
            *("fee_percent", "least", "most", "prizes", "computers_after", "template_id", "number", "opens_ms"),
        ),
        part="as published",
        from_the_first=True,
    ),
    FinishedRows(
        "tables.Tournament",
        ("status", "starts_ms", "ends_ms", "round", "rounds", "entered", "fee", "reason", "over_ms"),
        Q(over_ms__isnull=False),
    ),
    FinishedRows(
        "tables.Entrant",
        (
            *("tournament_id", "user_id", "status", "entered_at", "round", "chips", "deals", "deals_won"),
            *("points_lost", "refilled", "place", "prize"),
        ),
        Q(tournament__over_ms__isnull=False),
    ),
    FinishedRows("tables.Round", ("tournament_id", "number", "commitment"), part="as promised", from_the_first=True),
    FinishedRows(
        "tables.Round",
        ("tournament_id", "number", "commitment", "entrants", "tables", "began_ms", "ended_ms"),
        Q(tournament__over_ms__isnull=False),
    ),
    FinishedRows(
        "tables.Series",
        ("day", "code", "made_by_id", "book", "book_version", "seats", "strength", "made_at", "begins_at", "ends_at"),
    ),
    FinishedRows("tables.Shoe", ("series_id", "number", "label", "commitment")),
    FinishedRows("tables.Outage", ("began_ms", "ended_ms")),
)


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


WITHOUT_MONEY.add("stop")


@register
def tables_stopped_by_staff() -> Differences:
    """Find tables that staff have stopped or let go on by no act in the trail; the platform needs none to stop one."""
    for table in Table.objects.exclude(status=Table.Status.CLOSED).order_by("pk").iterator():
        acts = AuditEntry.objects.filter(
            target_type=Table._meta.label_lower, target_id=str(table.pk), action__in=("table.freeze", "table.resume")
        )
        due = str((acts.order_by("-pk").values_list("after", flat=True).first() or {}).get("fault", ""))
        if table.fault != due and (due or table.fault.startswith(STOPPED_BY)):
            found = f"{table.status} for {table.fault[:40]!r}, of the digest {json_digest(table.fault)[:16]}"
            yield Finding("stop", f"table {table.pk}", ALTERED, f"the fault {due[:80]!r}, as the trail tells", found)
