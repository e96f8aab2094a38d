"""Names of accounts that closed: nobody takes one for a while, who would be taken for the player that had it.

The act that closed the account holds marks of its names under the installation's key: they tell whether a given name
was theirs, and nothing to anybody without the key.
"""

from datetime import timedelta

from django.utils import timezone

from lobby.accounts.models import Player
from lobby.accounts.names import skeleton
from wallet.audit_log.models import AuditEntry
from wallet.keys import signing

#: The name of the act that closes an account.
CLOSED = "player.close"
#: Days for which a name is kept back.
KEPT_DAYS = 90


def marks_of(player: Player) -> list[str]:
    """Return the marks of the player's names, to be written into the act that closes the account."""
    names = {skeleton(name) for name in (player.username, player.display_name) if name}
    return [signing.sign(signing.ACCESS, _marking(name)) for name in sorted(names)]


def is_kept_back(name: str) -> bool:
    """Return whether an account that closed within KEPT_DAYS had this name, or one that looks like it."""
    since = timezone.now() - timedelta(days=KEPT_DAYS)
    acts = AuditEntry.objects.filter(what=CLOSED, at__gt=since).values_list("after", flat=True)
    wanted = set(signing.every_signature(signing.ACCESS, _marking(skeleton(name))))
    return any(wanted.intersection((after or {}).get("names", ())) for after in acts)


def _marking(name: str) -> str:
    return f"freed name {name}"
