"""The check of the audit that compares what opens each account now with the acts that made it so."""

from lobby.accounts.acts import access
from wallet.audit.audit import register
from wallet.audit.books import Differences, Finding
from wallet.audit.links import upgraded_lately
from wallet.audit_log import state

_SAID = {
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
    if upgraded_lately() or state.known_lately(access.KIND):
        return
    told = access.told_access()
    for pk, now in access.contents():
        said = {**access.NONE, **told.pop(str(pk), {})}
        for name, words in _SAID.items():
            if not access.is_as_told(pk, name, said[name], now[name]):
                yield Finding("access", f"player {pk}", f"{words} than by any act in the trail")
    for gone in sorted(told, key=int):
        yield Finding("access", f"player {gone}", "is in the trail and is not there any more")
