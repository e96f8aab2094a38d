"""Setting limits and exclusions, which the wallet stores; players whom they bar leave idle seats at once."""

from functools import partial
from typing import Any

from django.db import transaction

from lobby.accounts.models import Player
from lobby.accounts.rights import check_plays_apart, check_rank
from tables.play import services as play
from tables.tournaments import services as tournaments
from wallet.audit_log.services import Actor, record
from wallet.base.money import CURRENCIES
from wallet.responsible_gaming import (
    admission,
    selectors as responsible_gaming_selectors,
    services as responsible_gaming,
)


def overview(player: Player) -> responsible_gaming_selectors.CareView:
    """Return all settings of the player, how much of their limits is used, and today's time and results."""
    return responsible_gaming_selectors.overview(player, list(CURRENCIES))


def set_limit(*, player: Player, kind: str, period: str, amount: int | None, currency: str = "") -> Any:
    """Set the limit as `wallet.responsible_gaming.services.set_limit` does.

    A player who may no longer play leaves their idle seats.
    """
    rule = responsible_gaming.set_limit(user=player, kind=kind, period=period, amount=amount, currency=currency)
    leave_if_barred(player)
    return rule


def exclude_oneself(*, player: Player, period: str) -> None:
    """Exclude the player for that period; they still finish a running deal, a match with a pot, or a tournament."""
    responsible_gaming.exclude(user=player, period=period)
    _leave(player)


def exclude_by_staff(period: str, player: Player, reason: str, actor: Actor) -> None:
    """Exclude as `exclude_oneself` does, on behalf of staff, with their reason in the trail.

    StaffRefusal by rank, and as `check_plays_apart`.
    """
    check_rank(player, actor)
    check_plays_apart(player, actor)
    exclusion = responsible_gaming.exclude(user=player, period=period, by=actor.user)
    record(actor, "player.exclude", player, reason=reason, after={"excluded_until": exclusion.until or "for good"})
    # A table is locked before its players, and the act of staff holds the player's row until its commit.
    transaction.on_commit(partial(_leave, player), robust=True)


def lift(player: Player, reason: str, actor: Actor) -> None:
    """End the exclusions of the player by staff in 72 hours; the player's own exclusions stay.

    StaffRefusal by rank; WalletError as `wallet.responsible_gaming.services.lift`.
    """
    check_rank(player, actor)
    until = responsible_gaming.lift(user=player, by=actor.user)
    record(actor, "player.lift_exclusion", player, reason=reason, after={"excluded_until": until})


def _leave(player: Player) -> None:
    """Take an excluded player out of idle seats, and of tournaments that have not begun."""
    leave_if_barred(player)
    tournaments.withdraw_all(player)


def leave_if_barred(player: Player) -> None:
    """Take a player who may not play out of the seats at which the next deal would include them."""
    try:
        admission.check_play(player.pk)
    except admission.CareRefusal:
        play.leave_if_idle(user_id=player.pk)
