"""The permissions of each role of the staff. Roles are groups, set to this table whenever the database is migrated."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import Group, Permission

_HISTORY = (
    *("tables.view_table", "tables.view_seating", "tables.view_match", "tables.view_deal", "lobby.view_player"),
    *("tables.view_tournament", "tables.view_entrant", "tables.view_template"),
)

ROLES: Mapping[str, tuple[str, ...]] = {
    # Sees players, tables and histories; writes notes; locks an account, and lets its owner back in.
    "support": (
        *_HISTORY,
        "lobby.view_note",
        "lobby.add_note",
        "lobby.view_signin",
        "lobby.lock_player",
        *("lobby.recover_player", "lobby.view_supportrecovery", "lobby.decide_recovery"),
        "lobby.view_report",
        "lobby.handle_report",
        *("collusion.view_case", "collusion.handle_case"),
        "lobby.exclude_player",
    ),
    # Looks after stakes, tables and tournaments: freezes, pauses, resumes, cancels.
    "operations": (
        *_HISTORY,
        *("lobby.view_stake", "lobby.add_stake", "lobby.change_stake"),
        *("tables.add_template", "tables.change_template", "tables.run_tournament"),
        *("tables.freeze_table", "tables.cancel_table", "audit_log.view_auditentry", "health.view_heartbeat"),
    ),
    # Reads the ledger, exports it, and asks for or approves adjustments.
    "finance": (
        *("wallet.view_account", "wallet.view_posting", "wallet.view_transfer", "wallet.view_finance"),
        *("wallet.view_dayhead", "wallet.view_auditrun", "wallet.view_freeze", "wallet.lift_freeze"),
        *("wallet.view_exportrecord", "months.view_closedmonth", "months.close_month"),
        *("wallet.view_adjustment", "wallet.ask_adjustment", "wallet.decide_adjustment"),
        *("wallet.view_acknowledgement", "wallet.ask_acknowledgement", "wallet.decide_acknowledgement"),
        *("lobby.view_player", "audit_log.view_auditentry"),
    ),
}


def ensure_roles(**_: Any) -> None:
    """Make each role a group with exactly its permissions, as far as the installed apps know them."""
    for role, permission_ids in permissions_of(ROLES).items():
        group, _created = Group.objects.get_or_create(name=role)
        group.permissions.set(permission_ids)


def permissions_of(roles: Mapping[str, tuple[str, ...]]) -> dict[str, set[int]]:
    """Return the ids of each role's permissions, as far as the installed apps know them."""
    id_of = {
        f"{app}.{codename}": pk
        for app, codename, pk in Permission.objects.values_list("content_type__app_label", "codename", "pk")
    }
    return {role: {id_of[name] for name in names if name in id_of} for role, names in roles.items()}
