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
