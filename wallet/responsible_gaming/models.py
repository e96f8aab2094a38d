"""A player's own settings: limits on entries and on time, exclusions, reminders. Written by `services` only."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from wallet.language import gettext_lazy


class LimitKind(models.TextChoices):
    """What a limit restricts."""

    ENTRIES = "entries", gettext_lazy("Put into play")
    TIME = "time", gettext_lazy("Time played")


class LimitPeriod(models.TextChoices):
    """The days over which a limit counts, in the report zone. A week begins on Monday."""

    DAY = "day", gettext_lazy("a day")
    WEEK = "week", gettext_lazy("a week")
    MONTH = "month", gettext_lazy("a month")


class PlayerSettings(models.Model):
    """A row for each player, created when first needed; its lock makes entries into play run one by one."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.PROTECT, primary_key=True, related_name="play_settings"
    )
    reminder_minutes = models.PositiveSmallIntegerField(null=True, help_text="None: as the settings say.")
    reminded_at = models.DateTimeField(null=True, help_text="When the last reminder was acknowledged.")

    def __str__(self) -> str:
        return f"play settings of {self.user_id}"


class Limit(models.Model):
    """A limit: `amount` until `pending_at`, from then on `pending_amount`; either may be None for no limit.

    Amounts are in smallest units of the currency, for time in minutes.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="limits")
    kind = models.CharField(max_length=7, choices=LimitKind)
    currency = models.CharField(max_length=10, blank=True, help_text="Empty for time.")
    period = models.CharField(max_length=5, choices=LimitPeriod)
    amount = models.BigIntegerField(null=True)
    pending_amount = models.BigIntegerField(null=True)
    pending_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "kind", "currency", "period"], name="one_limit_each"),
            models.CheckConstraint(
                condition=(Q(amount__isnull=True) | Q(amount__gte=0))
                & (Q(pending_amount__isnull=True) | Q(pending_amount__gte=0)),
                name="limit_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(kind=LimitKind.TIME, currency="") | (Q(kind=LimitKind.ENTRIES) & ~Q(currency="")),
                name="limit_currency",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.currency} {self.period}: {self.amount}"


class Exclusion(models.Model):
    """An exclusion: no seat from `since` to `until` (None: for good), or to `lifted_at` if that is earlier."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="exclusions")
    since = models.DateTimeField()
    until = models.DateTimeField(null=True)
    by_staff = models.BooleanField(default=False)
    lifted_at = models.DateTimeField(null=True, help_text="From when on it no longer holds; only what staff set.")

    class Meta:
        indexes = [models.Index(fields=["user", "-id"], name="exclusions_of_a_player")]
        constraints = [
            models.CheckConstraint(
                condition=Q(until__isnull=True) | Q(until__gt=models.F("since")), name="exclusion_ends_later"
            ),
            models.CheckConstraint(condition=Q(by_staff=True) | Q(lifted_at__isnull=True), name="own_exclusion_stands"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} until {self.until or 'ever'}"


class SettingsChange(models.Model):
    """One change of a player's settings. It is stored for good and never changed."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="settings_changes")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", help_text="None for a command."
    )
    at = models.DateTimeField()
    text = models.CharField(max_length=200, help_text="In the words that the player reads.")

    class Meta:
        indexes = [models.Index(fields=["user", "-id"], name="settings_changes_of_a_player")]

    def __str__(self) -> str:
        return self.text
