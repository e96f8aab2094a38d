"""Requests that take two people: who asks, and who decides, are not the same person."""

from datetime import datetime, timedelta

from django.contrib.auth import get_user_model
from django.db.models import Q
from django.utils import timezone

from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor
from wallet.base.errors import WalletError

#: For this long whoever was given rights, or a password, counts as the same person as who gave them.
DEPENDENT = timedelta(days=7)
#: The acts that let somebody in or let them ask and decide: a new password, or a change of these columns.
_GIVEN = Q(action="player.password") | Q(after__has_any_keys=["is_staff", "is_superuser", "groups", "user_permissions"])


def are_dependent(first: int, second: int, at: datetime) -> bool:
    """Return whether one of the two gave the other their rights within `DEPENDENT` before that moment."""
    kind = get_user_model()._meta.label_lower
    recent = AuditEntry.objects.filter(_GIVEN, target_type=kind, at__gt=at - DEPENDENT, at__lte=at)
    return any(
        recent.filter(target_id=str(given), user_id=giver).exists()
        for given, giver in ((first, second), (second, first))
    )


def check_second_person(asked_by: int | None, actor: Actor, own: str) -> int:
    """Return the id of the actor, who decides what another asked for.

    WalletError `no_person` for a command; `own` for the person who asked; `dependent` for whom `are_dependent` names.
    """
    if actor.user is None:
        raise WalletError("no_person", "This is decided by a person.")
    if actor.user.pk == asked_by:
        raise WalletError(own, "You asked for this yourself: somebody else decides it.")
    if asked_by is not None and are_dependent(asked_by, actor.user.pk, timezone.now()):
        message = f"One of you gave the other their rights within {DEPENDENT.days} days: a third person decides this."
        raise WalletError("dependent", message)
    return int(actor.user.pk)
