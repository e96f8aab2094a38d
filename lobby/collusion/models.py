"""Playing together: sums of pairs of players, and the cases that staff look at. Nothing here acts on anybody."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class PairSums(models.Model):
    """What was counted of a player toward another in a month; without another, in all of their deals.

    The names in `sums` are those of `rules.collusion.sums`. `wins` and `deals_that_tell` stand in the row of the player
    with the lower number.
    """

    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="pair_sums")
    other = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="pair_sums_of_others")
    month = models.DateField(help_text="Its first day, in the zone of reports.")
    deals = models.PositiveIntegerField(default=0)
    sums = models.JSONField(default=dict)
    wins = models.JSONField(null=True, help_text="Who of the two won, one after the other.")
    deals_that_tell = models.JSONField(default=list, help_text="The deals with most to be seen: how much, and which.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["player", "other", "month"], condition=Q(other__isnull=False), name="sums_of_a_pair_once"
            ),
            models.UniqueConstraint(fields=["player", "month"], condition=Q(other=None), name="sums_of_a_player_once"),
        ]
        indexes = [models.Index(fields=["month", "deals"], name="sums_by_month")]

    def __str__(self) -> str:
        return f"player {self.player_id} toward {self.other_id}, {self.month:%Y-%m}"


class Case(models.Model):
    """Two players whose play together is above the line, for staff to look at. It does nothing by itself."""

    class State(models.TextChoices):
        OPEN = "open", "open"
        WATCHING = "watching", "being watched"
        CLEARED = "cleared", "cleared"
        ACTED = "acted", "acted on"

    one = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="cases_as_one")
    other = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="cases_as_other")
    state = models.CharField(max_length=8, choices=State, default=State.OPEN, db_index=True)
    evidence = models.FloatField(help_text="How many zeros the chance has that this is honest play; see its page.")
    deals = models.PositiveIntegerField("common deals")
    signals = models.JSONField(default=list)
    circumstances = models.JSONField(default=list)
    deals_that_tell = models.JSONField(default=list)
    raised_at = models.DateTimeField("raised", auto_now_add=True)
    counted_at = models.DateTimeField("last counted")
    handled_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    handled_at = models.DateTimeField("decided", null=True)

    class Meta:
        permissions = [("handle_case", "Can write notes on a case and decide it")]
        constraints = [
            models.UniqueConstraint(fields=["one", "other"], name="one_case_a_pair"),
            models.CheckConstraint(condition=Q(one__lt=F("other")), name="a_case_in_one_order"),
        ]

    def __str__(self) -> str:
        return f"case {self.pk}: {self.one} and {self.other}"


class CountedUntil(models.Model):
    """Up to which deal all are counted, in one row, which is locked by whoever counts."""

    moment = models.DateTimeField(null=True)
    deal = models.BigIntegerField(default=0)
    pairs = models.PositiveIntegerField(default=0, help_text="Pairs with enough common deals, at the last look.")
    figures = models.JSONField(default=dict, help_text="How the signals of the pairs judged then lie.")
    judged = models.JSONField(
        default=list, db_default=[], help_text="The pair up to which the last night came; none where it judged all."
    )

    def __str__(self) -> str:
        return f"counted until {self.moment}"
