"""What the audit asks of declarations: that each is as its player and staff have left it, by the trail."""

from wallet.audit.audit import register
from wallet.audit.books import Differences, Finding
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import snapshot
from wallet.payments.identity.verification import FACTS
from wallet.payments.models import Identity


@register
def declarations_are_as_the_trail_has_them() -> Differences:
    """Find declarations, verifications and first proofs that nobody has made, or that are other than was made."""
    latest: dict[str, AuditEntry] = {}
    proved: dict[str, object] = {}
    for entry in AuditEntry.objects.filter(kind=Identity._meta.label_lower).order_by("pk"):
        latest[entry.object_id] = entry
        if entry.what == "identity.verify":
            proved.setdefault(entry.object_id, (entry.after or {}).get("verified_at"))
    for declared in Identity.objects.order_by("pk").iterator():
        is_now, said = snapshot(declared), latest.get(str(declared.pk))
        if said is None:
            yield Finding("declaration", f"identity {declared.pk}", "was declared by nobody, says the trail")
            continue
        for name in FACTS:
            if is_now.get(name) != (said.after or {}).get(name):
                yield Finding("declaration", f"identity {declared.pk}", f"its {name} is not that of the trail")
        if is_now.get("proved_at") != proved.get(str(declared.pk)):
            yield Finding("declaration", f"identity {declared.pk}", "was first proved at another time, says the trail")
