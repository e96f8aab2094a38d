"""Models of health: the heartbeat of each part of the platform, and the counts of tasks."""

from django.db import models


class Heartbeat(models.Model):
    """The last sign of life of one part: `beat` sent the sweep, `worker` ended a task, `sweep` checked every table."""

    name = models.CharField(max_length=20, primary_key=True)
    at_ms = models.BigIntegerField(help_text="By the clock of the database, in ms since 1970 UTC.")

    trail_end = models.CharField(
        max_length=160, default="", db_default="", help_text="The last entry of the trail then, signed; of the sweep."
    )

    class Meta:
        verbose_name = verbose_name_plural = "health"

    def __str__(self) -> str:
        return self.name


class TaskCount(models.Model):
    """The counts of one task, of all workers together, since the installation was made."""

    name = models.CharField(max_length=80, primary_key=True)
    done = models.PositiveBigIntegerField(default=0)
    failed = models.PositiveBigIntegerField(default=0)
    busy_ms = models.PositiveBigIntegerField(default=0, help_text="How long they took, all together.")
    late_ms = models.PositiveBigIntegerField(default=0, help_text="How much later than due they began, all together.")
    at_ms = models.BigIntegerField(default=0, help_text="When one last ended, in ms since 1970 UTC.")

    class Meta:
        verbose_name = "task"

    def __str__(self) -> str:
        return f"{self.name}: {self.done} done, {self.failed} failed"
