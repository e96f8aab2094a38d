"""The analysis of a finished deal for one of its players, and deals that were brought in to study."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from tables.models.play import Deal


class Analysis(models.Model):
    """What each decision of one player in a finished deal was worth, found decision by decision.

    It is kept with the deal. Everything in it can be found again from the events of the deal and the seed.
    """

    deal = models.ForeignKey(Deal, models.PROTECT, related_name="analyses")
    seat = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="analyses")
    samples = models.PositiveSmallIntegerField()
    seed = models.CharField(max_length=32, help_text="Hex: which hidden cards are tried.")
    decisions = models.PositiveSmallIntegerField(help_text="How many the player made.")
    judged = models.PositiveSmallIntegerField(default=0, help_text="How many of them are judged.")
    reviews = models.JSONField(default=list, help_text="Of each that is judged; null where that failed.")
    tries = models.PositiveSmallIntegerField(default=0, help_text="Of the decision that comes next.")
    busy_until = models.DateTimeField(null=True, help_text="Somebody judges it, or is lost when this has passed.")
    asked_at = models.DateTimeField(db_default=Now())
    moved_at = models.DateTimeField(db_default=Now(), help_text="When a decision was judged last.")
    done_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "analyses"
        constraints = [models.UniqueConstraint(fields=["deal", "seat"], name="one_analysis_a_player")]
        indexes = [
            models.Index(fields=["moved_at"], name="analyses_at_work", condition=Q(done_at=None)),
            models.Index(fields=["user", "asked_at"], name="analyses_of_a_player"),
        ]

    def __str__(self) -> str:
        return f"analysis of seat {self.seat + 1} in deal {self.deal_id}"


class StudyDeal(models.Model):
    """A deal in Rummy Deal Notation that was brought in from a file, each once. It belongs to nobody."""

    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the text.")
    text = models.TextField(help_text="As rules.notation.write has it; it was replayed before it was kept.")
    book = models.CharField(max_length=40, db_index=True)
    players = models.PositiveSmallIntegerField()
    imported_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"study deal {self.pk}"
