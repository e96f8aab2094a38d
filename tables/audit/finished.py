"""Rows of tables that no longer change once they are over: the night seals them, see `audit_log.sealed_rows`.

Every audit compares rows with the events of their table (`rows`). The seals cover what events do not show, such as
times, and tables without events to compare with: those cancelled by the books, and those with a pruned log.
"""

from django.db.models import Q

from wallet.audit_log.sealed_rows import FinishedRows, register_rows

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
            *("fee_percent", "least", "most", "prizes", "template_id", "number", "status", "opens_ms", "starts_ms"),
            *("ends_ms", "round", "rounds", "entered", "fee", "reason", "over_ms"),
        ),
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
