"""The checks of the audit that compare present rights with the acts that gave them, and roles with ROLES."""

from django.contrib.auth.models import Group

from lobby.accounts.acts import rights
from lobby.backoffice.roles import ROLES, permissions_of
from wallet.audit.audit import register
from wallet.audit.books import Differences, Finding
from wallet.audit.links import upgraded_lately

_SAID = {
    "is_staff": "is of the staff, or is no longer",
    "is_superuser": "may do everything, or no longer may",
    "groups": "is in other roles",
    "user_permissions": "has other rights of their own",
    "token": "has another token of the API",
}


@register
def rights_of_people() -> Differences:
    """Find people whose rights differ from what the acts in the trail have given and taken."""
    if upgraded_lately():
        return
    told, now = rights.told_rights(), rights.rights()
    for pk in sorted(told.keys() | now.keys(), key=int):
        said, has = {**rights.NONE, **told.get(pk, {})}, now.get(pk, rights.NONE)
        for name, words in _SAID.items():
            # A token in the trail that is void by now gives no right.
            if said[name] != has[name] and (name != "token" or has[name]):
                yield Finding("rights", f"player {pk}", f"{words} than by any act in the trail")


@register
def rights_of_roles() -> Differences:
    """Find roles whose permissions differ from ROLES, and groups that are no role and have members."""
    wanted = permissions_of(ROLES)
    for group in Group.objects.prefetch_related("permissions").order_by("name"):
        found = {permission.pk for permission in group.permissions.all()}
        if group.name in wanted and found != wanted[group.name]:
            yield Finding("rights", f"role {group.name}", "may do other things than roles are given")
        elif group.name not in wanted and group.user_set.exists():
            yield Finding("rights", f"group {group.name}", "is no role, and has members")
