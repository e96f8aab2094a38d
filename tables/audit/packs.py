"""Whether each event is kept once: in a row of its own or in a pack. What is in a pack is told by `audit.event_log`."""

from collections.abc import Iterator

from django.db import connection

from tables.log.triggers import GUARDS
from tables.models import Pack, Table
from wallet.audit.audit import register
from wallet.audit.books import Finding
from wallet.base import triggers

Differences = Iterator[Finding]


@register
def triggers_of_the_logs_stand() -> Differences:
    """Find triggers by which the database keeps the logs and which do not stand."""
    for name in triggers.missing(connection, GUARDS):
        yield Finding("guard", name, "does not stand in the database")


@register
def events_are_kept_once() -> Differences:
    """Find events that are both packed and a row of their own, or packed twice."""
    for query, where in ((_ALSO_A_ROW, "a row"), (_ALSO_PACKED, "another pack")):
        for pack in Pack.objects.raw(query):
            message = f"events of versions {pack.first_version} to {pack.last_version} are in a pack and in {where}"
            yield Finding("log", f"table {pack.table_id}", message)


@register
def pruned_logs_are_of_closed_tables() -> Differences:
    """Find logs said to be pruned of which something is left, or whose table was not closed before."""
    for row in Table.objects.exclude(log_pruned_at=None).order_by("pk").iterator():
        if row.status != Table.Status.CLOSED or row.closed_at is None:
            yield Finding("log", f"table {row.pk}", "is said to be pruned, and the table is not closed")
        if row.events.exists() or row.packs.exists():
            yield Finding("log", f"table {row.pk}", "is said to be pruned, and is there")


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
