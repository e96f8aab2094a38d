"""The check of the audit that compares what opens each account now with the acts that made it so."""

from lobby.accounts.acts import access
from wallet.audit.audit import register
from wallet.audit.books import Differences, Finding
from wallet.audit.links import upgraded_recently
from wallet.audit_log import state

_FINDINGS = {
    "is_active": "is open, or is locked, otherwise",
    "password": "has another password",
    "email": "has another e-mail address",
    "password_codes": "has other recovery codes",
    "authenticator": "has another authenticator",
    "recovery_codes": "has other codes instead of the authenticator",
}


@register
def access_of_people() -> Differences:
    """Find accounts that are opened by something that no act in the trail explains, and accounts that are gone."""
    if upgraded_recently() or state.recorded_recently(access.KIND):
        return
    recorded_by_id = access.recorded_access()
    for pk, current in access.contents():
        recorded = {**access.NONE, **recorded_by_id.pop(str(pk), {})}
        for name, finding in _FINDINGS.items():
            if not access.matches_record(pk, name, recorded[name], current[name]):
                yield Finding("access", f"player {pk}", f"{finding} than by any act in the trail")
    for missing in sorted(recorded_by_id, key=int):
        yield Finding("access", f"player {missing}", "is in the trail and is not there any more")
