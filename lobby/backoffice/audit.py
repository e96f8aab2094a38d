"""The checks of the audit on people: what opens their account and what they may do, beside the acts that made it so."""

from django.contrib.auth.models import Group

from lobby.accounts.acts import access, rights
from lobby.backoffice.roles import ROLES, permissions_of
from wallet.base.findings import WITHOUT_MONEY, Differences, Finding, register

_ACCESS = {
    "is_active": "is open, or is locked, otherwise",
    "password": "has another password",
    "email": "has another e-mail address",
    "password_codes": "has other recovery codes",
    "authenticator": "has another authenticator",
    "recovery_codes": "has other codes instead of the authenticator",
}
_RIGHTS = {
    "is_staff": "is of the staff, or is no longer",
    "is_superuser": "may do everything, or no longer may",
    "groups": "is in other roles",
    "user_permissions": "has other rights of their own",
    "token": "has another token of the API",
}


WITHOUT_MONEY.update(("access", "rights"))


@register
def access_of_people() -> Differences:
    """Find accounts that are opened by something that no act in the trail explains, and accounts that are gone."""
    recorded_by_id = access.recorded_access()
    for pk, current in access.contents():
        recorded = {**access.NONE, **recorded_by_id.pop(str(pk), {})}
        for name, finding in _ACCESS.items():
            if not access.matches_record(pk, name, recorded[name], current[name]):
                yield Finding("access", f"player {pk}", f"{finding} than by any act in the trail")
    for missing in sorted(recorded_by_id, key=int):
        yield Finding("access", f"player {missing}", "is in the trail and is not there any more")


@register
def rights_of_people() -> Differences:
    """Find people whose rights differ from what the acts in the trail have given and taken."""
    recorded_by_id, current_by_id = rights.recorded_rights(), rights.rights()
    for pk in sorted(recorded_by_id.keys() | current_by_id.keys(), key=int):
        recorded, current = {**rights.NONE, **recorded_by_id.get(pk, {})}, current_by_id.get(pk, rights.NONE)
        for name, finding in _RIGHTS.items():
            # A token in the trail that is void by now gives no right.
            if recorded[name] != current[name] and (name != "token" or current[name]):
                yield Finding("rights", f"player {pk}", f"{finding} than by any act in the trail")


@register
def rights_of_roles() -> Differences:
    """Find roles whose permissions differ from ROLES, and groups that are no role and have members."""
    permissions_by_role = permissions_of(ROLES)
    for group in Group.objects.prefetch_related("permissions").order_by("name"):
        permissions = {permission.pk for permission in group.permissions.all()}
        if group.name in permissions_by_role and permissions != permissions_by_role[group.name]:
            yield Finding("rights", f"role {group.name}", "may do other things than roles are given")
        elif group.name not in permissions_by_role and group.user_set.exists():
            yield Finding("rights", f"group {group.name}", "is no role, and has members")
