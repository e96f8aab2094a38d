"""The model of deals to study."""

from django.db import models
from django.db.models.functions import Now


class StudyDeal(models.Model):
    """A deal in Rummy Deal Notation that was brought in from a file, each once. It belongs to nobody."""

    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the text.")
    text = models.TextField(help_text="As rules.notation.write has it; it was replayed before it was kept.")
    book = models.CharField(max_length=40, db_index=True)
    players = models.PositiveSmallIntegerField()
    imported_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"study deal {self.pk}"
