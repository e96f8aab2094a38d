"""Triggers that protect the event logs from every writer: no event changes, and none disappears.

The row of an event may be deleted only once a pack has its version, and a pack only once it has been emptied. Sealed
content may be sealed again. `wallet.base.triggers` describes how triggers are installed and what migrations must do.
No trigger here reads another table, since SQLite cannot rebuild a table that a trigger elsewhere reads.
"""

# ruff: noqa: S608  Every part of these statements is written in this file.
from wallet.base.triggers import HERE, Trigger, never_emptied, never_replaced

_EVENT, _PACK = "tables_event", "tables_pack"


def _changed(*columns: str) -> str:
    return " OR ".join(f"COALESCE(NEW.{each}, 0) <> COALESCE(OLD.{each}, 0)" for each in columns)


def _changed_texts(*columns: str) -> str:
    return " OR ".join(f"NEW.{each} <> OLD.{each}" for each in columns)


_PACKED = (
    f"EXISTS (SELECT 1 FROM {HERE}{_PACK} p WHERE p.table_id = OLD.table_id AND p.first_version <= OLD.version"
    " AND p.last_version >= OLD.version)"
)
_SAME_EVENT = "table_id = NEW.table_id AND version = NEW.version AND number = NEW.number"
_SAME_PACK = "table_id = NEW.table_id AND first_version = NEW.first_version"
_FIXED = "what happened does not change"

TRIGGERS = (
    Trigger(f"{_EVENT}_kept", "DELETE", _EVENT, f"NOT {_PACKED}", "an event goes once it is packed"),
    Trigger(
        f"{_EVENT}_fixed",
        "UPDATE",
        _EVENT,
        f"{_changed('id', 'table_id', 'deal_id', 'version', 'number', 'at_ms')} OR {_changed_texts('kind')}",
        _FIXED,
    ),
    never_emptied(_EVENT, _FIXED),
    never_replaced(_EVENT, _SAME_EVENT, _FIXED),
    Trigger(f"{_PACK}_kept", "DELETE", _PACK, "length(OLD.content) > 0", "a pack goes once it is empty"),
    Trigger(
        f"{_PACK}_fixed",
        "UPDATE",
        _PACK,
        f"{_changed('id', 'table_id', 'deal_id', 'first_version', 'last_version', 'events', 'last_ms')}"
        f" OR {_changed_texts('digest', 'packed_at')}",
        _FIXED,
    ),
    never_emptied(_PACK, _FIXED),
    never_replaced(_PACK, _SAME_PACK, _FIXED),
)
