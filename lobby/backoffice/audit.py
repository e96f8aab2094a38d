"""What the audit proves of people: what opens their account and what they may do, beside the acts that made it so.

And the rows of the lobby that no longer change once they are written or over: see `wallet.audit_log.row_marks`.
"""

from typing import Any

from django.contrib.auth.models import Group
from django.db.models import Q

from lobby.accounts import access, rights
from lobby.backoffice.roles import ROLES, permissions_of
from lobby.reports.models import Report
from wallet.audit_log.row_marks import FinishedRows, register_rows
from wallet.audit_log.services import changes, json_digest, recorded_rows, row_columns, row_mark
from wallet.base.findings import ALTERED, MISSING, WITHOUT_MONEY, Differences, Finding, register

_ACCESS = {
    "is_active": "the account open or locked",
    "password": "the password",
    "email": "the e-mail address",
    "password_codes": "the recovery codes",
    "authenticator": "the authenticator",
    "recovery_codes": "the codes instead of the authenticator",
}
_RIGHTS = {
    "is_staff": "one of the staff or not",
    "is_superuser": "one who may do everything or not",
    "groups": "the roles",
    "user_permissions": "the rights of their own",
    "token": "the token of the API",
}


#: A report that nobody has handled yet.
_UNHANDLED: dict[str, Any] = {
    "state": str(Report.State.OPEN),
    "note": "",
    "answer": "",
    "acknowledged_at": None,
    "handled_at": None,
    "handled_by_id": None,
}

WITHOUT_MONEY.update(("access", "rights", "report"))


@register
def access_of_people() -> Differences:
    """Find accounts with a password, address or code that no act in the trail made so, and accounts that are gone."""
    recorded_by_id = access.recorded_access()
    for pk, current in access.contents():
        recorded = {**access.NONE, **recorded_by_id.pop(str(pk), {})}
        for name, words in _ACCESS.items():
            if not access.matches_record(pk, name, recorded[name], current[name]):
                found = str(access.marked(pk, {name: current[name]})[name])[:16] or "nothing"
                yield Finding("access", f"player {pk}", ALTERED, f"{words} as the acts in the trail made it", found)
    for missing in sorted(recorded_by_id, key=int):
        yield Finding("access", f"player {missing}", MISSING, "the account of which the trail tells", "none")


@register
def rights_of_people() -> Differences:
    """Find people whose rights differ from what the acts in the trail have given and taken."""
    recorded_by_id, current_by_id = rights.recorded_rights(), rights.rights()
    for pk in sorted(recorded_by_id.keys() | current_by_id.keys(), key=int):
        recorded, current = {**rights.NONE, **recorded_by_id.get(pk, {})}, current_by_id.get(pk, rights.NONE)
        for name, words in _RIGHTS.items():
            # A token in the trail that is void by now gives no right.
            if recorded[name] != current[name] and (name != "token" or current[name]):
                due, held = (
                    json_digest(each[name])[:16] if name == "token" else each[name] for each in (recorded, current)
                )
                yield Finding("rights", f"player {pk}", ALTERED, f"{words}: {due}, as the trail tells", f"{held}")


@register
def rights_of_roles() -> Differences:
    """Find roles whose permissions differ from ROLES, and groups that are no role and have members."""
    permissions_by_role = permissions_of(ROLES)
    for group in Group.objects.prefetch_related("permissions").order_by("name"):
        permissions = {permission.pk for permission in group.permissions.all()}
        if group.name in permissions_by_role and permissions != permissions_by_role[group.name]:
            due, held = (json_digest(sorted(each))[:16] for each in (permissions_by_role[group.name], permissions))
            yield Finding("rights", f"role {group.name}", ALTERED, f"what roles are given, of the digest {due}", held)
        elif group.name not in permissions_by_role and group.user_set.exists():
            members = sorted(group.user_set.values_list("pk", flat=True))
            yield Finding(
                "rights", f"group {group.name}", MISSING, "a role of that name", f"none, and members {members}"
            )


@register
def handled_reports() -> Differences:
    """Find reports and complaints that were taken up, closed or answered by no act in the trail, or otherwise.

    Acts of version 1.0.0 tell no times and nobody's name.
    """
    acts = [f"report.{state}" for state in (Report.State.LOOKED_AT, Report.State.CLOSED)]
    recorded = recorded_rows(Report._meta.label_lower, acts)
    for report in Report.objects.order_by("pk").iterator(chunk_size=500):
        due, present = recorded.get(str(report.pk), _UNHANDLED), row_columns(report)
        told, held = (
            ", ".join(f"{name} {str(value)[:60]!r}" for name, value in each.items())
            for each in changes(due, {name: present[name] for name in due})
        )
        if told:
            found = f"{held} in {row_mark(report)}"
            yield Finding("report", f"{report}", ALTERED, f"{told}, as the trail tells", found)


register_rows(
    FinishedRows("lobby.SignIn", ("player_id", "at", "how", "succeeded", "address", "client")),
    FinishedRows("lobby.Note", ("player_id", "author_id", "at", "text")),
    FinishedRows("lobby.SupportRecovery", ("player_id", "asked_by_id", "asked_at", "reason"), part="as asked for"),
    FinishedRows(
        "lobby.SupportRecovery",
        ("status", "by_mail", "decided_by_id", "decided_at", "decision_reason"),
        ~Q(status="asked"),
        part="as decided",
    ),
    FinishedRows("lobby.Report", ("deal_id", "reporter_id", "about", "seat", "text", "at"), part="as sent"),
    FinishedRows("lobby.Report", ("acknowledged_at",), Q(acknowledged_at__isnull=False), part="as taken up"),
    FinishedRows(
        "lobby.Report", ("state", "note", "answer", "handled_by_id", "handled_at"), Q(state="closed"), part="as closed"
    ),
)
