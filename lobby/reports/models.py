"""Reports of deals and complaints: one desk, with one pair of clocks."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from wallet.language import gettext_lazy

#: Within which a person of the staff takes up what came in, and within which it is answered.
ACKNOWLEDGED_WITHIN, ANSWERED_WITHIN = timedelta(hours=24), timedelta(days=15)


class Report(models.Model):
    """A player's report of a deal that they played; or anybody's complaint, which is of no deal.

    Staff take it up, and close it with an answer; a report also with a note alone.
    """

    class State(models.TextChoices):
        OPEN = "open", gettext_lazy("open")
        LOOKED_AT = "looked_at", gettext_lazy("being looked at")
        CLOSED = "closed", gettext_lazy("closed")

    class About(models.TextChoices):
        TOGETHER = "together", gettext_lazy("Players seem to play together")
        COMPUTER = "computer", gettext_lazy("A player seems to be a computer")
        BEHAVIOUR = "behaviour", gettext_lazy("A player behaves badly")
        RULES = "rules", gettext_lazy("The rules were not kept")
        ACCOUNT = "account", gettext_lazy("My account or my chips")
        CARE = "care", gettext_lazy("Limits, a break, an exclusion")
        DATA = "data", gettext_lazy("What is stored about me")
        OTHER = "other", gettext_lazy("Something else")

    deal = models.ForeignKey(
        "tables.Deal", models.PROTECT, null=True, related_name="reports", help_text="None: a complaint."
    )
    reporter = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="reports", help_text="None: not signed in."
    )
    about = models.CharField("what about", max_length=10, choices=About)
    seat = models.PositiveSmallIntegerField("whom", null=True, help_text="The seat in question; none for the deal.")
    text = models.CharField("what happened", max_length=4_000, blank=True)
    at = models.DateTimeField("when", auto_now_add=True)
    email = models.EmailField(
        "e-mail",
        max_length=254,
        blank=True,
        default="",
        db_default="",
        help_text="Where the answer goes; taken away once it has gone.",
    )
    language = models.CharField(
        max_length=10, blank=True, default="", db_default="", help_text="In which it was written."
    )
    state = models.CharField(max_length=9, choices=State, default=State.OPEN, db_index=True)
    note = models.CharField("note of staff", max_length=500, blank=True)
    acknowledged_at = models.DateTimeField("taken up", null=True)
    answer = models.CharField("answer to the player", max_length=2_000, blank=True, db_default="")
    answer_read_at = models.DateTimeField("answer read", null=True)
    handled_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    handled_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "reports and complaints"
        permissions = [("handle_report", "Can look at reports and close them")]
        constraints = [
            models.UniqueConstraint(fields=["deal", "reporter"], name="one_report_of_a_deal"),
            models.CheckConstraint(
                condition=Q(deal=None) | Q(reporter__isnull=False), name="report_of_a_deal_by_a_player"
            ),
        ]

    def __str__(self) -> str:
        return f"report {self.pk} of deal {self.deal_id}" if self.deal_id else f"complaint {self.pk}"

    @property
    def acknowledge_by(self) -> datetime:
        """Return until when somebody is to take it up."""
        return self.at + ACKNOWLEDGED_WITHIN

    @property
    def answer_by(self) -> datetime:
        """Return until when it is to be answered."""
        return self.at + ANSWERED_WITHIN

    @property
    def is_overdue(self) -> bool:
        """Return whether one of the two times has passed without what was due."""
        now = timezone.now()
        if self.state == self.State.OPEN and now > self.acknowledge_by:
            return True
        return self.state != self.State.CLOSED and now > self.answer_by

    @classmethod
    def overdue(cls) -> Q:
        """Return the condition under which `is_overdue`."""
        now = timezone.now()
        untaken = Q(state=cls.State.OPEN, at__lt=now - ACKNOWLEDGED_WITHIN)
        return untaken | (~Q(state=cls.State.CLOSED) & Q(at__lt=now - ANSWERED_WITHIN))


#: What a report of a deal, and what a complaint can be about.
OF_DEALS = (
    Report.About.TOGETHER, Report.About.COMPUTER, Report.About.BEHAVIOUR, Report.About.RULES, Report.About.OTHER,
)  # fmt: skip
OF_COMPLAINTS = (
    Report.About.ACCOUNT, Report.About.CARE, Report.About.DATA, Report.About.BEHAVIOUR, Report.About.RULES,
    Report.About.OTHER,
)  # fmt: skip
