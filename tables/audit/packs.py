"""Checks that each event is stored once, in its own row or in a pack; `audit.event_log` reads what packs contain."""

from tables.log.triggers import GUARDS
from tables.models import Pack, Table
from wallet.base.findings import ALTERED, DUPLICATED, Differences, Finding, missing_guards, register


@register
def triggers_of_the_logs_stand() -> Differences:
    """Find triggers that protect the logs and are missing in the database."""
    return missing_guards(GUARDS)


@register
def events_are_stored_once() -> Differences:
    """Find events that are both in a pack and in a row of their own, or in two packs."""
    for query, where in ((_ALSO_A_ROW, "a row"), (_ALSO_PACKED, "another pack")):
        for pack in Pack.objects.raw(query):
            subject = f"table {pack.table_id}, versions {pack.first_version} to {pack.last_version}"
            yield Finding("log", subject, DUPLICATED, "one pack alone", f"pack {pack.pk} and the same in {where}")


@register
def pruned_logs_are_of_closed_tables() -> Differences:
    """Find logs marked as pruned that still have events, or whose table is not closed."""
    for row in Table.objects.exclude(log_pruned_at=None).order_by("pk").iterator():
        if row.status != Table.Status.CLOSED or row.closed_at is None:
            found = f"{row.status}, closed at {row.closed_at}"
            yield Finding("log", f"table {row.pk}", ALTERED, "a closed table, as its log was pruned", found)
        if row.events.exists() or row.packs.exists():
            found = f"{row.events.count()} events and {row.packs.count()} packs"
            yield Finding("log", f"table {row.pk}", ALTERED, "no events, as its log was pruned", found)


_ALSO_A_ROW = (
    "SELECT p.id, p.table_id, p.first_version, p.last_version FROM tables_pack p"
    " WHERE EXISTS (SELECT 1 FROM tables_event e WHERE e.table_id = p.table_id"
    " AND e.version BETWEEN p.first_version AND p.last_version) ORDER BY p.id"
)
_ALSO_PACKED = (
    "SELECT p.id, p.table_id, p.first_version, p.last_version FROM tables_pack p"
    " WHERE EXISTS (SELECT 1 FROM tables_pack o WHERE o.table_id = p.table_id AND o.id <> p.id"
    " AND o.first_version BETWEEN p.first_version AND p.last_version) ORDER BY p.id"
)
