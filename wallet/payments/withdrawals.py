"""Withdrawals: on hold from the request on, then either paid out by two people or returned, never both.

Players who may no longer play are still paid, if they were ever verified (see `identity.verification`).
"""

from collections.abc import Mapping

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from wallet.audit_log.services import Actor, record
from wallet.base.errors import KeyReused, WalletError
from wallet.ledger.ledger import check_amount
from wallet.payments import approvals, postings
from wallet.payments.deposits import check_real
from wallet.payments.identity import verification
from wallet.payments.models import CURRENCY, Withdrawal
from wallet.payments.providers import registry, vault
from wallet.payments.providers.bank import Bank
from wallet.responsible_gaming import limits

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
    asked_by: AbstractBaseUser | None = None,
) -> Withdrawal:
    """Put `amount` on hold, for payment to the `destination` (name, account, ifsc), once for the same `request`.

    `asked_by` is a member of staff who asks for a player who cannot. WalletError `invalid_amount`, `play_money_only`,
    `no_gateway`, `too_many_open`; KeyReused, also for another destination; NotEligible; InsufficientBalance. Players
    may withdraw during a break from play, when they may not play, and with real money switched off.
    """
    check_amount(amount)
    check_real(currency)
    content = {"currency": currency, "amount": amount, "gateway": gateway}
    if earlier := approvals.asked_before(Withdrawal, player, request, content):
        if vault.unseal(earlier) != dict(destination):
            raise KeyReused(request)
        return earlier
    verification.check_proved(player)
    registry.payout_gateway(gateway)
    approvals.check_open_requests(Withdrawal, player)
    destined = vault.encrypt(Withdrawal(player_id=player.pk, request=request), destination)
    sealed = {"destination": destined, "ending": destination["account"][-4:]}
    withdrawal = Withdrawal.objects.create(
        player_id=player.pk,
        request=request,
        **content,
        **sealed,
        asked_at=timezone.now(),
        asked_by_id=asked_by.pk if asked_by else None,
    )
    postings.put_on_hold(withdrawal)
    return withdrawal


@transaction.atomic
def ask_for(
    *, request: str, player: AbstractBaseUser, amount: int, destination: Mapping[str, str], reason: str, actor: Actor
) -> Withdrawal:
    """Request a withdrawal for a player who is locked out or takes a break; it is confirmed and approved as usual.

    The person who requests it cannot decide it. WalletError `no_person`, `own_money`; `can_ask` for players who can do
    it themselves; otherwise as `ask`.
    """
    if actor.user is None:
        raise WalletError("no_person", "This is asked for by a person.")
    if actor.user.pk == player.pk:
        raise WalletError("own_money", "This is your own money: somebody else looks after it.")
    if player.is_active and not limits.exclusions([player.pk], timezone.now()):
        raise WalletError("can_ask", "This account is neither locked nor excluded: the player asks themselves.")
    withdrawal = ask(
        request=request, player=player, currency=CURRENCY, amount=amount, gateway=Bank.name,
        destination=destination, asked_by=actor.user,
    )  # fmt: skip
    after = {"amount": amount, "currency": CURRENCY, "account": withdrawal.ending}
    record(actor, "withdrawal.ask", withdrawal, reason=reason, after=after)
    return withdrawal


@transaction.atomic
def cancel(*, withdrawal: Withdrawal) -> Withdrawal:
    """Return the amount to the player's balance. WalletError `decided` once it is approved or refused."""
    locked = approvals.lock_request(withdrawal)
    if locked.status != Status.CANCELLED:
        approvals.check_open(locked, *Withdrawal.OPEN)
        approvals.close(locked, Status.CANCELLED)
        postings.release_hold(locked)
    return locked


@transaction.atomic
def confirm(withdrawal: Withdrawal, bank_reference: str, actor: Actor) -> None:
    """Record that a person of finance has prepared the transfer at the bank: see `approvals.confirm`."""
    approvals.confirm(approvals.lock_request(withdrawal), bank_reference, actor)


@transaction.atomic
def approve(withdrawal: Withdrawal, reason: str, actor: Actor) -> None:
    """Pay the withdrawal out, by decision of a second person: see `approvals.decide`.

    NotEligible for a player who was never verified; `settlement_frozen` during a freeze.
    """
    locked = approvals.lock_request(withdrawal)
    approvals.check_open(locked, Status.CONFIRMED)
    verification.check_proved(locked.player)
    approvals.decide(locked, Status.PAID, reason, actor)
    postings.pay_out(locked)


@transaction.atomic
def refuse(withdrawal: Withdrawal, reason: str, actor: Actor) -> None:
    """Return the amount to the player's balance. WalletError `decided`."""
    locked = approvals.lock_request(withdrawal)
    approvals.check_open(locked, *Withdrawal.OPEN)
    approvals.decide(locked, Status.REFUSED, reason, actor)
    postings.release_hold(locked)
