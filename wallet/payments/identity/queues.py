"""Counts of payments and declarations that wait for staff."""

from django.contrib.auth.models import AbstractBaseUser

from wallet.payments.models import Deposit, Identity, SuspenseItem, Withdrawal


def count_deposits(by: AbstractBaseUser) -> int:
    """Return how many deposits another person has confirmed, and this person may approve."""
    return Deposit.objects.filter(status=Deposit.Status.CONFIRMED).exclude(confirmed_by_id=by.pk).count()


def count_withdrawals(by: AbstractBaseUser) -> int:
    """Return how many withdrawals wait to be confirmed, or were confirmed by another person and wait for approval."""
    mine = {"status": Withdrawal.Status.CONFIRMED, "confirmed_by_id": by.pk}
    return Withdrawal.objects.filter(status__in=Withdrawal.OPEN).exclude(**mine).count()


def count_suspense(by: AbstractBaseUser) -> int:
    """Return how many payments in suspense wait to be confirmed, or were confirmed by another person."""
    mine = {"status": SuspenseItem.Status.CONFIRMED, "confirmed_by_id": by.pk}
    return SuspenseItem.objects.filter(status__in=SuspenseItem.OPEN).exclude(**mine).count()


def waits_for_decision(player: AbstractBaseUser) -> bool:
    """Return whether a deposit or a withdrawal of the player is not decided yet."""
    return any(
        model._default_manager.filter(player_id=player.pk, status__in=model.OPEN).exists()
        for model in (Deposit, Withdrawal)
    )


def count_unverified() -> int:
    """Return how many declarations of players wait for proof."""
    return Identity.objects.filter(verified_at=None).count()
