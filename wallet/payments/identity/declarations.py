"""The audit's check that declarations match the acts of players and staff in the trail."""

from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import snapshot
from wallet.base.findings import Differences, Finding, register
from wallet.payments.identity.verification import FACTS
from wallet.payments.models import Identity


@register
def declarations_are_as_the_trail_has_them() -> Differences:
    """Find declarations, verifications and first proofs that are not in the trail or differ from it."""
    latest: dict[str, AuditEntry] = {}
    proved: dict[str, object] = {}
    for entry in AuditEntry.objects.filter(kind=Identity._meta.label_lower).order_by("pk"):
        latest[entry.object_id] = entry
        if entry.what == "identity.verify":
            proved.setdefault(entry.object_id, (entry.after or {}).get("verified_at"))
    for declared in Identity.objects.order_by("pk").iterator():
        is_now, entry_now = snapshot(declared), latest.get(str(declared.pk))
        if entry_now is None:
            yield Finding("declaration", f"identity {declared.pk}", "was declared by nobody, says the trail")
            continue
        # Entries from before a PAN was asked for do not hold it.
        is_told = {"pan": "", **(entry_now.after or {})}
        for name in FACTS:
            if is_now.get(name) != is_told.get(name):
                yield Finding("declaration", f"identity {declared.pk}", f"its {name} is not that of the trail")
        if is_now.get("proved_at") != proved.get(str(declared.pk)):
            yield Finding("declaration", f"identity {declared.pk}", "was first proved at another time, says the trail")
