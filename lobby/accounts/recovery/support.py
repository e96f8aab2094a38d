"""What players are told of recoveries by support: until they have seen it with a factor of their own.

Who was let in by a code of support reads the warning too, so that alone does not end it. A password from before the
recovery, a link to the confirmed address, or a recovery code made before it, is the player's own.
"""

from datetime import timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone

from lobby.accounts.models import PasswordCode, Player, SupportRecovery

#: Days for which everybody who signs in is warned, where the player has no factor of their own to come back with.
WARNED_DAYS = 30


def code_used(code: PasswordCode) -> None:
    """Note whether the password that this code has set is the player's own. In the transaction that has set it."""
    issued = _issued(code.player)
    if code.expires_at is not None:
        if (latest := issued.filter(by_mail=False).order_by("pk").last()) is not None:
            latest.code_used_at, latest.notice_read_at = timezone.now(), None
            latest.save(update_fields=["code_used_at", "notice_read_at"])
    else:
        issued.filter(code_used_at__gt=code.made_at).update(code_used_at=None)


def announced(player: Player) -> list[SupportRecovery]:
    """Return the recoveries of which the player is still to be warned, the latest first; those seen are done with."""
    recent = Q(code_used_at=None) | Q(code_used_at__gt=timezone.now() - timedelta(days=WARNED_DAYS))
    unseen = list(_issued(player).filter(recent, notice_read_at=None).order_by("-pk"))
    _issued(player).filter(notice_read_at=None, code_used_at=None).update(notice_read_at=timezone.now())
    return unseen


def recoveries_of(player: Player) -> QuerySet[SupportRecovery]:
    """Return every recovery by which somebody was let into the account, the latest first."""
    return _issued(player).order_by("-pk")


def _issued(player: Player) -> QuerySet[SupportRecovery]:
    return SupportRecovery.objects.filter(player=player, status=SupportRecovery.Status.GRANTED)
