"""Adjustments that wait for a second person."""

from django.contrib.auth.models import AbstractBaseUser

from wallet.models import Adjustment


def count_waiting(by: AbstractBaseUser) -> int:
    """Return how many adjustments this person may decide: those that wait, and that somebody else asked for."""
    return Adjustment.objects.filter(status=Adjustment.Status.ASKED).exclude(asked_by_id=by.pk).count()
