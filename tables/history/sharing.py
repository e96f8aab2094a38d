"""What others see of a player's deals: links that show one to anybody who has them, and the name that stands in all."""

import secrets

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from tables.history import selectors
from tables.language import CLOSED_ACCOUNT
from tables.models import Deal, DealSeat, Entrant, Seating, SharedDeal
from tables.play import store
from tables.standings import COUNTED

#: Random bytes in a link: as many as in a key of a cipher.
_TOKEN_BYTES = 32
#: The number of deals that one query writes.
_PIECE = 500


@transaction.atomic
def share_deal(user: AbstractBaseUser, deal_id: int, *, names_hidden: bool) -> SharedDeal:
    """Return a new link to the user's finished deal; a former one is revoked.

    TableError `not_found` for a deal that is not one of theirs, or not over.
    """
    deal = selectors.own_deal(user, deal_id)
    # The lock puts two requests at once one after the other.
    Deal.objects.select_for_update(no_key=True).get(pk=deal.pk)
    _revoke(user, deal)
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    return SharedDeal.objects.create(deal=deal, user_id=user.pk, token=token, names_hidden=names_hidden)


def revoke_share(user: AbstractBaseUser, deal_id: int) -> None:
    """Revoke the user's link to the deal, if there is one. TableError `not_found` as in `share_deal`."""
    _revoke(user, selectors.own_deal(user, deal_id))


def revoke_every_share(user: AbstractBaseUser) -> int:
    """Revoke every link of the user's; return how many there were."""
    return SharedDeal.objects.filter(user_id=user.pk, revoked_at=None).update(revoked_at=timezone.now())


def has_shares(user: AbstractBaseUser) -> bool:
    """Return whether any link of the user's still leads to a deal."""
    return SharedDeal.objects.filter(user_id=user.pk, revoked_at=None).exists()


def share_of(user: AbstractBaseUser, deal: Deal) -> SharedDeal | None:
    """Return the user's link to the deal, None if there is none."""
    return SharedDeal.objects.filter(user_id=user.pk, deal=deal, revoked_at=None).first()


def shared_by(token: str) -> SharedDeal | None:
    """Return the link with this token and its deal; None for one that never existed or was revoked.

    It leads nowhere while the account is locked or closed.
    """
    links = SharedDeal.objects.filter(token=token, revoked_at=None, user__is_active=True)
    return links.filter(deal__in=selectors.open_deals()).select_related("deal__match__table__shoe").first()


def forget_names(user: AbstractBaseUser) -> None:
    """Replace the user's name by "Closed account" in all deals, and revoke the links to deals that they shared.

    Call it in a transaction, when the user has no seat.
    """
    Seating.objects.filter(user_id=user.pk).update(name=CLOSED_ACCOUNT)
    entrants = Entrant.objects.filter(user_id=user.pk)
    entrants.update(name=CLOSED_ACCOUNT)
    # Of many in an arena only who has changed is read anew.
    entrants.filter(status__in=COUNTED, tournament__over_ms=None).update(changed_ms=store.now_ms())
    seats = DealSeat.objects.filter(user_id=user.pk, deal__result__isnull=False).order_by("pk")
    seat_in = dict(seats.values_list("deal_id", "seat"))
    for begin in range(0, len(seat_in), _PIECE):
        piece = list(seat_in)[begin : begin + _PIECE]
        deals = list(Deal.objects.filter(pk__in=piece).only("result"))
        for deal in deals:
            own = seat_in[deal.pk]
            deal.result = [{**row, "name": CLOSED_ACCOUNT} if row["seat"] == own else row for row in deal.result or []]
        Deal.objects.bulk_update(deals, ["result"])
    revoke_every_share(user)


def _revoke(user: AbstractBaseUser, deal: Deal) -> None:
    SharedDeal.objects.filter(user_id=user.pk, deal=deal, revoked_at=None).update(revoked_at=timezone.now())
