"""Models of shoes that are fixed beforehand: the deal of a day, and duplicate matches."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now


class Series(models.Model):
    """Shoes that everybody plays against the same computer players: that of a day, or those of a duplicate match.

    Before it ends nobody sees more of its cards than their own game has shown them.
    """

    day = models.DateField(null=True, unique=True, help_text="In the report zone; none for a duplicate match.")
    code = models.CharField(
        max_length=28, null=True, unique=True, help_text="The unguessable part of the link of a duplicate match."
    )
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="duplicate_matches")
    book = models.CharField(max_length=40)
    book_version = models.PositiveIntegerField()
    seats = models.PositiveSmallIntegerField()
    strength = models.CharField(max_length=6, help_text="Of the computer players.")
    made_at = models.DateTimeField(db_default=Now(), help_text="From here on the commitments are published.")
    begins_at = models.DateTimeField(help_text="From here on it may be played.")
    ends_at = models.DateTimeField(help_text="From here on nothing counts any more, and everything is shown.")

    class Meta:
        verbose_name_plural = "series"
        constraints = [
            models.CheckConstraint(
                condition=Q(day__isnull=False, code=None, made_by=None)
                | Q(day=None, code__isnull=False, made_by__isnull=False),
                name="a_series_is_of_a_day_or_a_match",
            ),
            models.CheckConstraint(condition=Q(ends_at__gt=F("begins_at")), name="a_series_ends_after_it_begins"),
        ]
        indexes = [models.Index(fields=["made_by", "ends_at"], name="series_of_a_player")]

    def __str__(self) -> str:
        return f"deal of {self.day}" if self.day is not None else f"duplicate match {self.code}"

    def runs(self, now: datetime) -> bool:
        """Return whether it may be played now."""
        return self.begins_at <= now < self.ends_at


class Shoe(models.Model):
    """One shoe of a series. Its seed stays sealed until the series ends; the label stands for the id of the deal."""

    series = models.ForeignKey(Series, models.PROTECT, related_name="shoes")
    number = models.PositiveSmallIntegerField(help_text="Counts the shoes of the series from 1.")
    label = models.CharField(max_length=40, unique=True)
    commitment = models.CharField(max_length=64, help_text="SHA-256, published when the series is made.")
    sealed_seed = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["series", "number"], name="shoes_of_a_series_are_numbered")]

    def __str__(self) -> str:
        return self.label


class Attempt(models.Model):
    """A player's one try at a shoe. Where the table was cancelled by us, another one takes its place."""

    shoe = models.ForeignKey(Shoe, models.PROTECT, related_name="attempts")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="attempts")
    table = models.OneToOneField("Table", models.PROTECT, related_name="attempt")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["shoe", "user"], name="one_attempt_a_shoe")]

    def __str__(self) -> str:
        return f"attempt of player {self.user_id} at {self.shoe_id}"
