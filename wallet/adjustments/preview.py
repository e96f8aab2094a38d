"""The preview of an adjustment: what it would do, before it is requested."""

from django.contrib.auth.models import AbstractBaseUser

from wallet.adjustments.services import why_second_person
from wallet.base.money import display
from wallet.ledger.selectors import spendable


def why_impossible(player: AbstractBaseUser, currency: str, amount: int) -> str:
    """Return why nobody could post the adjustment now; empty where it could be posted."""
    balance = spendable(player.pk, currency)
    if balance + amount >= 0:
        return ""
    return f"{player.get_username()} has {display(balance, currency)}: {display(-amount, currency)} cannot be taken."


def what_follows(player: AbstractBaseUser, currency: str, amount: int, by: AbstractBaseUser) -> tuple[str, str]:
    """Return the outcome of the adjustment, as a state (`balance`, `refused`, `waits`, `posted`) and in words."""
    balance = spendable(player.pk, currency)
    name = f"{player.get_username()} (number {player.pk})"
    if not amount:
        return "balance", f"{name} has {display(balance, currency)}."
    if refused := why_impossible(player, currency, amount):
        return "refused", refused
    change = f"{name}: {display(balance, currency)} → {display(balance + amount, currency)}."
    if why := why_second_person(player=player, currency=currency, amount=amount, by=by):
        return "waits", f"{change} It waits for a second person. {why}"
    return "posted", f"{change} It is posted at once."
