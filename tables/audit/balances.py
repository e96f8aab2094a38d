"""What the ledger must say about the tables: checks that `audit_ledger` runs beside the wallet's own."""

from collections.abc import Iterator

from rules.books import PER_POINT
from tables.models import Deal, DealSeat, Match, Seating, Table
from tables.play.store import read_state
from wallet.audit.audit import register
from wallet.audit.books import Finding
from wallet.ledger.selectors import moved, pot, stack


@register
def stacks_are_those_of_the_tables() -> Iterator[Finding]:
    """Find seats on which a table's state shows other chips than the ledger has on the seat's stack."""
    for table in Table.objects.exclude(seatings=None).filter(seatings__freed_at=None).distinct():
        try:
            state = read_state(table) if table.log_pruned_at is None else None
        except Exception as fault:
            yield Finding("unreadable table", f"table:{table.pk}", f"The state cannot be read: {type(fault).__name__}.")
            continue
        for seating in table.seatings.filter(freed_at=None):
            # Whoever sat there when the table was closed has everything back.
            taken = state.seats[seating.seat] if state is not None else None
            shown, booked = taken.stack if taken is not None else 0, stack(seating.pk)
            if shown != booked:
                yield Finding(
                    "table stacks",
                    f"seating:{seating.pk}",
                    f"Seat {seating.seat} of table {table.pk} shows {shown}, the ledger has {booked}.",
                )


@register
def freed_seats_hold_nothing() -> Iterator[Finding]:
    """Find seats whose player has left and has not taken everything along."""
    for seating in Seating.objects.filter(freed_at__isnull=False).iterator():
        left = stack(seating.pk)
        if left:
            yield Finding("freed seats", f"seating:{seating.pk}", f"{left} still lies on a seat that is free again.")


@register
def ended_matches_have_empty_pots() -> Iterator[Finding]:
    """Find matches that are settled or cancelled and have not paid everything out."""
    for match in Match.objects.exclude(status=Match.Status.OPEN).iterator():
        left = pot(match.pk)
        if left:
            yield Finding("ended matches", f"match:{match.pk}", f"{left} still lies in the pot of an ended match.")


@register
def deals_are_settled_as_scored() -> Iterator[Finding]:
    """Find deals whose result says another win or loss of a seat than the ledger moved for it."""
    scored = Deal.objects.filter(status=Deal.Status.OVER, match__table__family__in=PER_POINT)
    for deal in scored.prefetch_related("seats").iterator(chunk_size=500):
        changes = moved(f"deal:{deal.pk}:settle")
        for seat in deal.seats.all():
            booked = changes.get(seat.seating_id, 0)
            if booked != seat.amount:
                yield _unlike(deal, seat, booked)


def _unlike(deal: Deal, seat: DealSeat, booked: int) -> Finding:
    message = f"Seat {seat.seat} was scored {seat.amount}, the ledger moved {booked}."
    return Finding("settled deals", f"deal:{deal.pk}", message)
