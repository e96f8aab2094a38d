"""Whether settlement is frozen, and the status of the books in a few figures."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Q
from django.utils import timezone

from wallet.base.findings import WITHOUT_MONEY
from wallet.models import AuditRun, Freeze, Posting

#: The error code for postings of settlement during a freeze.
SETTLEMENT_FROZEN = "settlement_frozen"
#: The acts in the trail by which one person asks to lift a freeze, and another lifts it.
ASK_LIFT, LIFT = "freeze.ask", "freeze.lift"


@dataclass(frozen=True, slots=True)
class BooksStatus:
    """The status of the books. `differences` are those of the last audit that nobody has acknowledged.

    `audit_age` is in seconds since the last audit ended. Both are None before the first.
    """

    last_posting: int
    frozen: bool
    differences: int | None
    audit_age: float | None


def is_frozen() -> bool:
    """Return whether settlement is frozen now."""
    return Freeze.objects.filter(lifted_at=None).exists()


def was_frozen_after(moment: datetime) -> bool:
    """Return whether settlement was frozen for any time since that moment, or is."""
    return Freeze.objects.filter(Q(lifted_at=None) | Q(lifted_at__gt=moment)).exists()


def count_new(run: AuditRun) -> int:
    """Return how many differences of the audit nobody had acknowledged; its findings list these first."""
    return int(run.differences) - sum("acknowledged" in finding for finding in run.findings)


def found_money(run: AuditRun) -> bool:
    """Return whether the audit found money to differ, which nobody had acknowledged; its findings list that first."""
    return any("acknowledged" not in found and found["check"] not in WITHOUT_MONEY for found in run.findings)


def last_run() -> AuditRun | None:
    """Return the latest audit of the books; None before the first."""
    return AuditRun.objects.order_by("-pk").first()


def books_status() -> BooksStatus:
    """Return the status of the books now."""
    last = last_run()
    return BooksStatus(
        last_posting=Posting.objects.aggregate(last=Max("pk"))["last"] or 0,
        frozen=is_frozen(),
        differences=count_new(last) if last else None,
        audit_age=(timezone.now() - last.ended_at).total_seconds() if last else None,
    )
