"""How the books stand, in a few figures, for those who watch the platform run."""

from dataclasses import dataclass

from django.db.models import Max
from django.utils import timezone

from wallet.ledger.ledger import STANDS_STILL
from wallet.models import AuditRun, Freeze, Posting

__all__ = ["STANDS_STILL", "Condition", "is_frozen", "last_run", "now"]


@dataclass(frozen=True, slots=True)
class Condition:
    """`audit_age` in seconds since the last audit ended; it and `differences` are None before the first.

    Differences are those that nobody has acknowledged.
    """

    last_posting: int
    frozen: bool
    differences: int | None
    audit_age: float | None


def is_frozen() -> bool:
    """Return whether settlement stands still at this moment."""
    return Freeze.objects.filter(lifted_at=None).exists()


def count_new(run: AuditRun) -> int:
    """Return how many differences it found that nobody had acknowledged; of those by name the new come first."""
    return int(run.differences) - sum("acknowledged" in each for each in run.findings)


def last_run() -> AuditRun | None:
    """Return the latest audit of the books; None before the first."""
    return AuditRun.objects.order_by("-pk").first()


def now() -> Condition:
    last = last_run()
    return Condition(
        last_posting=Posting.objects.aggregate(last=Max("pk"))["last"] or 0,
        frozen=is_frozen(),
        differences=count_new(last) if last else None,
        audit_age=(timezone.now() - last.ended_at).total_seconds() if last else None,
    )
