"""The check of the audit that the trail still reaches as far as the heartbeat has seen it."""

from config.health.models import Heartbeat
from wallet.audit_log import ends
from wallet.base.findings import MISSING, UNSIGNED, Differences, Finding, register


@register
def ends_that_were_named() -> Differences:
    """Find ends of the trail that the heartbeat named and that are gone, now or at an earlier beat."""
    named = Heartbeat.objects.exclude(trail_end="").values_list("trail_end", flat=True)
    for fault in (*map(ends.end_fault, named), *ends.ends_cut_off()):
        if fault:
            is_signed, expected, found = fault
            yield Finding("trail", "end of the trail", MISSING if is_signed else UNSIGNED, expected, found)
