"""Months that finance has closed, with the sums of their books."""

from django.conf import settings
from django.db import models

from wallet.base.triggers import HERE, Trigger, append_only
from wallet.models import AuditRun


class ClosedMonth(models.Model):
    """A month of the report zone, closed by a person of finance. Nothing is posted into it any more.

    `sums` holds, by currency, the balances of each kind of account before and after the month and the amounts that
    moved in it, in smallest units.
    """

    month = models.DateField(unique=True, help_text="Its first day, in the report zone.")
    zone = models.CharField(max_length=64, help_text="Whose month it is.")
    ends_at = models.DateTimeField(help_text="The first moment after it: no posting is dated earlier from now on.")
    last_transfer = models.PositiveBigIntegerField(
        help_text="The id of the last transfer of the ledger at the closing."
    )
    sums = models.JSONField()
    audit = models.ForeignKey(AuditRun, models.PROTECT, related_name="+", help_text="The audit after its end.")
    closed_at = models.DateTimeField()
    closed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    note = models.CharField(max_length=300, blank=True)
    digest = models.CharField(max_length=64, help_text="SHA-256 of all of it and of the digest of the month before.")

    class Meta:
        permissions = [("close_month", "Can close a month")]

    def __str__(self) -> str:
        return f"{self.month:%B %Y}"


TABLE = "months_closedmonth"
#: Only a clock that was set back could date a posting into a closed month.
LATE = Trigger(
    "months_posting_late",
    "INSERT",
    "wallet_posting",
    f"EXISTS (SELECT 1 FROM {HERE}{TABLE} WHERE ends_at > NEW.created_at)",  # noqa: S608
    "nothing is posted into a closed month",
)
#: The triggers that protect closed months from every writer.
TRIGGERS = (*append_only(TABLE), LATE)
