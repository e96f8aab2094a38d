"""Acts of staff on accounts and stakes: lock, unlock, note, offer, withdraw. Each is recorded in the audit trail."""

from functools import partial

from django.db import transaction
from django.db.models import Q, QuerySet

from lobby.accounts import services as accounts
from lobby.accounts.models import Note, Player, SupportRecovery
from lobby.accounts.rights import StaffRefusal, check_not_own, check_plays_apart, check_rank
from lobby.stakes import services as stakes
from lobby.stakes.models import Stake
from lobby.two_factor import services as two_factor
from tables.history import sharing
from tables.play import services as play
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor, record


def acts_on(player: Player) -> QuerySet[AuditEntry]:
    """Return the entries of the trail about the player and about recoveries of their account, the latest first."""
    recoveries = [str(pk) for pk in player.support_recoveries.values_list("pk", flat=True)]
    of_recoveries = Q(target_type=SupportRecovery._meta.label_lower, target_id__in=recoveries)
    return AuditEntry.objects.filter(Q(target_type=Player._meta.label_lower, target_id=str(player.pk)) | of_recoveries)


@transaction.atomic
def lock_player(player: Player, reason: str, actor: Actor) -> None:
    """Lock the account: no sign-in, every session and token void, every socket closed, idle seats free.

    StaffRefusal by rank, and as `check_plays_apart`.
    """
    check_rank(player, actor)
    check_plays_apart(player, actor)
    _set_active(player, False, "player.lock", reason, actor)
    accounts.sign_out_everywhere(player)
    # A table is locked before its players, and this holds the player's row until its commit.
    transaction.on_commit(partial(play.leave_if_idle, user_id=player.pk), robust=True)


@transaction.atomic
def unlock_player(player: Player, reason: str, actor: Actor) -> None:
    """Unlock the account, so that it can be used again. StaffRefusal by rank."""
    check_rank(player, actor)
    _set_active(player, True, "player.unlock", reason, actor)


def remove_authenticator(player: Player, reason: str, actor: Actor) -> None:
    """Remove the authenticator; a new one is set up at the next sign-in. StaffRefusal by rank, or if there is none."""
    check_rank(player, actor)
    if not two_factor.is_enrolled(player):
        raise StaffRefusal("There is no authenticator to remove.")
    two_factor.reset(player, reason, actor)


@transaction.atomic
def end_shared_links(player: Player, reason: str, actor: Actor) -> None:
    """Revoke every link by which the player shows deals to anybody. StaffRefusal by rank, or if there is none."""
    check_rank(player, actor)
    ended = sharing.revoke_every_share(player)
    if not ended:
        raise StaffRefusal("There is no link to end.")
    record(actor, "player.links", player, reason=reason, after={"links ended": ended})


@transaction.atomic
def add_note(player: Player, text: str, actor: Actor) -> Note:
    """Add the note to the player's page for staff. StaffRefusal for one's own account."""
    check_not_own(player, actor)
    note = Note.objects.create(player=player, author_id=actor.user.pk if actor.user else None, text=text)
    record(actor, "player.note", player, after={"note": text})
    return note


def _set_active(player: Player, active: bool, act: str, reason: str, actor: Actor) -> None:
    fresh = lock_account(player)
    if fresh.closed_at is not None:
        raise StaffRefusal("The player has closed this account: it opens no more.")
    if fresh.is_active == active:
        raise StaffRefusal("The account is open already." if active else "The account is locked already.")
    fresh.is_active = active
    fresh.save(update_fields=["is_active"])
    record(actor, act, fresh, reason=reason, before={"is_active": not active}, after={"is_active": active})


def lock_account(player: Player) -> Player:
    """Lock the row of the account and return it, before its state is checked."""
    return Player.objects.select_for_update().get(pk=player.pk)


@transaction.atomic
def set_offered(offered: bool, stake: Stake, reason: str, actor: Actor) -> None:
    """Offer the stake in the lobby, with a table that can be joined, or withdraw it; running tables play on."""
    fresh = stakes.lock_stake(stake)
    was_offered = fresh.active
    fresh.active = offered
    fresh.save(update_fields=["active"])
    act = "stake.offer" if offered else "stake.withdraw"
    record(actor, act, fresh, reason=reason, before={"active": was_offered}, after={"active": offered})
    stakes.announce(fresh.pk)
