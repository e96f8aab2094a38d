"""Ratings: what finished contests say of their players.

Every row here follows from those: `manage.py rate --anew` makes all of them again.
"""

from django.conf import settings
from django.db import models

from lobby.ratings.skill import MU, NEWCOMER, SIGMA


class ContestKind(models.TextChoices):
    MATCH = "match"
    SERIES = "series", "series of ten deals"
    ARENA = "arena"
    KNOCKOUT = "knockout", "knock-out"


class Contest(models.Model):
    """A rated contest: a match, ten deals of points, a tournament."""

    kind = models.CharField(max_length=8, choices=ContestKind)
    ref = models.BigIntegerField(help_text="The match, that of the last deal of a series, or the tournament.")
    family = models.CharField(max_length=10)
    ended_at = models.DateTimeField()
    weight = models.FloatField(help_text="What it counts: less the more often the same people have met.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "ref"], name="a_contest_is_rated_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.ref}"


class RatedResult(models.Model):
    """What a contest changed for one of its players. `mu` and `sigma` are those after it."""

    contest = models.ForeignKey(Contest, models.CASCADE, related_name="results")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="rated_results")
    family = models.CharField(max_length=10)
    ended_at = models.DateTimeField()
    number = models.PositiveIntegerField(help_text="Counts the player's rated contests of the family from 1.")
    place = models.PositiveIntegerField()
    shows = models.PositiveIntegerField(help_text="Valid ones, in the deals of the contest.")
    won = models.IntegerField(help_text="By how much the rating that people read changed.")
    mu = models.FloatField()
    sigma = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["contest", "player"], name="a_player_is_rated_once_a_contest")]
        indexes = [
            models.Index(fields=["player", "ended_at"], name="rated_results_of_a_player"),
            models.Index(fields=["family", "ended_at"], name="rated_results_of_a_family"),
        ]

    def __str__(self) -> str:
        return f"place {self.place} of player {self.player_id} in contest {self.contest_id}"


class Rating(models.Model):
    """A player's rating in a family of games, after `matches` contests."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="ratings")
    family = models.CharField(max_length=10)
    mu = models.FloatField(default=MU)
    sigma = models.FloatField(default=SIGMA)
    shown = models.IntegerField(default=NEWCOMER.shown, help_text="The rating that people read.")
    matches = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "family"], name="one_rating_a_family")]
        indexes = [models.Index(fields=["family", "-shown"], name="ratings_of_a_family")]

    def __str__(self) -> str:
        return f"player {self.player_id} in {self.family}: {self.shown}"


class RatedUntil(models.Model):
    """Until when all that ended is rated, in one row, which is locked by whoever rates."""

    moment = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"rated until {self.moment}"
