"""The check of the audit that compares closed accounts with the acts that closed them and the chips forfeited."""

import json

from django.core.serializers.json import DjangoJSONEncoder

from lobby.account_data.closing import closed_name
from lobby.accounts.models import Player
from lobby.accounts.names import CLOSED
from wallet.audit_log.models import AuditEntry
from wallet.base.findings import ALTERED, Differences, Finding, register
from wallet.play_money.recovery import forfeited


@register
def closed_accounts() -> Differences:
    """Find accounts that were closed by no act or are open again, and forfeits that differ from the trail."""
    acts = AuditEntry.objects.filter(target_type=Player._meta.label_lower, action=CLOSED).values_list(
        "target_id", "after"
    )
    closing_acts = {int(pk): after or {} for pk, after in acts}
    closed = {player.pk: player for player in Player.objects.exclude(closed_at=None)}
    for pk in sorted(closing_acts.keys() | closed.keys()):
        if wrong := _wrong(pk, closed.get(pk), closing_acts.get(pk)):
            yield Finding("closed account", f"player {pk}", ALTERED, *wrong)
    forfeited_chips = forfeited()
    due = {pk: after["chips"] for pk, after in closing_acts.items() if after.get("chips")}
    for pk in sorted(due.keys() | forfeited_chips.keys()):
        if due.get(pk, 0) != forfeited_chips.get(pk, 0):
            expected = f"{due.get(pk, 0)} forfeited, as the trail tells"
            yield Finding("closed account", f"player {pk}", ALTERED, expected, f"{forfeited_chips.get(pk, 0)}")


def _wrong(pk: int, player: Player | None, closing_act: dict[str, object] | None) -> tuple[str, str] | None:
    """Return what was expected of the account, and what was found; None where it is as the trail tells."""
    if player is None:
        return "a closed account, as the trail tells", "an open one"
    if closing_act is None:
        return "the act in the trail that closed it", f"none, and closed at {player.closed_at}"
    closed_at = json.loads(json.dumps(player.closed_at, cls=DjangoJSONEncoder))
    if closed_at != closing_act.get("closed_at"):
        return f"closed at {closing_act.get('closed_at')}, as the trail tells", f"{closed_at}"
    access = (player.is_active, player.is_staff, player.has_usable_password(), player.username)
    if any(access[:3]) or not player.username.startswith(closed_name(pk)):
        return "nothing that opens it", "active {}, staff {}, password {}, name {}".format(*access)
    return None
