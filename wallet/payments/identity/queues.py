"""Payments and declarations that wait for somebody of the staff."""

from django.contrib.auth.models import AbstractBaseUser

from wallet.payments.models import Deposit, Identity, SuspenseItem, Withdrawal


def count_deposits(by: AbstractBaseUser) -> int:
    """Return how many deposits were seen at the bank by another, and wait for this person's approval."""
    return Deposit.objects.filter(status=Deposit.Status.CONFIRMED).exclude(confirmed_by_id=by.pk).count()


def count_withdrawals(by: AbstractBaseUser) -> int:
    """Return how many withdrawals wait to be transferred, or for the approval of this person."""
    mine = {"status": Withdrawal.Status.CONFIRMED, "confirmed_by_id": by.pk}
    return Withdrawal.objects.filter(status__in=Withdrawal.OPEN).exclude(**mine).count()


def count_suspense(by: AbstractBaseUser) -> int:
    """Return how many payments wait in suspense to be sent back."""
    mine = {"status": SuspenseItem.Status.CONFIRMED, "confirmed_by_id": by.pk}
    return SuspenseItem.objects.filter(status__in=SuspenseItem.OPEN).exclude(**mine).count()


def count_unverified() -> int:
    """Return how many declarations of players wait for proof."""
    return Identity.objects.filter(verified_at=None).count()
