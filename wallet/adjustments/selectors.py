"""Adjustments that wait for a second person."""

from django.contrib.auth.models import AbstractBaseUser

from wallet.models import Adjustment


def count_waiting(by: AbstractBaseUser) -> int:
    """Count the waiting adjustments that this person may decide: those requested by others."""
    return Adjustment.objects.filter(status=Adjustment.Status.ASKED).exclude(asked_by_id=by.pk).count()
