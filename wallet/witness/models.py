"""Witnesses, with which the audit compares rows and amounts, and acknowledgements of differences."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Witness(models.Model):
    """A statement of facts at a moment, written once and sealed behind the witness before it. See `statements`."""

    at = models.DateTimeField()
    kind = models.CharField(max_length=60, help_text="`amounts`, or which rows.")
    content = models.JSONField()
    follows = models.CharField(max_length=64, help_text="The seal before it.")
    seal = models.CharField(max_length=64, help_text="HMAC-SHA-256, by a key made of the platform's secret.")

    class Meta:
        verbose_name_plural = "witnesses"
        indexes = [models.Index(fields=["kind", "-id"], name="witness_of_a_kind")]

    def __str__(self) -> str:
        return f"{self.kind}, {self.at:%Y-%m-%d %H:%M}"


class Acknowledgement(models.Model):
    """A request to acknowledge a difference: once a second person agrees, it no longer freezes settlement.

    It covers exactly this difference: anything else that is found, or worded otherwise, is new.
    """

    class Status(models.TextChoices):
        ASKED = "asked", "waits for a second person"
        KNOWN = "known", "acknowledged"
        REFUSED = "refused", "refused"

    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of what was found.")
    check_name = models.CharField("check", max_length=60)
    subject = models.CharField("about", max_length=300)
    message = models.TextField("what was found")
    reason = models.CharField("why it may stand", max_length=500)
    status = models.CharField(max_length=7, choices=Status, default=Status.ASKED)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    decision = models.CharField("why it was decided so", max_length=500, blank=True)

    class Meta:
        verbose_name = "acknowledged difference"
        permissions = [
            ("ask_acknowledgement", "Can ask for a difference to be acknowledged"),
            ("confirm_acknowledgement", "Can acknowledge or refuse what another asked for"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(decided_by=F("asked_by")), name="witness_acknowledged_by_two"),
            models.CheckConstraint(
                condition=Q(status="asked", decided_by=None) | (~Q(status="asked") & Q(decided_by__isnull=False)),
                name="witness_acknowledged_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.check_name}: {self.subject} {self.message}"[:200]
