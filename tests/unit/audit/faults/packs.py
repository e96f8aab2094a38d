"""Faults in packs, statements that the database must refuse, and packs as a forger would write them."""

from typing import Any

from django.db import connection

from tables.log import packs
from tables.models import Pack, Table

EMPTYING = "REPLACE INTO {0} SELECT * FROM {0}" if connection.vendor == "sqlite" else "TRUNCATE {0} CASCADE"
#: Changes of a finished deal's events after which it may not be packed.
UNPACKABLE = (
    "DELETE FROM tables_event WHERE id = {inner}",
    "UPDATE tables_event SET version = 9999 WHERE id = {inner}",
    "UPDATE tables_event SET number = 7 WHERE id = {inner}",
    "UPDATE tables_event SET payload = {garbage} WHERE id = {inner}",
    "UPDATE tables_event SET deal_id = {other} WHERE id = {inner}",
)

FAULTS = {
    "a pack is gone": "DELETE FROM tables_pack WHERE id = {pack}",
    "its content is another's": "UPDATE tables_pack SET content = (SELECT content FROM tables_pack WHERE id = {other})"
    " WHERE id = {pack}",
    "its digest is another": "UPDATE tables_pack SET digest = 'beef' WHERE id = {pack}",
    "it counts otherwise": "UPDATE tables_pack SET events = events + 1 WHERE id = {pack}",
    "it ends later": "UPDATE tables_pack SET last_ms = last_ms + 1 WHERE id = {pack}",
    "it is under another deal": "UPDATE tables_pack SET deal_id = {other_deal} WHERE id = {pack}",
    "it is under no deal": "UPDATE tables_pack SET deal_id = NULL WHERE id = {pack}",
    "it claims more versions": "UPDATE tables_pack SET last_version = last_version + 1 WHERE id = {pack}",
    "a log is said to be pruned": "UPDATE tables_table SET log_pruned_at = closed_at WHERE id = {table}",
    "a state is gone": "UPDATE tables_table SET snapshot = {nothing} WHERE title = 'Running'",
}


#: The findings that are not in the log of the pack's table.
FOUND: dict[str, tuple[str, str]] = {"a state is gone": ("snapshot", "table ")}

DENIED = (
    "DELETE FROM tables_event",
    "DELETE FROM tables_event WHERE deal_id IS NOT NULL",
    "UPDATE tables_event SET version = version + 100",
    "UPDATE tables_event SET deal_id = NULL WHERE deal_id IS NOT NULL",
    "UPDATE tables_event SET kind = 'card_eaten'",
    "UPDATE tables_event SET at_ms = at_ms + 1",
    "DELETE FROM tables_pack",
    "UPDATE tables_pack SET digest = 'beef'",
    "UPDATE tables_pack SET deal_id = NULL WHERE deal_id IS NOT NULL",
    "UPDATE tables_pack SET last_version = last_version + 1",
    "UPDATE tables_pack SET events = events + 1",
    *(EMPTYING.format(table) for table in ("tables_event", "tables_pack")),
)


def planting() -> dict[str, Any]:
    """Return the ids that the faults name: two packs of one table, and what is around them."""
    table = Table.objects.get(title="Pool")
    first, second = Pack.objects.filter(table=table).exclude(deal=None).order_by("pk")[:2]
    return {
        "table": table.pk, "pack": first.pk, "other": second.pk, "other_deal": second.deal_id,
        "nothing": "''" if connection.vendor == "sqlite" else "''::bytea",
    }  # fmt: skip


def replace_content(pack: Pack, change: Any) -> None:
    """Write the pack as a forger who has the keys would: sealed and with a digest that fits."""
    packs.fill(pack, change(list(packs.lines(pack))))
    Pack.objects.filter(pk=pack.pk).delete()
    pack.save(force_insert=True)


def columns_of(line: packs.PackedEvent) -> tuple[int, int, int, str]:
    return line.version, line.number, line.at_ms, line.kind
