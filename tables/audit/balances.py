"""Checks of the ledger against the tables, which `audit_ledger` runs beside those of the wallet."""

from collections.abc import Iterator
from itertools import islice

from rules import game
from rules.books import PER_POINT
from rules.game import TableState
from tables.log.reading import latest_state
from tables.models import Deal, DealSeat, Match, Seating, Table
from wallet.base.findings import ALTERED, Finding, register
from wallet.ledger.selectors import pots_by_match, stack_changes, stacks_by_seating

#: How many deals are read at once, with their postings.
DEALS_A_QUERY = 500


@register
def stacks_match_the_tables() -> Iterator[Finding]:
    """Find seats whose chips in the table's state differ from the seat's stack in the ledger."""
    stacks = stacks_by_seating()
    for table in Table.objects.exclude(seatings=None).filter(seatings__freed_at=None).distinct():
        try:
            state = latest_state(table) if table.log_pruned_at is None else None
        except Exception as fault:
            yield Finding(
                "unreadable table", f"table {table.pk}", ALTERED, "a state that can be read", type(fault).__name__
            )
            continue
        chips = {} if state is None else _chips(table, state)
        for seating in table.seatings.filter(freed_at=None):
            in_state, booked = chips.get(seating.seat, 0), stacks.get(seating.pk, 0)
            if in_state != booked:
                yield Finding(
                    "table stacks",
                    f"stack of seating {seating.pk}, seat {seating.seat + 1} of table {table.pk}",
                    ALTERED,
                    f"{in_state} by the table's state",
                    f"{booked} in the ledger",
                )


def _chips(table: Table, state: TableState) -> dict[int, int]:
    """Return what lies before each seat; players who sat there when the table closed got everything back."""
    if table.tournament_id is None:
        return {number: seat.stack for number, seat in enumerate(state.seats) if seat is not None}
    return {} if table.status == Table.Status.CLOSED else game.chips(state)


@register
def freed_seats_are_empty() -> Iterator[Finding]:
    """Find seats that were freed and whose stack still holds chips."""
    stacks = stacks_by_seating()
    freed = Seating.objects.filter(pk__in=stacks, freed_at__isnull=False).order_by("pk")
    for pk in freed.values_list("pk", flat=True):
        yield Finding("freed seats", f"stack of seating {pk}", ALTERED, "0, as the seat is free again", f"{stacks[pk]}")


@register
def ended_matches_have_empty_pots() -> Iterator[Finding]:
    """Find settled or cancelled matches whose pot is not empty."""
    pots = pots_by_match()
    ended = Match.objects.filter(pk__in=pots).exclude(status=Match.Status.OPEN).order_by("pk")
    for pk in ended.values_list("pk", flat=True):
        yield Finding("ended matches", f"pot of match {pk}", ALTERED, "0, as the match has ended", f"{pots[pk]}")


@register
def deals_are_settled_as_scored() -> Iterator[Finding]:
    """Find deals in which the ledger moved another amount for a seat than the result says."""
    scored = Deal.objects.filter(status=Deal.Status.OVER, match__table__family__in=PER_POINT)
    deals = scored.prefetch_related("seats").iterator(chunk_size=DEALS_A_QUERY)
    while batch := {f"deal:{deal.pk}:settle": deal for deal in islice(deals, DEALS_A_QUERY)}:
        changes = stack_changes(batch.keys())
        for key, deal in batch.items():
            for seat in deal.seats.all():
                booked = changes.get(key, {}).get(seat.seating_id, 0)
                if booked != seat.amount:
                    yield _difference(deal, seat, booked)


def _difference(deal: Deal, seat: DealSeat, booked: int) -> Finding:
    subject = f"posting of seat {seat.seat + 1} in deal {deal.pk}"
    return Finding("settled deals", subject, ALTERED, f"{seat.amount}, as it was scored", f"{booked}")
