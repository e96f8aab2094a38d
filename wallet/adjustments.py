"""Manual changes of balances: only through the ledger, always with a reason, and by two people where it matters.

A second person is needed for the requester's own account and all accounts of staff, above the daily limits for one
player and for one requester, and where a requester takes from one player and gives to another within a day.
"""

from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet, Sum
from django.db.models.functions import Abs
from django.utils import timezone

from wallet.audit_log.services import Actor
from wallet.backoffice import requests
from wallet.base import money
from wallet.base.errors import WalletError
from wallet.base.retry import retried
from wallet.base.texts import visible
from wallet.ledger.accounts import ISSUANCE, balance_name, open_account
from wallet.ledger.amounts import ensure_recorded
from wallet.ledger.ledger import Line, check_amount, post
from wallet.ledger.selectors import spendable
from wallet.models import Account, Adjustment, Reason

DAY = timedelta(days=1)


def limit(currency: str) -> int:
    """Return the daily limit per player without a second person, in smallest units; 0 if unset."""
    limits: dict[str, int] = settings.ADJUSTMENT_LIMIT
    return limits.get(currency, 0)


def why_second_person(*, player: AbstractBaseUser, currency: str, amount: int, by: AbstractBaseUser) -> str:
    """Return, as a sentence, why this adjustment needs a second person; empty where it needs none."""
    day_limit: int = settings.ADJUSTMENT_DAY_LIMIT.get(currency, 0)
    lately = _posted_alone(currency)
    own = lately.filter(asked_by_id=by.pk)
    opposite = own.exclude(player_id=player.pk).filter(**{"amount__lt" if amount > 0 else "amount__gt": 0})
    if player.pk == by.pk:
        return "This is your own account."
    if getattr(player, "is_staff", False) or getattr(player, "is_superuser", False):
        return "This is an account of the staff."
    if abs(amount) + _sum(lately.filter(player_id=player.pk)) > limit(currency):
        return f"This comes to more than {money.display(limit(currency), currency)} for one player within a day."
    if abs(amount) + _sum(own) > day_limit:
        return f"This comes to more than {money.display(day_limit, currency)} by one person within a day."
    return "Within a day you gave to one player and took from another." if opposite.exists() else ""


@retried
@transaction.atomic
def ask(
    *, request_id: str, player: AbstractBaseUser, currency: str, amount: int, reason: str, actor: Actor
) -> Adjustment:
    """Request the adjustment, and post it at once if it needs no second person; see `why_second_person`.

    A repeated `request_id` changes nothing and returns the first adjustment. The player reads the reason.
    WalletError `invalid_amount`, `unknown_currency`, `no_reason`, `no_person`, `closed`; `key_reused` where the
    `request_id` was sent before for something else. InsufficientBalance where a balance would fall below zero.
    """
    money.currency(currency)
    check_amount(abs(amount))
    if not visible(reason):
        raise WalletError("no_reason", "An adjustment needs a reason.")
    asker = requests.person(actor)
    # Requests of one person run one after the other, so the sum of their day is right.
    get_user_model()._default_manager.select_for_update(no_key=True).get(pk=asker.pk)
    account = _lock_account(player, currency)
    second = why_second_person(player=player, currency=currency, amount=amount, by=asker)
    _check_open_account(player)
    fields = {"player_id": player.pk, "currency": currency, "amount": amount, "reason": reason.strip()[:500]}
    adjustment, created = Adjustment.objects.get_or_create(
        request_id=request_id, defaults={**fields, "asked_by_id": asker.pk}
    )
    if created:
        if not second:
            ensure_recorded()
        requests.ask(adjustment, actor, second=second, grant=_post, balance=account.balance)
    elif (adjustment.asked_by_id, {name: getattr(adjustment, name) for name in fields}) != (asker.pk, fields):
        raise WalletError("key_reused", "This form was sent before, and asked for something else. Open it anew.")
    return adjustment


