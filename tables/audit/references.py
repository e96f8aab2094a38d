"""Checks of references between rows of tables: none is orphaned, none is in another player's history."""

from django.db import connection
from django.db.models import F, Q

from tables.models import Answer, DealSeat
from wallet.audit_log.state import json_digest
from wallet.base.findings import ALTERED, DUPLICATED, MISSING, Differences, Finding, register

#: The rows that belong to another: what findings call them, their table and column, and the table of the other.
_BELONGINGS = (
    ("event", "tables_event", "table_id", "tables_table"),
    ("pack", "tables_pack", "table_id", "tables_table"),
    ("seating", "tables_seating", "table_id", "tables_table"),
    ("match", "tables_match", "table_id", "tables_table"),
    ("deal", "tables_deal", "match_id", "tables_match"),
    ("deal seat", "tables_dealseat", "deal_id", "tables_deal"),
    ("answer", "tables_answer", "seating_id", "tables_seating"),
)
_ORPHANS = "SELECT r.id, r.{1} FROM {0} r LEFT JOIN {2} o ON o.id = r.{1} WHERE o.id IS NULL ORDER BY r.id"


@register
def rows_belong_to_something() -> Differences:
    """Find rows whose table, match, deal or seating does not exist."""
    for name, *columns in _BELONGINGS:
        with connection.cursor() as cursor:
            cursor.execute(_ORPHANS.format(*columns))
            orphans = cursor.fetchall()
        for pk, other in orphans:
            yield Finding("reference", f"{name} {pk}", MISSING, f"{columns[1].removesuffix('_id')} {other}", "none")


@register
def deal_seats_have_their_players() -> Differences:
    """Find hands that are in the history of a player who did not hold the seat."""
    rows = DealSeat.objects.exclude(Q(user=F("seating__user")) | Q(user=None, seating__user=None))
    for seat in rows.select_related("seating").order_by("pk").iterator():
        due = f"the player {seat.seating.user_id} of its seating"
        yield Finding("deal seat", f"seat {seat.seat} of deal {seat.deal_id}", ALTERED, due, f"{seat.user_id}")


@register
def answers_are_valid() -> Differences:
    """Find answers that are repeated, lack a request, are neither `ack` nor `error`, or ahead of their table."""
    requests: set[tuple[int, str]] = set()
    for row in Answer.objects.select_related("seating__table").order_by("seating_id", "pk").iterator(chunk_size=500):
        subject, answer = f"answer {row.pk}", row.answer
        if (row.seating_id, row.request_id) in requests:
            yield Finding("answer", subject, DUPLICATED, f"one answer to {row.request_id!r}", "another")
        requests = {request for request in requests if request[0] == row.seating_id} | {
            (row.seating_id, row.request_id)
        }
        if not row.request_id:
            yield Finding("answer", subject, MISSING, "the request that it answers", "none")
        version = answer.get("version") if isinstance(answer, dict) else None
        if not isinstance(version, int) or answer.get("type") not in ("ack", "error"):
            yield Finding("answer", subject, ALTERED, "an answer", f"another content, of {json_digest(answer)[:16]}")
        elif version > row.seating.table.version:
            due = f"a version up to {row.seating.table.version}, that of its table"
            yield Finding("answer", subject, ALTERED, due, f"{version}")
