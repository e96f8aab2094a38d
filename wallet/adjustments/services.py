"""Balances changed by hand: only through the ledger, above a limit only by two people, never without a reason."""

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Sum
from django.db.models.functions import Abs
from django.utils import timezone

from wallet.audit_log.services import Actor, record
from wallet.base import money
from wallet.base.errors import InsufficientBalance, WalletError
from wallet.base.retry import retried
from wallet.ledger.ledger import Line, check_amount, post
from wallet.models import MAY_BE_NEGATIVE, Account, AccountKind, Adjustment, Reason

DAY = timedelta(days=1)


def limit(currency: str) -> int:
    """Return the most that needs no second person, in smallest units; 0 for a currency without a limit of its own."""
    limits: dict[str, int] = settings.ADJUSTMENT_LIMIT
    return limits.get(currency, 0)


@retried
@transaction.atomic
def ask(*, request: str, player: AbstractBaseUser, currency: str, amount: int, reason: str, actor: Actor) -> Adjustment:
    """Ask for the adjustment, and post it at once within the limit; the same `request` again asks nothing more.

    What the same player had adjusted in the last day without a second person counts towards the limit.
    WalletError `invalid_amount`, `unknown_currency`, `no_reason`, `no_person`; InsufficientBalance where a
    balance would fall below zero.
    """
    money.currency(currency)
    check_amount(abs(amount))
    if not reason.strip():
        raise WalletError("no_reason", "An adjustment needs a reason.")
    if actor.user is None:
        raise WalletError("no_person", "An adjustment is asked for by a person.")
    account = _lock_account(player, currency)
    fields = {"player_id": player.pk, "currency": currency, "amount": amount, "reason": reason.strip()[:500]}
    asked, created = Adjustment.objects.get_or_create(
        request=request, defaults={**fields, "asked_by_id": actor.user.pk}
    )
    if not created:
        return asked
    record(actor, "adjustment.ask", asked, reason=reason, after={**fields, "balance": account.balance})
    if _alone(asked) <= limit(currency):
        _post(asked, account, reason, actor)
    return asked


@retried
@transaction.atomic
def approve(*, adjustment: Adjustment, reason: str, actor: Actor) -> Adjustment:
    """Post the adjustment, once, by somebody other than who asked for it.

    WalletError `own_adjustment`; `decided` where it was refused. InsufficientBalance.
    """
    asked = _lock_adjustment(adjustment, actor)
    if asked.status == Adjustment.Status.POSTED:
        return asked
    _check_open(asked)
    _decide(asked, reason, actor)
    _post(asked, _lock_account(asked.player, asked.currency), reason, actor)
    return asked


@retried
@transaction.atomic
def refuse(*, adjustment: Adjustment, reason: str, actor: Actor) -> Adjustment:
    """Refuse to post the adjustment. WalletError `own_adjustment`; `decided` where it was posted."""
    asked = _lock_adjustment(adjustment, actor)
    if asked.status == Adjustment.Status.REFUSED:
        return asked
    _check_open(asked)
    _decide(asked, reason, actor)
    asked.status = Adjustment.Status.REFUSED
    asked.save()
    record(actor, "adjustment.refuse", asked, reason=reason, before={"status": "asked"}, after={"status": "refused"})
    return asked


def _alone(asked: Adjustment) -> int:
    """Sum this one and what one person alone adjusted for the player in the last day, all signs taken away."""
    since = timezone.now() - DAY
    lately = Adjustment.objects.filter(
        player_id=asked.player_id, currency=asked.currency, status=Adjustment.Status.POSTED, decided_by=None,
        asked_at__gte=since,
    )  # fmt: skip
    return abs(asked.amount) + (lately.aggregate(total=Sum(Abs("amount")))["total"] or 0)


def _post(asked: Adjustment, account: Account, reason: str, actor: Actor) -> None:
    before = account.balance
    key = f"adjust:{asked.pk}"
    lines = _given(asked, account) if asked.amount > 0 else [Line(account, _house(asked.currency), -asked.amount)]
    asked.key = post(key=key, lines=lines, reason=Reason.ADJUST).key
    asked.status = Adjustment.Status.POSTED
    asked.save()
    account.refresh_from_db()
    record(
        actor, "adjustment.post", asked, reason=reason,
        before={"balance": before}, after={"balance": account.balance, "key": asked.key},
    )  # fmt: skip


def _decide(asked: Adjustment, reason: str, actor: Actor) -> None:
    asked.decided_by_id = actor.user.pk if actor.user else None
    asked.decided_at, asked.decision = timezone.now(), reason[:500]


def _lock_adjustment(adjustment: Adjustment, actor: Actor) -> Adjustment:
    """Return the adjustment under its lock, if this person may decide it."""
    asked = Adjustment.objects.select_for_update(of=("self",)).select_related("player").get(pk=adjustment.pk)
    if actor.user is None:
        raise WalletError("no_person", "An adjustment is decided by a person.")
    if asked.asked_by_id == actor.user.pk:
        raise WalletError("own_adjustment", "You asked for this yourself: somebody else decides it.")
    return asked


def _check_open(asked: Adjustment) -> None:
    if asked.status != Adjustment.Status.ASKED:
        raise WalletError("decided", f"This is {asked.get_status_display()} already.")


def _lock_account(player: AbstractBaseUser, currency: str) -> Account:
    """Return the player's account under its lock: limit and balances are read before anybody else changes them."""
    account, _ = Account.objects.get_or_create(
        kind=AccountKind.PLAYER, reference=f"user:{player.pk}", currency=currency, defaults={"owner_id": player.pk}
    )
    return Account.objects.select_for_update(of=("self",), no_key=True).get(pk=account.pk)


def _given(asked: Adjustment, account: Account) -> list[Line]:
    """Return what gives it: out of as few of the house's sub-accounts as hold enough, where they must hold it."""
    house = _house(asked.currency)
    if house.kind in MAY_BE_NEGATIVE:
        return [Line(house, account, asked.amount)]
    locked = Account.objects.filter(kind=house.kind, currency=asked.currency).order_by("pk")
    lines, missing = [], asked.amount
    for part in sorted(locked.select_for_update(no_key=True), key=lambda part: -part.balance):
        if amount := min(part.balance, missing):
            lines.append(Line(part, account, amount))
            missing -= amount
    if missing:
        raise InsufficientBalance
    return lines


def _house(currency: str) -> Account:
    """Chips are made and unmade; real money is given out of what the house has earned, and goes back there."""
    kind = AccountKind.FEES if money.currency(currency).real else AccountKind.ISSUANCE
    account, _ = Account.objects.get_or_create(kind=kind, reference="house", currency=currency)
    return account
