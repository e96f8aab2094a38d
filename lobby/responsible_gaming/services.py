"""What a player sets to play with care: set in the wallet, and where it bars them they leave an idle seat at once."""

from typing import Any

from django.conf import settings

from lobby.accounts.models import Player
from tables.play import services as play
from wallet.audit_log.services import Actor, record
from wallet.base.money import CURRENCIES
from wallet.responsible_gaming import selectors as responsible_gaming_selectors
from wallet.responsible_gaming import services as responsible_gaming


def currencies() -> list[str]:
    """Return those that limits can be set in: what this installation plays for."""
    return [code for code, each in CURRENCIES.items() if not each.real or getattr(settings, "REAL_MONEY", False)]


def overview(player: Player) -> Any:
    """Return everything the player has set, how much of it is used, and how their day has been."""
    return responsible_gaming_selectors.overview(player, currencies())


def set_limit(*, player: Player, kind: str, span: str, amount: int | None, currency: str = "") -> Any:
    """Set the limit as `wallet.responsible_gaming.services.set_limit` does.

    Leave a seat they may not play on from where that is free.
    """
    rule = responsible_gaming.set_limit(user=player, kind=kind, span=span, amount=amount, currency=currency)
    leave_where_barred(player)
    return rule


def exclude_oneself(*, player: Player, period: str) -> None:
    """Let the player take no seat for that period; a running deal, or match with a pot, they play to its end."""
    responsible_gaming.exclude(user=player, period=period)
    leave_where_barred(player)


def exclude_by_staff(period: str, player: Player, reason: str, actor: Actor) -> None:
    """Exclude as `exclude_oneself` does, asked for by staff, with the reason in the trail."""
    made = responsible_gaming.exclude(user=player, period=period, by=actor.user)
    record(actor, "player.exclude", player, reason=reason, after={"excluded_until": made.until or "for good"})
    leave_where_barred(player)


def lift(player: Player, reason: str, actor: Actor) -> None:
    """End in 72 hours what staff have excluded the player for; what the player has set stays."""
    until = responsible_gaming.lift(user=player, by=actor.user)
    record(actor, "player.lift_exclusion", player, reason=reason, after={"excluded_until": until})


def leave_where_barred(player: Player) -> None:
    """Take the player out of seats at which another deal would begin with them though they may not play."""
    try:
        responsible_gaming.check_play(player.pk)
    except responsible_gaming.CareRefusal:
        play.leave_if_idle(user_id=player.pk)
