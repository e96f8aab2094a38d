"""What staff do to accounts and stakes: lock, unlock, note, offer, withdraw. Each enters the audit trail."""

from django.db import transaction

from lobby.accounts import services as accounts
from lobby.accounts.models import Note, Player
from lobby.stakes import services as stakes
from lobby.stakes.models import Stake
from lobby.two_factor import services as two_factor
from wallet.audit_log.services import Actor, record
from wallet.base.errors import Refusal


class StaffRefusal(Refusal):
    """Staff may not do this, or not now."""

    def __init__(self, message: str) -> None:
        super().__init__("not_done", message)


@transaction.atomic
def lock_player(player: Player, reason: str, actor: Actor) -> None:
    """Lock the account: no sign-in, every token void, every socket closed. StaffRefusal by rank."""
    _check_rank(player, actor)
    _set_active(player, False, "player.lock", reason, actor)
    accounts.sign_out_everywhere(player)


@transaction.atomic
def unlock_player(player: Player, reason: str, actor: Actor) -> None:
    """Unlock the account: it can be used again."""
    _check_rank(player, actor)
    _set_active(player, True, "player.unlock", reason, actor)


def remove_authenticator(player: Player, reason: str, actor: Actor) -> None:
    """Let the player set a new authenticator up at the next sign-in. StaffRefusal by rank, and where there is none."""
    _check_rank(player, actor)
    if not two_factor.is_enrolled(player):
        raise StaffRefusal("There is no authenticator to remove.")
    two_factor.reset(player, reason, actor)


@transaction.atomic
def add_note(player: Player, text: str, actor: Actor) -> Note:
    """Put the note on the player's page for staff."""
    note = Note.objects.create(player=player, author_id=actor.user.pk if actor.user else None, text=text)
    record(actor, "player.note", player, after={"note": text})
    return note


@transaction.atomic
def offer_stake(stake: Stake, reason: str, actor: Actor) -> None:
    """Offer the stake in the lobby, with a table where somebody may sit down."""
    _set_offered(stake, True, reason, actor)


@transaction.atomic
def withdraw_stake(stake: Stake, reason: str, actor: Actor) -> None:
    """Withdraw the stake from the lobby; tables that run play on."""
    _set_offered(stake, False, reason, actor)


def _set_active(player: Player, active: bool, what: str, reason: str, actor: Actor) -> None:
    fresh = _lock_account(player)
    if fresh.is_active == active:
        raise StaffRefusal("The account is open already." if active else "The account is locked already.")
    fresh.is_active = active
    fresh.save(update_fields=["is_active"])
    record(actor, what, fresh, reason=reason, before={"is_active": not active}, after={"is_active": active})


def _lock_account(player: Player) -> Player:
    """Lock the row of the account, before its rank or state is read."""
    return Player.objects.select_for_update().get(pk=player.pk)


def _check_rank(player: Player, actor: Actor) -> None:
    """Let nobody lock themselves, and only a superuser touch an account of the staff."""
    if actor.user is not None and actor.user.pk == player.pk:
        raise StaffRefusal("This is your own account.")
    raised = isinstance(actor.user, Player) and actor.user.is_superuser
    if (player.is_staff or player.is_superuser) and not raised:
        raise StaffRefusal("An account of the staff is locked and opened by a superuser only.")


def _set_offered(stake: Stake, offered: bool, reason: str, actor: Actor) -> None:
    fresh = stakes.lock_stake(stake)
    was = fresh.active
    fresh.active = offered
    fresh.save(update_fields=["active"])
    what = "stake.offer" if offered else "stake.withdraw"
    record(actor, what, fresh, reason=reason, before={"active": was}, after={"active": offered})
    stakes.announce(fresh.pk)
