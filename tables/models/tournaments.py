"""Models of tournaments: what is offered again and again, one tournament, its rounds, and who is in it.

All moments are in ms since 1970 UTC by the database clock. Its tables and seatings are those of play, and name it.
"""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q


class TournamentKind(models.TextChoices):
    KNOCKOUT = "knockout", "knock-out"
    ARENA = "arena", "arena"


class PublishedRules(models.Model):
    """What is published before anybody enters. Amounts are in the smallest unit of fun chips."""

    title = models.CharField(max_length=60)
    kind = models.CharField(max_length=8, choices=TournamentKind)
    book = models.CharField("rule book", max_length=40)
    seats = models.PositiveSmallIntegerField(default=6, validators=[MinValueValidator(2), MaxValueValidator(6)])
    deals = models.PositiveSmallIntegerField(
        default=3, validators=[MinValueValidator(1), MaxValueValidator(10)], help_text="Of a round; an arena has none."
    )
    go_on = models.PositiveSmallIntegerField(
        default=2, validators=[MinValueValidator(1), MaxValueValidator(3)], help_text="So many of a table go on."
    )
    minutes = models.PositiveSmallIntegerField(
        default=20, validators=[MinValueValidator(1), MaxValueValidator(600)], help_text="Of an arena."
    )
    least_deals = models.PositiveSmallIntegerField(
        default=3, help_text="With fewer finished deals nobody has a place in an arena."
    )
    entry = models.PositiveBigIntegerField(default=0, help_text="0: free.")
    fee_percent = models.PositiveSmallIntegerField(default=0, validators=[MaxValueValidator(50)])
    least = models.PositiveIntegerField(default=2, validators=[MinValueValidator(2)])
    most = models.PositiveIntegerField(default=6, validators=[MinValueValidator(2), MaxValueValidator(5000)])
    prizes = models.JSONField(
        default=list, blank=True, help_text="The shares in percent by place, 100 in all; none: no prizes."
    )
    computers_after = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Seconds after the first entry at which computer players take what is free."
    )

    class Meta:
        abstract = True


class Template(PublishedRules):
    """A tournament that is offered again and again: made by staff, and on a new installation."""

    class Schedule(models.TextChoices):
        ALWAYS = "always", "starts when full, and the next one opens"
        HALF_HOURLY = "half_hourly", "every half hour"
        WEEKLY = "weekly", "at a time on days of the week"

    schedule = models.CharField(max_length=11, choices=Schedule, default=Schedule.ALWAYS)
    weekdays = models.CharField(max_length=7, default="0123456", help_text="Monday is 0.")
    at = models.TimeField(null=True, blank=True, help_text="In the report zone.")
    active = models.BooleanField(default=True)

    def __str__(self) -> str:
        return self.title


class Tournament(PublishedRules):
    """One tournament. `next_ms` is the stored moment at which its next step is due, whoever notices it."""

    class Status(models.TextChoices):
        ANNOUNCED = "announced"
        OPEN = "open"
        RUNNING = "running"
        OVER = "over"
        CANCELLED = "cancelled"

    template = models.ForeignKey(Template, models.PROTECT, null=True, blank=True, related_name="tournaments")
    number = models.PositiveIntegerField(default=1, help_text="Counts those of the template.")
    book_version = models.PositiveIntegerField(default=1)
    status = models.CharField(max_length=9, choices=Status, default=Status.ANNOUNCED)
    opens_ms = models.BigIntegerField(help_text="From here on one may enter.")
    starts_ms = models.BigIntegerField(null=True, help_text="None before it has begun: it begins when it is full.")
    ends_ms = models.BigIntegerField(null=True, help_text="Of an arena: from here on no deal begins.")
    next_ms = models.BigIntegerField(null=True, help_text="When its next step is due; none: it waits for something.")
    paused_ms = models.BigIntegerField(null=True, help_text="Since when staff have it paused.")
    last_outage = models.BigIntegerField(default=0, help_text="The last outage for which its moments were put off.")
    round = models.PositiveSmallIntegerField(default=0, help_text="The round that is played; 0 before the first.")
    rounds = models.PositiveSmallIntegerField(default=0, help_text="How many it has, known from its start on.")
    entered = models.PositiveIntegerField(default=0, help_text="How many are in it, or were until it was over.")
    fee = models.PositiveBigIntegerField(default=0, help_text="What the house took of the pot, with the prizes.")
    reason = models.CharField(max_length=200, blank=True, help_text="Why it was cancelled.")
    over_ms = models.BigIntegerField(null=True, help_text="When it was over or cancelled.")

    class Meta:
        permissions = [("run_tournament", "Can pause, resume and cancel a tournament, and remove a player")]
        constraints = [
            models.UniqueConstraint(fields=["template", "number"], name="tournaments_of_a_template_are_numbered")
        ]
        indexes = [
            models.Index(fields=["next_ms"], name="tournament_due", condition=Q(over_ms=None)),
            models.Index(fields=["status", "starts_ms"], name="tournament_by_status"),
            models.Index(fields=["over_ms"], name="tournaments_as_they_ended", condition=Q(status="over")),
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.pk})"


