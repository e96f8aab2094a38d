"""Recoveries: support lets somebody back into their account, without seeing or setting a password.

A link is sent to the confirmed e-mail address; where there is none, support checks who it is and reads out a code. No
one person of the staff can open an account that is in use: a second one approves the code.
"""

from datetime import timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from lobby.accounts.mail import is_configured, queue_mail
from lobby.accounts.models import Player, SupportRecovery
from lobby.accounts.recovery import codes
from lobby.accounts.rights import StaffRefusal, check_not_own
from lobby.backoffice.services import lock_account
from tables.models import Seating
from wallet.audit_log.services import Actor, record
from wallet.backoffice import requests

#: Days within which somebody has played or signed in whose account one person of the staff alone cannot open.
ACTIVE_DAYS = 30
Status = SupportRecovery.Status


@transaction.atomic
def ask(player: Player, reason: str, actor: Actor) -> str:
    """Let the player set a new password; ask a second person first where one is needed. Return what to do next.

    StaffRefusal for one's own account, a guest, and an account that is locked or closed. MailRefused.
    """
    fresh = lock_account(player)
    asker = requests.person(actor)
    check_not_own(fresh, actor)
    _check_possible(fresh)
    recovery = SupportRecovery.objects.create(player=fresh, asked_by_id=asker.pk, reason=reason[:500])
    second = _why_second_person(fresh)
    answers: list[str] = []
    requests.ask(recovery, actor, second=second, grant=partial(_open, answers, actor))
    if answers:
        return answers[0]
    return (
        f"{second} A second person has to approve it, under “support recoveries”. A recovery code of the player’s own"
        " lets them in at once, under “Forgotten your password?”."
    )


def grant(row: SupportRecovery, reason: str, actor: Actor) -> str:
    """Approve, as the second person, a recovery that waits for one. Return what to do next.

    WalletError as `requests.decide`; StaffRefusal for anybody but a superuser where it is a superuser's account, or
    where it is locked. MailRefused.
    """

    def do(recovery: SupportRecovery) -> dict[str, Any]:
        _check_superuser(recovery.player, actor)
        _check_possible(recovery.player)
        return _open(answers, actor, recovery)

    answers: list[str] = []
    requests.decide(row, Status.GRANTED, reason, actor, do)
    return "".join(answers)


def refuse(row: SupportRecovery, reason: str, actor: Actor) -> None:
    """Refuse the recovery. WalletError and StaffRefusal by the same people as for `grant`."""

    def do(recovery: SupportRecovery) -> dict[str, Any]:
        _check_superuser(recovery.player, actor)
        return {}

    requests.decide(row, Status.REFUSED, reason, actor, do)


def count_recoveries(by: Player) -> int:
    """Return how many recoveries wait for the decision of this person."""
    waiting = requests.undecided(by, SupportRecovery.objects.all())
    return (waiting if by.is_superuser else waiting.filter(player__is_superuser=False)).count()


def _why_second_person(player: Player) -> str:
    """Return, as a sentence, why one person alone cannot let the player in; empty where one can."""
    if player.is_staff or player.is_superuser:
        return "This is an account of the staff."
    if not _goes_by_mail(player) and _is_in_use(player):
        return f"This account was used in the last {ACTIVE_DAYS} days."
    return ""


def _open(answers: list[str], actor: Actor, recovery: SupportRecovery) -> dict[str, Any]:
    """Send the link, or make the code; put the sentence for support into `answers`, and return the facts of it.

    Who reads the code out counts as one person with who comes in by it: see `requests.are_dependent`.
    """
    player, recovery.by_mail = recovery.player, _goes_by_mail(recovery.player)
    if recovery.by_mail:
        queue_mail("mail_support_link", player.pk)
        text = f"A link is on its way to the confirmed e-mail address of {player.username}. It opens for ten minutes."
    else:
        place = f"under “Forgotten your password?”, within {codes.MINUTES} minutes"
        name, code = player.username, codes.temporary_code(player)
        record(actor, requests.CODE_GIVEN, player, after={"code": "(read out)"})
        text = f"Read this code to {name}, who sets a new password with it {place}: {code}"
    answers.append(text)
    return {"by_mail": recovery.by_mail}


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


def _check_superuser(player: Player, actor: Actor) -> None:
    if player.is_superuser and not getattr(actor.user, "is_superuser", False):
        raise StaffRefusal("This is the account of a superuser: another superuser decides it.")
