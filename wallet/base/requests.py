"""A request that takes two people, as a row: one asks, another grants or refuses it."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class TwoPersonRequest(models.Model):
    """What somebody asks for and another decides, each with a reason. Written by `wallet.backoffice.requests` alone.

    `decided_by` is None while it waits, and where nobody else needed to decide.
    """

    class Status(models.TextChoices):
        ASKED = "asked", "waits for a second person"
        GRANTED = "granted", "granted"
        REFUSED = "refused", "refused"

    #: What it is called in the trail, and by the audit.
    NAME: ClassVar[str]
    #: The columns that say what is asked for.
    FACTS: ClassVar[tuple[str, ...]]

    reason = models.CharField(max_length=500)
    status = models.CharField(max_length=7, choices=Status, default=Status.ASKED)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(auto_now_add=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    decision_reason = models.CharField("why it was decided so", max_length=500, blank=True)

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(condition=~Q(decided_by=F("asked_by")), name="%(app_label)s_%(class)s_two_people"),
            models.CheckConstraint(
                condition=Q(status="asked", decided_by=None)
                | Q(status="granted")
                | Q(status="refused", decided_by__isnull=False),
                name="%(app_label)s_%(class)s_decided",
            ),
        ]
