"""Money goes out: on hold as soon as the player asks, then paid by two people, or returned. Never both.

Who may no longer play is paid all the same: only that they were verified once is asked (see `identity.unproved`).
"""

from collections.abc import Mapping

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from wallet.audit_log.services import Actor
from wallet.ledger.ledger import check_amount
from wallet.payments import approvals, postings
from wallet.payments.deposits import check_real
from wallet.payments.identity import verification
from wallet.payments.models import Withdrawal
from wallet.payments.providers import registry, vault

Status = Withdrawal.Status


@transaction.atomic
def ask(
    *,
    request: str,
    player: AbstractBaseUser,
    currency: str,
    amount: int,
    gateway: str,
    destination: Mapping[str, str],
) -> Withdrawal:
    """Put `amount` on hold, to be paid to the `destination` (name, account, ifsc); the same `request` holds no more.

    WalletError `invalid_amount`, `play_money_only`, `no_gateway`, `too_many_open`; KeyReused; NotEligible;
    InsufficientBalance. Neither a break from play nor anything else that keeps them from playing keeps them from this.
    """
    check_amount(amount)
    check_real(currency)
    content = {"currency": currency, "amount": amount, "gateway": gateway}
    if earlier := approvals.asked_before(Withdrawal, player, request, content):
        return earlier
    verification.check_proved(player)
    registry.gateway(gateway)
    approvals.check_room(Withdrawal, player)
    destined = vault.encrypt(Withdrawal(player_id=player.pk, request=request), destination)
    sealed = {"destination": destined, "ending": destination["account"][-4:]}
    asked = Withdrawal.objects.create(
        player_id=player.pk, request=request, **content, **sealed, asked_at=timezone.now()
    )
    postings.put_on_hold(asked)
    return asked


@transaction.atomic
def cancel(*, withdrawal: Withdrawal) -> Withdrawal:
    """Return the amount to the player's balance. WalletError `decided` once it is approved or refused."""
    asked = approvals.lock_request(withdrawal)
    if asked.status != Status.CANCELLED:
        approvals.check_open(asked, *Withdrawal.OPEN)
        approvals.close(asked, Status.CANCELLED)
        postings.release_hold(asked)
    return asked


@transaction.atomic
def confirm(withdrawal: Withdrawal, bank_reference: str, actor: Actor) -> None:
    """Note that somebody of finance has prepared the transfer at the bank: see `approvals.confirm`."""
    approvals.confirm(approvals.lock_request(withdrawal), bank_reference, actor)


@transaction.atomic
def approve(withdrawal: Withdrawal, reason: str, actor: Actor) -> None:
    """Pay it out, by the word of a second person: see `approvals.decide`.

    NotEligible for whom nobody has ever verified; `settlement_frozen`.
    """
    asked = approvals.lock_request(withdrawal)
    approvals.check_open(asked, Status.CONFIRMED)
    verification.check_proved(asked.player)
    approvals.decide(asked, Status.PAID, reason, actor)
    postings.pay_out(asked)


@transaction.atomic
def refuse(withdrawal: Withdrawal, reason: str, actor: Actor) -> None:
    """Return the amount to the player's balance. WalletError `decided`."""
    asked = approvals.lock_request(withdrawal)
    approvals.check_open(asked, *Withdrawal.OPEN)
    approvals.decide(asked, Status.REFUSED, reason, actor)
    postings.release_hold(asked)
