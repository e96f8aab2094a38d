"""What staff do to an account: lock it, open it again, write a note. Each enters the audit trail."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.http import HttpRequest

from lobby import services
from lobby.accounts import sign_in
from lobby.models import Note, Player, SignIn, Stake
from lobby.two_factor import services as guard
from tables.play import broadcast
from wallet.audit_log.services import Actor, of_request, record
from wallet.base.errors import Refusal


class StaffRefusal(Refusal):
    """Staff may not do this, or not now."""

    def __init__(self, message: str) -> None:
        super().__init__("not_done", message)


@transaction.atomic
def lock_player(player: Player, reason: str, actor: Actor) -> None:
    """The account is locked: no sign-in, every token void, every socket closed. StaffRefusal by rank."""
    _check_rank(player, actor)
    _set_active(player, False, "player.lock", reason, actor)
    services.sign_out_everywhere(player)


@transaction.atomic
def unlock_player(player: Player, reason: str, actor: Actor) -> None:
    """The account can be used again."""
    _check_rank(player, actor)
    _set_active(player, True, "player.unlock", reason, actor)


def remove_authenticator(player: Player, reason: str, actor: Actor) -> None:
    """The player sets a new authenticator up at the next sign-in. StaffRefusal by rank, and where there is none."""
    _check_rank(player, actor)
    if not guard.is_enrolled(player):
        raise StaffRefusal("There is no authenticator to remove.")
    guard.reset(player, reason, actor)


@transaction.atomic
def add_note(player: Player, text: str, actor: Actor) -> Note:
    """The note stands on the player's page for staff."""
    note = Note.objects.create(player=player, author_id=actor.user.pk if actor.user else None, text=text)
    record(actor, "player.note", player, after={"note": text})
    return note


@transaction.atomic
def offer_stake(stake: Stake, reason: str, actor: Actor) -> None:
    """The stake is in the lobby, with a table where somebody may sit down."""
    _set_offered(stake, True, reason, actor)


@transaction.atomic
def withdraw_stake(stake: Stake, reason: str, actor: Actor) -> None:
    """The stake is in the lobby no longer; tables that run play on."""
    _set_offered(stake, False, reason, actor)


def announce(stake_id: int) -> None:
    """An offered stake has a table, and every open lobby shows the change."""
    services.ensure_table(stake_id)
    message = {"type": "lobby.stake", "stake_id": stake_id}
    transaction.on_commit(lambda: broadcast.send(broadcast.LOBBY_GROUP, message))


def note_sign_in(sender: Any, request: HttpRequest | None, user: AbstractBaseUser, **_: Any) -> None:
    """Every session that begins is kept, with the address it came from."""
    sign_in.note(request, user.pk, how=SignIn.How.SESSION)


def note_own_password(request: HttpRequest) -> None:
    """Of the staff, who gave themselves a new password is in the trail; the password is not."""
    if request.user.is_staff:
        actor = of_request(request)
        assert actor.user is not None
        record(actor, "player.password", actor.user, after={"password": "(set)"})


def _set_active(player: Player, active: bool, what: str, reason: str, actor: Actor) -> None:
    fresh = Player.objects.select_for_update().get(pk=player.pk)
    if fresh.is_active == active:
        raise StaffRefusal("The account is open already." if active else "The account is locked already.")
    fresh.is_active = active
    fresh.save(update_fields=["is_active"])
    record(actor, what, fresh, reason=reason, before={"is_active": not active}, after={"is_active": active})


def _check_rank(player: Player, actor: Actor) -> None:
    """Nobody locks themselves, and only a superuser touches an account of the staff."""
    if actor.user is not None and actor.user.pk == player.pk:
        raise StaffRefusal("This is your own account.")
    raised = isinstance(actor.user, Player) and actor.user.is_superuser
    if (player.is_staff or player.is_superuser) and not raised:
        raise StaffRefusal("An account of the staff is locked and opened by a superuser only.")


def _set_offered(stake: Stake, offered: bool, reason: str, actor: Actor) -> None:
    fresh = Stake.objects.select_for_update().get(pk=stake.pk)
    was = fresh.active
    fresh.active = offered
    fresh.save(update_fields=["active"])
    what = "stake.offer" if offered else "stake.withdraw"
    record(actor, what, fresh, reason=reason, before={"active": was}, after={"active": offered})
    announce(fresh.pk)
