"""Removal of a player's name from tables and deals once their account is closed."""

from django.utils import timezone

from tables.language import CLOSED_ACCOUNT
from tables.models import Deal, DealSeat, Entrant, Seating, SharedDeal

#: The number of deals that one query writes.
_PIECE = 500


def forget_names(user_id: int) -> None:
    """Replace the user's name by "Closed account" in all deals, and revoke the links to deals that they shared.

    Call it in a transaction, when the user has no seat.
    """
    Seating.objects.filter(user_id=user_id).update(name=CLOSED_ACCOUNT)
    Entrant.objects.filter(user_id=user_id).update(name=CLOSED_ACCOUNT)
    seats = DealSeat.objects.filter(user_id=user_id, deal__result__isnull=False).order_by("pk")
    seat_in = dict(seats.values_list("deal_id", "seat"))
    for begin in range(0, len(seat_in), _PIECE):
        piece = list(seat_in)[begin : begin + _PIECE]
        deals = list(Deal.objects.filter(pk__in=piece).only("result"))
        for deal in deals:
            own = seat_in[deal.pk]
            deal.result = [{**row, "name": CLOSED_ACCOUNT} if row["seat"] == own else row for row in deal.result or []]
        Deal.objects.bulk_update(deals, ["result"])
    SharedDeal.objects.filter(user_id=user_id, revoked_at=None).update(revoked_at=timezone.now())
