"""Recoveries: support lets somebody back into their account, without seeing or setting a password.

A link is sent to the confirmed e-mail address; where there is none, support checks who it is and reads out a code. No
one person of the staff can open an account that is in use: a second one approves the code.
"""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from lobby.accounts.mail.sending import is_configured, queue_mail
from lobby.accounts.models import Player, SupportRecovery
from lobby.accounts.recovery import codes
from lobby.backoffice.services import StaffRefusal, lock_account
from tables.models import Seating
from wallet.audit_log.services import Actor, record
from wallet.backoffice.requests import are_dependent

#: The name of the act in the trail of the player.
ACT = "player.recovery"
#: Days within which somebody has played or signed in whose account one person of the staff alone cannot open.
ACTIVE_DAYS = 30
Status = SupportRecovery.Status


@transaction.atomic
def ask(player: Player, reason: str, actor: Actor) -> str:
    """Let the player set a new password; ask a second person first where one is needed. Return what to do next.

    One is needed for an account of the staff, and for a code to an account that is in use.

    StaffRefusal for one's own account, a guest, and an account that is locked or closed. MailRefused.
    """
    fresh = lock_account(player)
    person = _person(actor)
    if person.pk == fresh.pk:
        raise StaffRefusal("This is your own account.")
    _check_possible(fresh)
    recovery = SupportRecovery.objects.create(player=fresh, asked_by=person, reason=reason[:500])
    if fresh.is_staff or fresh.is_superuser:
        _note(actor, recovery, reason, "asked for")
        return "This is an account of the staff: a second person has to approve it, under “support recoveries”."
    if not _goes_by_mail(fresh) and _is_in_use(fresh):
        _note(actor, recovery, reason, "asked for")
        return (
            f"This account was used in the last {ACTIVE_DAYS} days: a second person has to approve it, under “support"
            " recoveries”. A recovery code of the player’s own lets them in at once, under “Forgotten your password?”."
        )
    return _issue(recovery, reason, actor)


@transaction.atomic
def approve(row: SupportRecovery, reason: str, actor: Actor) -> str:
    """Approve, as the second person, a recovery that waits for one. Return what to do next.

    StaffRefusal for the person who asked, for the owner of the account, and for anybody but a superuser where it is a
    superuser's; also for a recovery that is decided, or an account that is locked. MailRefused.
    """
    recovery = _lock_open(row, actor)
    _check_possible(recovery.player)
    _decide(recovery, reason, actor)
    return _issue(recovery, reason, actor)


@transaction.atomic
def refuse(row: SupportRecovery, reason: str, actor: Actor) -> None:
    """Refuse the recovery. StaffRefusal by the same people as for `approve`."""
    recovery = _lock_open(row, actor)
    _decide(recovery, reason, actor)
    recovery.status = Status.REFUSED
    recovery.save()
    _note(actor, recovery, reason, "refused")


def count_recoveries(by: Player) -> int:
    """Return how many recoveries wait for the decision of this person."""
    waiting = SupportRecovery.objects.filter(status=Status.ASKED).exclude(asked_by_id=by.pk).exclude(player_id=by.pk)
    return (waiting if by.is_superuser else waiting.filter(player__is_superuser=False)).count()


def _issue(recovery: SupportRecovery, reason: str, actor: Actor) -> str:
    """Send the link, or make the code, and return the sentence for support."""
    player = recovery.player
    recovery.status, recovery.by_mail = Status.ISSUED, _goes_by_mail(player)
    recovery.save()
    _note(actor, recovery, reason, "a link by e-mail" if recovery.by_mail else "a code")
    if recovery.by_mail:
        queue_mail("mail_support_link", player.pk)
        return f"A link is on its way to the confirmed e-mail address of {player.username}. It opens for ten minutes."
    code = codes.temporary_code(player)
    place = f"under “Forgotten your password?”, within {codes.MINUTES} minutes"
    return f"Read this code to {player.username}, who sets a new password with it {place}: {code}"


def _goes_by_mail(player: Player) -> bool:
    return bool(player.email) and is_configured()


def _is_in_use(player: Player) -> bool:
    """Return whether the player has signed in or sat at a table within ACTIVE_DAYS."""
    since = timezone.now() - timedelta(days=ACTIVE_DAYS)
    seatings = Seating.objects.filter(user=player).filter(Q(left_at=None) | Q(left_at__gt=since))
    return player.sign_ins.filter(succeeded=True, at__gt=since).exists() or seatings.exists()


def _check_possible(player: Player) -> None:
    if player.is_guest:
        raise StaffRefusal("A guest has no password.")
    if not player.is_active:
        raise StaffRefusal("This account is locked or closed.")


def _person(actor: Actor) -> Player:
    if not isinstance(actor.user, Player):
        raise StaffRefusal("This is done by a person.")
    return actor.user


def _lock_open(row: SupportRecovery, actor: Actor) -> SupportRecovery:
    """Lock the row and return it, if it waits and this person may decide it. StaffRefusal."""
    recovery = SupportRecovery.objects.select_for_update(of=("self",)).select_related("player").get(pk=row.pk)
    person = _person(actor)
    if recovery.status != Status.ASKED:
        raise StaffRefusal(f"This is {recovery.get_status_display()} already.")
    if person.pk in (recovery.asked_by_id, recovery.player_id):
        raise StaffRefusal("You asked for this, or it is your own account: somebody else decides it.")
    if recovery.asked_by_id is not None and are_dependent(recovery.asked_by_id, person.pk, timezone.now()):
        raise StaffRefusal("One of you has just given the other their rights: a third person decides it.")
    if recovery.player.is_superuser and not person.is_superuser:
        raise StaffRefusal("This is the account of a superuser: another superuser decides it.")
    return recovery


def _decide(recovery: SupportRecovery, reason: str, actor: Actor) -> None:
    recovery.decided_by, recovery.decided_at, recovery.decision = _person(actor), timezone.now(), reason[:500]


def _note(actor: Actor, recovery: SupportRecovery, reason: str, decision: str) -> None:
    after: dict[str, Any] = {"recovery": recovery.pk, "is": decision}
    record(actor, ACT, recovery.player, reason=reason, after=after)