@retried
def grant(row: Adjustment, reason: str, actor: Actor) -> Adjustment:
    """Post the adjustment. WalletError as `requests.decide`, `closed`; InsufficientBalance."""
    return requests.decide(row, Adjustment.Status.GRANTED, reason, actor, _post)


@retried
def refuse(row: Adjustment, reason: str, actor: Actor) -> Adjustment:
    """Refuse to post the adjustment. WalletError as `requests.decide`."""
    return requests.decide(row, Adjustment.Status.REFUSED, reason, actor, lambda _: {})


def why_impossible(player: AbstractBaseUser, currency: str, amount: int) -> str:
    """Return why nobody could post the adjustment now; empty where it could be posted."""
    balance = spendable(player.pk, currency)
    if balance + amount >= 0:
        return ""
    has, amount_taken = money.display(balance, currency), money.display(-amount, currency)
    return f"{player.get_username()} has {has}: {amount_taken} cannot be taken."


def what_follows(player: AbstractBaseUser, currency: str, amount: int, by: AbstractBaseUser) -> tuple[str, str]:
    """Return the outcome of the adjustment, as a state (`balance`, `refused`, `waits`, `posted`) and in words."""
    balance = spendable(player.pk, currency)
    name = f"{player.get_username()} (number {player.pk})"
    if not amount:
        return "balance", f"{name} has {money.display(balance, currency)}."
    if refused := why_impossible(player, currency, amount):
        return "refused", refused
    change = f"{name}: {money.display(balance, currency)} → {money.display(balance + amount, currency)}."
    if why := why_second_person(player=player, currency=currency, amount=amount, by=by):
        return "waits", f"{change} It waits for a second person. {why}"
    return "posted", f"{change} It is posted at once."


def count_waiting(by: AbstractBaseUser) -> int:
    """Count the waiting adjustments that this person may decide."""
    return requests.undecided(by, Adjustment.objects.all()).count()


def reasons(keys: Collection[str]) -> dict[str, str]:
    """Return the reasons that staff gave, by posting key, for those of the keys that belong to adjustments."""
    return dict(
        Adjustment.objects.filter(posting_key__in=[key for key in keys if key]).values_list("posting_key", "reason")
    )


def _posted_alone(currency: str) -> QuerySet[Adjustment]:
    """Return the adjustments of the last day that were posted without a second person."""
    since, granted = timezone.now() - DAY, Adjustment.Status.GRANTED
    return Adjustment.objects.filter(currency=currency, status=granted, decided_by=None, asked_at__gte=since)


def _sum(adjustments: QuerySet[Adjustment]) -> int:
    """Sum the absolute amounts."""
    return int(adjustments.aggregate(total=Sum(Abs("amount")))["total"] or 0)


def _post(adjustment: Adjustment) -> dict[str, Any]:
    """Post the adjustment; return its key, and the balance before and after."""
    account = _lock_account(adjustment.player, adjustment.currency)
    _check_open_account(adjustment.player)
    house = open_account(ISSUANCE, adjustment.currency)
    debit, credit = (house, account) if adjustment.amount > 0 else (account, house)
    line = Line(debit, credit, abs(adjustment.amount))
    adjustment.posting_key = post(key=f"adjust:{adjustment.pk}", lines=[line], reason=Reason.ADJUST).key
    before = account.balance
    account.refresh_from_db()
    return {"posting_key": adjustment.posting_key, "balance_before": before, "balance": account.balance}


def _check_open_account(player: AbstractBaseUser) -> None:
    """Raise WalletError `closed` where the account is closed."""
    fresh = get_user_model()._default_manager.get(pk=player.pk)
    if getattr(fresh, "closed_at", None) is not None:
        raise WalletError("closed", "This account is closed: its chips were forfeited.")


def _lock_account(player: AbstractBaseUser, currency: str) -> Account:
    """Lock and return the player's account, so nobody changes its balance or uses up its limit meanwhile."""
    account = open_account(balance_name(player.pk, currency), currency)
    return Account.objects.select_for_update(of=("self",), no_key=True).get(pk=account.pk)
