"""Forfeiting the fun chips of a closed account: they are worth nothing, and nobody else gets them."""

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Sum

from wallet.ledger.accounts import ISSUANCE, balance_name
from wallet.ledger.ledger import Line, post
from wallet.ledger.locks import lock_all
from wallet.models import Reason, Transfer

CURRENCY = "FUN"


@transaction.atomic
def forfeit(user: AbstractBaseUser) -> int:
    """Destroy the free fun chips of the user; return how many there were.

    The key is that of `forfeit_key`. Nothing is posted where there are none.
    """
    key, balance = forfeit_key(user.pk), balance_name(user.pk, CURRENCY)
    locked = lock_all(key, [balance, ISSUANCE], CURRENCY)
    amount = locked.accounts[balance].balance
    if amount:
        lines = [Line(locked.accounts[balance], locked.accounts[ISSUANCE], amount)]
        post(key=key, lines=lines, reason=Reason.FORFEIT, locked=locked, atomic=False)
    return amount


def forfeit_key(user_id: int) -> str:
    """Return the key of the user's one forfeit."""
    return f"close:{user_id}"


def forfeited() -> dict[int, int]:
    """Return the forfeited fun chips by user id."""
    rows = Transfer.objects.filter(posting__reason=Reason.FORFEIT).order_by()
    return dict(rows.values_list("debit__owner_id").annotate(Sum("amount")))