class Round(models.Model):
    """One round of a knock-out, and the draw of its seats. The seed stays sealed until they are drawn.

    All rounds that may be needed are there when entry opens, with their commitments.
    """

    tournament = models.ForeignKey(Tournament, models.PROTECT, related_name="drawn_rounds")
    number = models.PositiveSmallIntegerField()
    commitment = models.CharField(max_length=64, help_text="SHA-256, published before anybody may enter.")
    sealed_seed = models.BinaryField()
    entrants = models.JSONField(default=list, help_text="The ids of the entrants, in the order of entry.")
    tables = models.PositiveIntegerField(default=0)
    began_ms = models.BigIntegerField(null=True)
    ended_ms = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="rounds_of_a_tournament_are_numbered")
        ]

    def __str__(self) -> str:
        return f"round {self.number} of tournament {self.tournament_id}"


class Entrant(models.Model):
    """Somebody in a tournament: a player, or a computer player. Chips and counts are those of their last round.

    Each deal counts in the transaction in which it ends.
    """

    class Status(models.TextChoices):
        IN = "in"
        OUT = "out"
        LEFT = "left"
        REMOVED = "removed", "removed by staff"
        WITHDRAWN = "withdrawn", "withdrawn before the start"

    tournament = models.ForeignKey(Tournament, models.PROTECT, related_name="entrants")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="tournament_entrants")
    name = models.CharField(max_length=40)
    status = models.CharField(max_length=9, choices=Status, default=Status.IN)
    entered_at = models.DateTimeField(auto_now_add=True)
    table_id = models.BigIntegerField(null=True, db_index=True, help_text="Where they play, or played last.")
    round = models.PositiveSmallIntegerField(default=0, help_text="The last round in which they had a seat.")
    chips = models.BigIntegerField(default=0, help_text="Of an arena also below 0.")
    deals = models.PositiveIntegerField(default=0, help_text="Finished ones.")
    deals_won = models.PositiveIntegerField(default=0)
    points_lost = models.PositiveIntegerField(default=0)
    automatic = models.PositiveSmallIntegerField(
        default=0, help_text="So many turns in a row were played for them; from three on they are dropped at each deal."
    )
    refilled = models.BooleanField(default=False, help_text="Of an arena: once, at 0 or below.")
    waits_ms = models.BigIntegerField(
        null=True, help_text="Of an arena: since when they are free to be paired; none: they play, or are away."
    )
    met = models.JSONField(default=list, help_text="Of an arena: the entrants at their last table.")
    changed_ms = models.BigIntegerField(
        default=0, db_default=0, help_text="When their standing, or whether they are there, changed last in a round."
    )
    place = models.PositiveIntegerField(null=True)
    prize = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tournament", "user"], condition=~Q(status="withdrawn"), name="one_entry_a_tournament"
            )
        ]
        indexes = [
            models.Index(
                fields=["tournament", "-round", "-chips", "-deals_won", "points_lost", "id"], name="entrant_standings"
            ),
            models.Index(fields=["tournament", "changed_ms"], name="entrant_changes"),
            models.Index(fields=["tournament", "waits_ms"], name="entrant_waits", condition=Q(waits_ms__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.name} in tournament {self.tournament_id}"

    @property
    def is_computer(self) -> bool:
        return self.user_id is None
