"""The daily refill of a player's fun chips. They are never bought, sold or passed on."""

from datetime import datetime
from typing import Annotated, TypedDict

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import connection, transaction
from django.utils import timezone

from wallet.base.errors import WalletError
from wallet.base.money import display
from wallet.base.report_zone import format_moment, local_day
from wallet.language import gettext as _
from wallet.models import AccountKind, Posting, Reason, Transfer
from wallet.play_money import services
from wallet.responsible_gaming.admission import check_account_open, lock_player_row
from wallet.responsible_gaming.limits import bounds
from wallet.responsible_gaming.models import LimitPeriod

CURRENCY = "FUN"


class RefillOffer(TypedDict):
    """The daily refill of fun chips; those at tables count towards its level."""

    level: Annotated[int, "Up to how many chips."]
    amount: Annotated[int, "What a refill would give now; 0: none to be had."]
    again_at: Annotated[datetime | None, "Where today's has been had: from when on the next."]


def offer(user: AbstractBaseUser) -> RefillOffer:
    """Return what a refill would give the user now, without giving it."""
    now = timezone.now()
    if Posting.objects.filter(key=_key(user.pk, now)).exists():
        return {"level": settings.REFILL_LEVEL, "amount": 0, "again_at": bounds(LimitPeriod.DAY, now)[1]}
    missing = settings.REFILL_LEVEL - _total_held(user.pk)
    return {"level": settings.REFILL_LEVEL, "amount": max(0, missing), "again_at": None}


@transaction.atomic
def refill(user: AbstractBaseUser) -> int:
    """Refill the user's fun chips to REFILL_LEVEL, and return how many were added.

    Chips at tables and in pots count. The key is `refill:{user}:{day}`, with the day of the report zone: a second call
    on the same day returns the amount of the first and gives nothing. WalletError `no_refill` where the user holds as
    many already, `locked`.
    """
    lock_player_row(user.pk)
    check_account_open(user)
    services.open_wallet(user)
    now = timezone.now()
    key = _key(user.pk, now)
    earlier = Transfer.objects.filter(posting__key=key).values_list("amount", flat=True).first()
    if earlier is not None:
        return earlier
    missing = settings.REFILL_LEVEL - _total_held(user.pk)
    if missing <= 0:
        level = display(settings.REFILL_LEVEL, CURRENCY)
        raise WalletError("no_refill", _("You hold {level} already, those at tables included.", level=level))
    services.grant(user=user, amount=missing, key=key, reason=Reason.REFILL)
    return missing


def refill_message(amount: int) -> str:
    """Return the message to the player after a refill of `amount` chips."""
    again = format_moment(bounds(LimitPeriod.DAY, timezone.now())[1])
    return _(
        "{given} have come in. The next refill is there from {again}.", given=display(amount, CURRENCY), again=again
    )


def _key(user_id: int, now: datetime) -> str:
    return f"refill:{user_id}:{local_day(now)}"


def _total_held(user_id: int) -> int:
    """Return the sum of the user's fun chips: balance, stacks, and entries in pots not yet paid out, without those that
    came back.

    One statement, so that chips that move meanwhile are counted once.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT COALESCE(SUM(balance), 0) FROM wallet_account WHERE owner_id = %s AND currency = %s)"
            " + (SELECT COALESCE(SUM(t.amount), 0) FROM wallet_transfer t"
            " JOIN wallet_account d ON d.id = t.debit_id JOIN wallet_account c ON c.id = t.credit_id"
            " WHERE d.owner_id = %s AND c.kind = %s AND c.balance > 0 AND c.currency = %s)"
            " - (SELECT COALESCE(SUM(t.amount), 0) FROM wallet_transfer t"
            " JOIN wallet_account d ON d.id = t.debit_id JOIN wallet_account c ON c.id = t.credit_id"
            " WHERE c.owner_id = %s AND d.kind = %s AND d.balance > 0 AND d.currency = %s)",
            [user_id, CURRENCY, *2 * (user_id, str(AccountKind.POT), CURRENCY)],
        )
        return int(cursor.fetchone()[0])
