"""Checks of closed months: each is unchanged and signed, and the ledger still adds up to its sealed sums."""

from collections.abc import Iterator
from typing import Any

from django.db import connection

from wallet.audit_log.models import AuditEntry
from wallet.base import triggers
from wallet.base.findings import Differences, Finding, register
from wallet.base.report_zone import zone
from wallet.finance.months.guards import LATE
from wallet.finance.months.models import ClosedMonth
from wallet.finance.months.services import month_digest, sums_of
from wallet.finance.periods import month_of
from wallet.keys import signing


@register
def closed_months() -> Differences:
    """Find closed months that were altered, removed or invented, or whose sums differ from the ledger."""
    before: ClosedMonth | None = None
    for closed in ClosedMonth.objects.order_by("month").iterator():
        for message in (*_seal_faults(closed, before), *_trail_faults(closed), *_sum_faults(closed)):
            yield Finding("closed month", f"{closed.month:%Y-%m}", message)
        before = closed
    yield from _deleted_months()


def _seal_faults(closed: ClosedMonth, before: ClosedMonth | None) -> Iterator[str]:
    if closed.digest != month_digest(closed, before.digest if before else ""):
        yield "is not what it was when it was closed, or a month before it is not"
    if not signing.is_signed(signing.MONTH, closed.digest, closed.signature):
        yield "is not signed by this platform"
    if before is not None and month_of(before.month).last.toordinal() + 1 != closed.month.toordinal():
        yield f"does not follow the month closed before it, {before.month:%Y-%m}"


def _trail_faults(closed: ClosedMonth) -> Iterator[str]:
    """Compare the closing with its entry in the trail, which has a seal of its own."""
    act = _acts().filter(target_id=str(closed.pk)).first()
    if act is None:
        yield "was closed, of which the trail knows nothing"
    elif act.user_id != closed.closed_by_id or (act.after or {}).get("digest") != closed.digest:
        yield "was closed by another, or otherwise, says the trail"


def _sum_faults(closed: ClosedMonth) -> Iterator[str]:
    same_days = closed.zone == zone().key
    # In another zone this month has other days, so the ledger cannot confirm its sums.
    computed: dict[str, Any] = sums_of(month_of(closed.month)) if same_days else closed.sums
    for code in sorted(computed.keys() | closed.sums.keys()):
        sealed, present = closed.sums.get(code, {}), computed.get(code, {})
        for part in ("opening", "moved", "closing"):
            if sealed.get(part) != present.get(part):
                yield f"was closed with {part} {sealed.get(part)} in {code}; the ledger now makes {present.get(part)}"


def _deleted_months() -> Differences:
    existing = {str(pk) for pk in ClosedMonth.objects.values_list("pk", flat=True)}
    for act in _acts().order_by("pk").iterator():
        if act.target_id not in existing:
            yield Finding("closed month", act.target_label, "was closed, says the trail, and is not there")


def _acts() -> Any:
    return AuditEntry.objects.filter(target_type="months.closedmonth", action="month.close")


@register
def guard_of_months() -> Differences:
    """Report a missing trigger against late postings; the triggers of the rows are checked with those of the trail."""
    for name in triggers.missing(connection, [LATE]):
        yield Finding("guard", name, "does not stand in the database")
