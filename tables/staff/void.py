"""Voiding of a table whose state and events cannot be read: its chips are returned by the books alone."""

from dataclasses import replace
from typing import Any

from rules.game import Phase
from tables.models import Deal, Match, Seating, Table
from tables.play import broadcast, store
from tables.play.settlement import place_of
from wallet.base.clocks import moment
from wallet.play_money.recovery import refund_from_books, return_stacks

#: The canceller's name in the audit trail.
BY_THE_BOOKS = "the books"


def void(row: Table, reason: str) -> dict[str, Any]:
    """Close the table, cancel its open match, and return pot and stacks to their owners by the books. Call it locked.

    Return the details for the audit trail, such as the amount from each stack; in points and blind, that is the stack
    before the running deal. The snapshot is not changed, so that the fault can be investigated.
    """
    now, deal, place = moment(store.now_ms()), store.current_deal(row), place_of(row)
    posting = None
    if deal is not None and deal.match.status == Match.Status.OPEN:
        posting = refund_from_books(match=deal.match_id, place=replace(place, match=deal.match_id))
        if deal.ended_at is None:
            Deal.objects.filter(pk=deal.pk).update(status=Deal.Status.CANCELLED, ended_at=now)
        Match.objects.filter(pk=deal.match_id).update(status=Match.Status.CANCELLED, ended_at=now, reason=reason[:200])
    seatings = {seating.pk: seating for seating in row.seatings.filter(freed_at=None)}
    stacks = return_stacks(seatings=seatings.keys(), place=place, tournament=row.tournament_id)
    for seating in seatings.values():
        Seating.objects.filter(pk=seating.pk).update(left_at=seating.left_at or now, freed_at=now)
    Table.objects.filter(pk=row.pk).update(
        status=Table.Status.CLOSED,
        closed_at=now,
        void_at=now,
        phase=Phase.OVER.value,
        seated=0,
        deadline_ms=None,
        computer_due_ms=None,
    )
    row.refresh_from_db()
    broadcast.voided(row.pk)
    returned = [[seatings[pk].seat, amount] for pk, amount in stacks.items() if amount]
    return {
        "by": BY_THE_BOOKS,
        "refund": posting.key if posting else None,
        "stacks": returned,
        "table": sealed_of_voided(row),
    }


def sealed_of_voided(row: Table) -> dict[str, Any]:
    """Return the table's columns for the audit trail, since its events are lost."""
    fields = ("title", "stake_id", "book", "family", "currency", "seats", "opened_at", "closed_at", "void_at")
    return {name: str(getattr(row, name)) for name in fields}
