"""The check of the audit that compares closed accounts with the acts that closed them and the chips forfeited."""

import json

from django.core.serializers.json import DjangoJSONEncoder

from lobby.accounts.models import Player
from lobby.accounts.names import CLOSED
from lobby.personal.closing import closed_name
from wallet.audit_log.models import AuditEntry
from wallet.base.findings import Differences, Finding, register
from wallet.play_money.forfeits import forfeited


@register
def closed_accounts() -> Differences:
    """Find accounts that were closed by no act or are open again, and forfeits that differ from the trail."""
    acts = AuditEntry.objects.filter(target_type=Player._meta.label_lower, action=CLOSED).values_list(
        "target_id", "after"
    )
    closing_acts = {int(pk): after or {} for pk, after in acts}
    closed = {player.pk: player for player in Player.objects.exclude(closed_at=None)}
    for pk in sorted(closing_acts.keys() | closed.keys()):
        if message := _wrong(pk, closed.get(pk), closing_acts.get(pk)):
            yield Finding("closed account", f"player {pk}", message)
    forfeited_chips = forfeited()
    due = {pk: after["chips"] for pk, after in closing_acts.items() if after.get("chips")}
    for pk in sorted(due.keys() | forfeited_chips.keys()):
        if due.get(pk, 0) != forfeited_chips.get(pk, 0):
            message = f"forfeited {forfeited_chips.get(pk, 0)}, by the trail {due.get(pk, 0)}"
            yield Finding("closed account", f"player {pk}", message)


def _wrong(pk: int, player: Player | None, closing_act: dict[str, object] | None) -> str:
    if closing_act is None:
        return "was closed by nobody, says the trail"
    if player is None:
        return "was closed, says the trail, and is not"
    if json.loads(json.dumps(player.closed_at, cls=DjangoJSONEncoder)) != closing_act.get("closed_at"):
        return "was closed at another time, says the trail"
    opened = player.is_active or player.is_staff or player.has_usable_password()
    return "is open again" if opened or not player.username.startswith(closed_name(pk)) else ""
