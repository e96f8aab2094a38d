"""Sums of finished deals by day: every row follows from them, and `manage.py fairness --check` reckons them again."""

from django.db import models

from rules.expectations.tallies import ALL_SEATS


class FairnessSum(models.Model):
    """What the deals of a day in the report zone gave to people, or to computer players, in one seat or in all.

    The columns after `hands` are those of `rules.expectations.tallies`.
    """

    day = models.DateField()
    book = models.CharField(max_length=40)
    players = models.PositiveSmallIntegerField(help_text="Dealt in.")
    holders = models.CharField(max_length=9, help_text="Whose hands; void: only counts deals without a result.")
    seat = models.SmallIntegerField(help_text=f"{ALL_SEATS}: all seats of a deal together.")
    hands = models.PositiveSmallIntegerField(help_text="Held by them in each deal.")
    deals = models.PositiveBigIntegerField(default=0)
    tosses = models.PositiveBigIntegerField(default=0)
    tosses_won = models.PositiveBigIntegerField(default=0)
    firsts = models.PositiveBigIntegerField(default=0, help_text="Deals in which they had the first turn.")
    first_wins = models.PositiveBigIntegerField(default=0, help_text="Of these, deals that they won.")
    wins = models.PositiveBigIntegerField(default=0)
    printed = models.PositiveBigIntegerField(default=0, help_text="Printed jokers in first hands.")
    wild = models.PositiveBigIntegerField(default=0, help_text="Cards of the wild rank in first hands.")
    points = models.PositiveBigIntegerField(default=0, help_text="Of all cards in first hands.")
    pure = models.PositiveBigIntegerField(default=0, help_text="First hands with a run of three of a suit.")
    faces = models.JSONField(default=dict, help_text="Cards in first hands by face; for all seats together only.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["day", "book", "players", "holders", "seat", "hands"], name="fairness_is_summed_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.deals} deals of {self.book} on {self.day}"


class SummedUntil(models.Model):
    """Until when the deals of all matches that ended are in the sums, in one row, locked by whoever adds to them."""

    moment = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"summed until {self.moment}"
