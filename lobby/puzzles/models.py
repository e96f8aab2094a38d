"""Puzzles, who has tried them, and runs against the clock."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from lobby.puzzles.rating import DEVIATION, RATING, VOLATILITY


class PuzzleKind(models.TextChoices):
    """What is asked."""

    SHOW = "show", "is this a show"
    TAKE = "take", "what to take"
    DISCARD = "discard", "what to let go"
    DROP = "drop", "drop or play"


class RatedRow(models.Model):
    """A standing in Glicko-2, on the scale that people read."""

    rating = models.FloatField(default=RATING)
    deviation = models.FloatField(default=DEVIATION)
    volatility = models.FloatField(default=VOLATILITY)
    tries = models.PositiveIntegerField(default=0, help_text="Rated ones.")
    solved = models.PositiveIntegerField(default=0, help_text="Of those.")

    class Meta:
        abstract = True


class Puzzle(RatedRow):
    """A question from a finished deal. `asked`, `solution` and `proof` never change; the rating is its solvers'."""

    key = models.CharField(max_length=32, unique=True, help_text="The digest of what is asked.")
    kind = models.CharField(max_length=7, choices=PuzzleKind)
    book = models.CharField(max_length=40)
    asked = models.JSONField(help_text="What the player of the deal could see, and nothing else.")
    solution = models.CharField(max_length=10)
    proof = models.JSONField(help_text="What the solution rests on: played-on deals, their seed, facts for the reason.")
    from_people = models.BooleanField(default=False, help_text="From a deal of players who share theirs.")
    path_place = models.PositiveSmallIntegerField(null=True, unique=True, help_text="In the path for newcomers.")
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["kind", "rating"], name="puzzles_by_rating")]

    def __str__(self) -> str:
        return f"puzzle {self.pk}: {self.kind}"


class Solver(RatedRow):
    """What is believed of a player's skill at puzzles. The row is locked by whoever judges an answer of theirs."""

    player = models.OneToOneField(settings.AUTH_USER_MODEL, models.PROTECT, related_name="puzzle_solver")

    def __str__(self) -> str:
        return f"player {self.player_id} as a solver: {self.rating:.0f}"


class PuzzleTry(models.Model):
    """One answer of a player. Only the first at a puzzle is rated, and none of a guest or in a run."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="puzzle_tries")
    puzzle = models.ForeignKey(Puzzle, models.PROTECT, related_name="all_tries")
    at = models.DateTimeField(db_default=Now())
    answer = models.CharField(max_length=10)
    solved = models.BooleanField()
    first = models.BooleanField()
    rating = models.IntegerField(null=True, help_text="The player's after it; none where it was not rated.")
    change = models.IntegerField(default=0, help_text="How far that moved.")

    class Meta:
        verbose_name_plural = "puzzle tries"
        constraints = [
            models.UniqueConstraint(fields=["player", "puzzle"], condition=Q(first=True), name="one_first_try_a_puzzle")
        ]
        indexes = [models.Index(fields=["player", "-id"], name="puzzle_tries_of_a_player")]

    def __str__(self) -> str:
        return f"try {self.pk} of player {self.player_id} at puzzle {self.puzzle_id}"


class PuzzleRun(models.Model):
    """As many puzzles as a player solves before `ends_ms`. Times are in ms since 1970 UTC, by the database's clock."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="puzzle_runs")
    started_ms = models.BigIntegerField()
    ends_ms = models.BigIntegerField()
    puzzles = models.JSONField(help_text="Their ids, in the order in which they are asked.")
    place = models.PositiveSmallIntegerField(default=0, help_text="Of the one that is asked now, from 0.")
    solved = models.PositiveSmallIntegerField(default=0)
    wrong = models.PositiveSmallIntegerField(default=0)
    last_ms = models.PositiveIntegerField(default=0, help_text="From the start to the last one solved.")
    over = models.BooleanField(default=False, help_text="Ended before its time: too much wrong, or a new one begun.")

    class Meta:
        indexes = [models.Index(fields=["player", "-solved", "last_ms"], name="best_runs_of_a_player")]

    def __str__(self) -> str:
        return f"run {self.pk} of player {self.player_id}: {self.solved}"

    @property
    def seconds(self) -> str:
        """From the start to the last one solved, in seconds."""
        return f"{self.last_ms / 1000:.1f}"
