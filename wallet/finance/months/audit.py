"""Checks of closed months: each is as its act in the trail tells, and the ledger still adds up to its sums."""

from collections.abc import Iterator
from typing import Any

from wallet.audit_log.state import row_mark
from wallet.base.findings import ALTERED, MISSING, Differences, Finding, missing_guards, register
from wallet.base.report_zone import zone
from wallet.finance.months.models import LATE, ClosedMonth
from wallet.finance.months.services import closing_act, closing_acts, month_digest, sums_of
from wallet.finance.periods import month_of


@register
def closed_months() -> Differences:
    """Find closed months that were altered, removed or invented, or whose sums differ from the ledger."""
    before: ClosedMonth | None = None
    for closed in ClosedMonth.objects.order_by("month").iterator():
        for due, held in (*_digest_faults(closed, before), *_trail_faults(closed), *_sum_faults(closed)):
            yield Finding("closed month", f"{closed.month:%Y-%m}", ALTERED, due, f"{held} in {row_mark(closed)}")
        before = closed
    yield from _deleted_months()


#: What was expected, and what was found.
Pair = tuple[str, str]


def _digest_faults(closed: ClosedMonth, before: ClosedMonth | None) -> Iterator[Pair]:
    if (present := month_digest(closed, before.digest if before else "")) != closed.digest:
        yield f"the digest {closed.digest[:16]} of it and the months before it", present[:16]
    if before is not None and month_of(before.month).last.toordinal() + 1 != closed.month.toordinal():
        yield f"the month after {before.month:%Y-%m}, the one closed before it", f"{closed.month:%Y-%m}"


def _trail_faults(closed: ClosedMonth) -> Iterator[Pair]:
    """Compare the closing with its entry in the trail, which has a hash of its own."""
    act = closing_act(closed)
    if act is None:
        yield "the act that closed it in the trail", "none"
        return
    told, held = (act.user_id, (act.after or {}).get("digest")), (closed.closed_by_id, closed.digest)
    if told != held:
        yield f"closed by {told[0]} with {told[1]}, as the trail tells", f"by {held[0]} with {held[1]}"


def _sum_faults(closed: ClosedMonth) -> Iterator[Pair]:
    same_days = closed.zone == zone().key
    # In another zone this month has other days, so the ledger cannot confirm its sums.
    computed: dict[str, Any] = sums_of(month_of(closed.month)) if same_days else closed.sums
    for code in sorted(computed.keys() | closed.sums.keys()):
        sealed, present = closed.sums.get(code, {}), computed.get(code, {})
        for part in ("opening", "moved", "closing"):
            if sealed.get(part) != present.get(part):
                yield f"{part} {sealed.get(part)} in {code}, as closed", f"{present.get(part)} by the ledger"


def _deleted_months() -> Differences:
    existing = {str(pk) for pk in ClosedMonth.objects.values_list("pk", flat=True)}
    for act in closing_acts().iterator():
        if act.target_id not in existing:
            yield Finding(
                "closed month", act.target_label, MISSING, "the month that the trail tells to be closed", "none"
            )


@register
def guard_of_months() -> Differences:
    """Report a missing trigger against late postings; the triggers of the rows are checked with those of the trail."""
    return missing_guards([LATE])
