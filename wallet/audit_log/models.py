"""The audit trail: one row for each act of staff, of a command or of the platform, written once and never changed."""

from django.conf import settings
from django.db import models


class AuditEntry(models.Model):
    """One act: who, when, from where, what, to which object, why, and the object before and after."""

    at = models.DateTimeField("when", db_index=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="acts", help_text="None for a command."
    )
    actor_name = models.CharField("who", max_length=80)
    address = models.GenericIPAddressField("from", null=True)
    action = models.CharField("what", max_length=60, db_index=True)
    target_type = models.CharField(max_length=60, help_text="What sort of object, as app.model.")
    target_id = models.CharField("id", max_length=40)
    target_label = models.CharField("object", max_length=120)
    reason = models.CharField("why", max_length=500, blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    previous_hash = models.CharField(
        max_length=64, default="", db_default="", editable=False, help_text="That of the entry before."
    )
    hash = models.CharField(
        max_length=64,
        default="",
        db_default="",
        editable=False,
        help_text="HMAC-SHA-256 of the entry and of the hash before it, by a key made of the platform's secret.",
    )

    class Meta:
        ordering = ["-id"]
        verbose_name = "entry of the audit trail"
        verbose_name_plural = "audit trail"
        indexes = [models.Index(fields=["target_type", "target_id", "-id"], name="audit_log_of_an_object")]

    def __str__(self) -> str:
        return f"{self.action} {self.target_label}"
