"""Links between trail and ledger: the trail records heads and audits, and postings are linked to its entries.

No entry of the trail can be forged without the key; and as each posting is linked to the latest entry, the end of
the trail cannot be cut off unseen either.
"""

from collections.abc import Callable
from typing import Any

from django.db import models
from django.db.models import Count, Exists, Min, OuterRef
from django.utils import timezone

from wallet.audit_log import ends
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM, json_digest, record, recorded_rows, row_columns
from wallet.base.findings import ALTERED, MISSING, WITHOUT_MONEY, Differences, Finding
from wallet.keys.deriving import SHOWN
from wallet.keys.models import RETIRE_KEY, Key
from wallet.models import AuditRun, DayHead, Posting
from wallet.responsible_gaming.models import Exclusion, Limit
from wallet.responsible_gaming.services import EXCLUDED, SET_LIMIT

#: The acts by which the trail records heads and audits.
SIGNED, AUDITED = "day.sign", "audit.run"
#: The rows that are compared with their acts in the trail, the act, and the name of the check.
_LINKED: tuple[tuple[type[models.Model], str, str], ...] = (
    (DayHead, SIGNED, "day"),
    (AuditRun, AUDITED, "audit run"),
    (Limit, SET_LIMIT, "limit"),
    (Exclusion, EXCLUDED, "exclusion"),
)
_NAMES: dict[type[models.Model], str] = {AuditRun: "audit"}
#: The key under which such an entry records the reach of the trail.
REACH_KEY = "trail"


def link(act: str, row: models.Model) -> None:
    """Record the head or the audit in the trail, with the trail's reach, in the transaction that makes the row."""
    record(PLATFORM, act, row, after={**row_columns(row), REACH_KEY: ends.reach(timezone.now())})


def linked_rows() -> Differences:
    """Find heads, audits, limits and exclusions that differ from the trail, are not in it, or are only there."""
    for model, act, check in _LINKED:
        recorded = recorded_rows(model._meta.label_lower, [act])
        for row in model._default_manager.order_by("pk").iterator():
            subject = _subject(model, row.pk, row)
            entry = recorded.pop(str(row.pk), None)
            if entry is None:
                digest = json_digest(row_columns(row))
                yield Finding(check, subject, MISSING, "an act in the trail", f"none for the row of {digest}")
            elif columns := differing_columns(entry, row):
                present = row_columns(row)
                due, held = (", ".join(f"{name} {each[name]}" for name in columns) for each in (entry, present))
                yield Finding(check, subject, ALTERED, f"{due}, as the trail tells", held)
        for pk, entry in recorded.items():
            subject = _subject(model, pk, entry.get("day"))
            yield Finding(check, subject, MISSING, "the row of which the trail tells", "none")


def differing_columns(recorded: dict[str, Any], row: models.Model) -> list[str]:
    """Return the columns in which the row differs from the trail."""
    present = row_columns(row)
    return [name for name in present if name in recorded and recorded[name] != present[name]]


def _subject(model: type[models.Model], pk: Any, row: Any) -> str:
    return f"{row}" if model is DayHead else f"{_NAMES.get(model) or model._meta.model_name} {pk}"


def trail_ends() -> Differences:
    """Find heads and audits whose recorded reach does not match the present trail."""
    rows = AuditEntry.objects.filter(action__in=[SIGNED, AUDITED]).order_by("pk").values_list("pk", "after")
    recorded = {pk: ends.TrailReach(*after[REACH_KEY]) for pk, after in rows if after and REACH_KEY in after}
    present = ends.reaches({reach.last for reach in recorded.values()})
    for pk, reach in recorded.items():
        if present[reach.last] != reach:
            yield Finding("trail", f"entry {pk}", MISSING, f"{reach}, as it tells", f"{present[reach.last]}")


def retired_keys() -> Differences:
    """Find keys whose retirement differs from the trail; acts of version 1.0.0 tell no time."""
    recorded = recorded_rows(Key._meta.label_lower, [RETIRE_KEY])
    for key in Key.objects.order_by("pk"):
        due = recorded.get(key.pk, {"retired_at": None})
        held = row_columns(key)["retired_at"]
        if due.get("retired_at", held) != held:
            told = f"retired_at {due['retired_at']}, as the trail tells"
            yield Finding("key of the house", f"key {key.pk[:SHOWN]}", ALTERED, told, f"{held}")


def entries_of_postings() -> Differences:
    """Find entries of the trail that postings follow and that no longer exist."""
    existing = AuditEntry.objects.filter(pk=OuterRef("trail_entry"))
    orphans = Posting.objects.filter(~Exists(existing), trail_entry__isnull=False).order_by()
    for pk, count, first in orphans.values_list("trail_entry").annotate(Count("pk"), Min("pk")):
        expected = f"the entry after which {count} postings were made, from {first} on"
        yield Finding("trail", f"entry {pk}", MISSING, expected, "none")


WITHOUT_MONEY.add("key of the house")

ALL: tuple[Callable[[], Differences], ...] = (linked_rows, trail_ends, retired_keys, entries_of_postings)
