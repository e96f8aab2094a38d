"""Money comes in: the player asks, and once it is certain to have arrived, their balance has it."""

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
#: Letters and digits that cannot be mistaken for one another.
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"


@transaction.atomic
def ask(*, request: str, player: AbstractBaseUser, currency: str, amount: int, gateway: str) -> Deposit:
    """Let the player pay `amount` in by that gateway; the same `request` again asks nothing more.

    WalletError `invalid_amount`, `below_minimum`, `above_maximum`, `play_money_only`, `no_gateway`, `too_many_open`;
    KeyReused; NotEligible; CareRefusal for who has excluded themselves from play.
    """
    check_amount(amount)
    check_real(currency)
    _check_bounds(currency, amount)
    content = {"currency": currency, "amount": amount, "gateway": gateway}
    if earlier := approvals.asked_before(Deposit, player, request, content):
        return earlier
    eligibility.check(player, currency)
    responsible_gaming.check_play(player.pk)
    registry.gateway(gateway)
    approvals.check_room(Deposit, player)
    return Deposit.objects.create(
        player_id=player.pk, request=request, **content, reference=_reference(), asked_at=timezone.now()
    )


@transaction.atomic
def cancel(*, deposit: Deposit) -> Deposit:
    """Cancel what the player will not pay. WalletError `decided` once staff have seen the payment, or it is over."""
    asked = approvals.lock_request(deposit)
    if asked.status != Status.CANCELLED:
        approvals.check_open(asked, Status.ASKED)
        approvals.close(asked, Status.CANCELLED)
    return asked


@transaction.atomic
def confirm(deposit: Deposit, bank_reference: str, actor: Actor) -> None:
    """Note that somebody of finance has seen the payment at the bank: see `approvals.confirm`.

    WalletError `not_by_hand`.
    """
    asked = approvals.lock_request(deposit)
    if not registry.by_hand(asked.gateway):
        raise WalletError("not_by_hand", worded("This gateway tells us by itself what was paid."))
    approvals.check_receipt(asked.gateway, asked.currency, approvals.tidy_reference(bank_reference), but=asked)
    approvals.confirm(asked, bank_reference, actor)


@transaction.atomic
def approve(deposit: Deposit, reason: str, actor: Actor) -> None:
    """Put the deposit into the player's balance, by the word of a second person: see `approvals.decide`.

    NotEligible: then it is set aside (see `suspense`).
    """
    asked = approvals.lock_request(deposit)
    approvals.check_open(asked, Status.CONFIRMED)
    eligibility.check(asked.player, asked.currency)
    approvals.decide(asked, Status.DONE, reason, actor)
    postings.pay_in(asked)


@transaction.atomic
def refuse(deposit: Deposit, reason: str, actor: Actor) -> None:
    """Refuse the deposit: nothing has arrived for it, and its receipt is free for the right one. WalletError `decided`.

    What has arrived all the same is set aside (see `suspense`).
    """
    asked = approvals.lock_request(deposit)
    approvals.check_open(asked, *Deposit.OPEN)
    approvals.decide(asked, Status.REFUSED, reason, actor)


def credit(deposit: Deposit) -> None:
    """Put into the balance what the gateway itself says was paid. The caller has the lock and the transaction."""
    approvals.close(deposit, Status.DONE)
    postings.pay_in(deposit)


def check_real(currency: str) -> None:
    """Raise WalletError `play_money_only`: chips are neither bought nor paid out."""
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
