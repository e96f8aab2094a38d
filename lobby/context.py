"""What every page may know of the player: his balance, and the table that waits for him."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from tables import selectors as table_selectors
from wallet import money
from wallet import selectors as wallet_selectors

SHOWN_CURRENCY = "FUN"


def player(request: HttpRequest) -> dict[str, object]:
    """`balance` and `own_seat` of the signed-in player, read only when asked for; `real_money` is on or off."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"balance": None, "own_seat": None, "real_money": settings.REAL_MONEY}
    return {
        "real_money": settings.REAL_MONEY,
        "balance": SimpleLazyObject(lambda: _balance(user)),
        "own_seat": SimpleLazyObject(lambda: table_selectors.seat_of(user)),
    }


def _balance(user: Any) -> dict[str, Any] | None:
    for balance in wallet_selectors.balances(user):
        if balance["currency"] == SHOWN_CURRENCY:
            return {
                **balance,
                "free_text": money.figure(balance["free"], SHOWN_CURRENCY),
                "in_play_text": money.display(balance["in_play"], SHOWN_CURRENCY),
            }
    return None
