"""Deposits: a player requests one, and it is credited once the money has certainly arrived."""

import secrets

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from wallet.audit_log.services import Actor
from wallet.base import money
from wallet.base.errors import WalletError
from wallet.language import worded
from wallet.ledger.ledger import check_amount
from wallet.payments import approvals, postings
from wallet.payments.identity import eligibility
from wallet.payments.models import Deposit
from wallet.payments.providers import registry
from wallet.responsible_gaming import services as responsible_gaming

Status = Deposit.Status
#: The letters and digits of references, without those that look alike.
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"


@transaction.atomic
def ask(*, request: str, player: AbstractBaseUser, currency: str, amount: int, gateway: str) -> Deposit:
    """Open a deposit of `amount` by that gateway; the same `request` again returns the first one.

    WalletError `invalid_amount`, `below_minimum`, `above_maximum`, `play_money_only`, `no_gateway`, `too_many_open`,
    `locked`; KeyReused; NotEligible; CareRefusal for players who have excluded themselves from play.
    """
    check_amount(amount)
    check_real(currency)
    _check_bounds(currency, amount)
    content = {"currency": currency, "amount": amount, "gateway": gateway}
    if earlier := approvals.asked_before(Deposit, player, request, content):
        return earlier
    responsible_gaming.check_account_open(player)
    eligibility.check(player, currency)
    responsible_gaming.check_play(player.pk)
    registry.gateway(gateway)
    approvals.check_open_requests(Deposit, player)
    return Deposit.objects.create(
        player_id=player.pk, request=request, **content, reference=_reference(), asked_at=timezone.now()
    )


@transaction.atomic
def cancel(*, deposit: Deposit) -> Deposit:
    """Cancel a deposit that the player will not pay. WalletError `decided` once staff have seen the payment."""
    locked = approvals.lock_request(deposit)
    if locked.status != Status.CANCELLED:
        approvals.check_open(locked, Status.ASKED)
        approvals.close(locked, Status.CANCELLED)
    return locked


@transaction.atomic
def confirm(deposit: Deposit, bank_reference: str, actor: Actor) -> None:
    """Record that a person of finance has seen the payment at the bank: see `approvals.confirm`.

    WalletError `not_by_hand`.
    """
    locked = approvals.lock_request(deposit)
    if not registry.by_hand(locked.gateway):
        raise WalletError("not_by_hand", worded("This gateway tells us by itself what was paid."))
    approvals.check_receipt(locked.gateway, locked.currency, approvals.tidy_reference(bank_reference), but=locked)
    approvals.confirm(locked, bank_reference, actor)


@transaction.atomic
def approve(deposit: Deposit, reason: str, actor: Actor) -> None:
    """Credit the deposit to the player's balance, by decision of a second person: see `approvals.decide`.

    NotEligible where the player may not play for money: then the payment must be set aside (see `suspense`).
    """
    locked = approvals.lock_request(deposit)
    approvals.check_open(locked, Status.CONFIRMED)
    eligibility.check(locked.player, locked.currency)
    approvals.decide(locked, Status.DONE, reason, actor)
    postings.pay_in(locked)


@transaction.atomic
def refuse(deposit: Deposit, reason: str, actor: Actor) -> None:
    """Refuse a deposit for which nothing has arrived, and free its receipt for the right one. WalletError `decided`.

    For money that did arrive, see `suspense.set_aside`.
    """
    locked = approvals.lock_request(deposit)
    approvals.check_open(locked, *Deposit.OPEN)
    approvals.decide(locked, Status.REFUSED, reason, actor)


def credit(deposit: Deposit) -> None:
    """Credit a deposit that the gateway itself reports as paid. The caller has the lock and the transaction."""
    approvals.close(deposit, Status.DONE)
    postings.pay_in(deposit)


def check_real(currency: str) -> None:
    """Raise WalletError `play_money_only` for play money: chips are neither bought nor paid out."""
    if not money.currency(currency).real:
        raise WalletError("play_money_only", worded("Fun chips cannot be bought, and are not paid out."))


def _check_bounds(currency: str, amount: int) -> None:
    least, most = settings.MONEY_DEPOSITS["least"], settings.MONEY_DEPOSITS["most"]
    if amount < least:
        raise WalletError(
            "below_minimum", worded("A deposit is {least} or more.", least=money.display(least, currency))
        )
    if amount > most:
        raise WalletError("above_maximum", worded("A deposit is {most} or less.", most=money.display(most, currency)))


def _reference() -> str:
    return "TH" + "".join(secrets.choice(_ALPHABET) for _ in range(8))
