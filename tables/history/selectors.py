"""What the lobby and the history read of a player's seat and deals."""

from typing import Any

from django.db.models import Q, QuerySet

from tables.history.filters import narrowed
from tables.models import Deal, DealSeat, Seating, Table
from tables.play import store
from tables.play.seating import own_seatings
from tables.play.store import read_state
from wallet.audit import freeze


def seats_of(user: Any) -> list[dict[str, Any]]:
    """Return the tables where the user has a seat, whether it is their turn there, whether the table waits for
    settlement.

    Those where it is their turn come first.
    """
    return sorted(map(_seat, own_seatings(user.pk)), key=lambda seat: not seat["your_turn"])


def _seat(seating: Seating) -> dict[str, Any]:
    deal = read_state(seating.table).deal if seating.table.status != Table.Status.FROZEN else None
    turn = deal.turn.seat if deal is not None and deal.turn is not None else None
    return {
        "table": seating.table_id,
        "title": seating.table.title,
        "seat": seating.seat,
        "your_turn": turn == seating.seat,
        "waits": is_waiting(seating.table),
    }


def is_waiting(table: Table) -> bool:
    """Return whether the table is to be settled while settlement is frozen."""
    due = [moment for moment in (table.deadline_ms, table.computer_due_ms) if moment is not None]
    return table.status == Table.Status.OPEN and bool(due) and min(due) < store.now_ms() and freeze.is_frozen()


def finished_deals(user: Any, **asked: Any) -> QuerySet[DealSeat]:
    """Return the user's scored deals that are asked for (see `filters.narrowed`), newest first."""
    scored = DealSeat.objects.filter(user_id=user.pk).exclude(outcome="")
    return narrowed(scored, **asked).select_related("deal__match__table").order_by("-id")


def history_shown(user: Any, **asked: Any) -> QuerySet[DealSeat]:
    """Return the user's scored deals and those that were cancelled under them, as asked for, newest first."""
    known = DealSeat.objects.filter(~Q(outcome="") | Q(deal__status=Deal.Status.CANCELLED), user_id=user.pk)
    return narrowed(known, **asked).select_related("deal__match__table").order_by("-id")


def ended_deal(deal_id: int) -> Deal | None:
    """Return the deal, once it is over or void, whoever played it: for staff."""
    return Deal.objects.filter(pk=deal_id, ended_at__isnull=False).select_related("match__table").first()


def deal_of(user: Any, deal_id: int) -> Deal | None:
    """Return the deal, once it is over or void, if the user was dealt a hand in it; else None."""
    ended = Deal.objects.filter(pk=deal_id, ended_at__isnull=False, seats__user_id=user.pk)
    return ended.select_related("match__table").first()
