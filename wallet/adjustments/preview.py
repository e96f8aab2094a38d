"""What an adjustment would do, before it is asked for."""

from django.contrib.auth.models import AbstractBaseUser

from wallet.adjustments.services import why_second_person
from wallet.base.money import display
from wallet.models import Account, AccountKind


def balance_before(player: AbstractBaseUser, currency: str) -> int:
    """Return what the player can spend now, in smallest units; 0 without an account."""
    found = Account.objects.filter(kind=AccountKind.PLAYER, reference=f"user:{player.pk}", currency=currency)
    return found.values_list("balance", flat=True).first() or 0


def why_impossible(player: AbstractBaseUser, currency: str, amount: int) -> str:
    """Return why it could not be posted now, by whomever; empty where it could."""
    held = balance_before(player, currency)
    if held + amount >= 0:
        return ""
    return f"{player.get_username()} has {display(held, currency)}: {display(-amount, currency)} cannot be taken."


def what_follows(player: AbstractBaseUser, currency: str, amount: int, by: AbstractBaseUser) -> tuple[str, str]:
    """Return what becomes of it, as a state (`balance`, `refused`, `waits`, `posted`) and in words."""
    held = balance_before(player, currency)
    name = f"{player.get_username()} (number {player.pk})"
    if not amount:
        return "balance", f"{name} has {display(held, currency)}."
    if refused := why_impossible(player, currency, amount):
        return "refused", refused
    change = f"{name}: {display(held, currency)} → {display(held + amount, currency)}."
    if why := why_second_person(player=player, currency=currency, amount=amount, by=by):
        return "waits", f"{change} It waits for a second person. {why}"
    return "posted", f"{change} It is posted at once."
