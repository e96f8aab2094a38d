"""Players' reports of deals to staff."""

from django.conf import settings
from django.db import models

from wallet.language import worded_later


class Report(models.Model):
    """One player's report of a deal that they played. Staff look at it and close it with a note."""

    class State(models.TextChoices):
        OPEN = "open", worded_later("open")
        LOOKED_AT = "looked_at", worded_later("being looked at")
        CLOSED = "closed", worded_later("closed")

    class About(models.TextChoices):
        TOGETHER = "together", worded_later("Players seem to play together")
        COMPUTER = "computer", worded_later("A player seems to be a computer")
        BEHAVIOUR = "behaviour", worded_later("A player behaves badly")
        RULES = "rules", worded_later("The rules were not kept")
        OTHER = "other", worded_later("Something else")

    deal = models.ForeignKey("tables.Deal", models.PROTECT, related_name="reports")
    reporter = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="reports")
    about = models.CharField("what about", max_length=10, choices=About)
    seat = models.PositiveSmallIntegerField("whom", null=True, help_text="The seat in question; none for the deal.")
    text = models.CharField("what happened", max_length=1_000, blank=True)
    at = models.DateTimeField("when", auto_now_add=True)
    state = models.CharField(max_length=9, choices=State, default=State.OPEN, db_index=True)
    note = models.CharField("note of staff", max_length=500, blank=True)
    answer = models.CharField("answer to the player", max_length=500, blank=True, db_default="")
    answer_read_at = models.DateTimeField("answer read", null=True)
    handled_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    handled_at = models.DateTimeField(null=True)

    class Meta:
        permissions = [("handle_report", "Can look at reports and close them")]
        constraints = [models.UniqueConstraint(fields=["deal", "reporter"], name="one_report_of_a_deal")]

    def __str__(self) -> str:
        return f"report {self.pk} of deal {self.deal_id}"
