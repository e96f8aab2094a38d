"""When each moving part was last seen at work."""

from django.db import models


class Heartbeat(models.Model):
    """One part: `beat` sends the sweep, `worker` ends tasks, `sweep` has looked at every table."""

    name = models.CharField(max_length=20, primary_key=True)
    at_ms = models.BigIntegerField(help_text="By the clock of the database, in ms since 1970 UTC.")

    class Meta:
        verbose_name = verbose_name_plural = "health"

    def __str__(self) -> str:
        return self.name


class TaskCount(models.Model):
    """What all workers together have done of one task, since the beginning of the installation."""

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
