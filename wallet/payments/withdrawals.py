"""Money goes out: on hold as soon as the player asks, then paid by two people, or returned. Never both.

Who may no longer play is paid all the same: only that they were verified once is asked (see `identity.unproved`).
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
    """Put `amount` on hold, to be paid to the `destination` (name, account, ifsc); the same `request` holds no more.

    `asked_by` of the staff for a player who cannot. WalletError `invalid_amount`, `play_money_only`, `no_gateway`,
    `too_many_open`; KeyReused, also for another destination; NotEligible; InsufficientBalance. Neither a break from
    play nor anything else that keeps them from playing keeps them from this, and no switching off of real money.
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
    approvals.check_room(Withdrawal, player)
    destined = vault.encrypt(Withdrawal(player_id=player.pk, request=request), destination)
    sealed = {"destination": destined, "ending": destination["account"][-4:]}
    asked = Withdrawal.objects.create(
        player_id=player.pk,
        request=request,
        **content,
        **sealed,
        asked_at=timezone.now(),
        asked_by_id=asked_by.pk if asked_by else None,
    )
    postings.put_on_hold(asked)
    return asked


@transaction.atomic
def ask_for(
    *, request: str, player: AbstractBaseUser, amount: int, destination: Mapping[str, str], reason: str, actor: Actor
) -> Withdrawal:
    """Ask on behalf of a player who is locked out or takes a break; two more steps by two people pay it.

    Whoever asks does not decide. WalletError `no_person`, `own_money`; `can_ask` for a player who can do it
    themselves; otherwise as `ask`.
    """
    if actor.user is None:
        raise WalletError("no_person", "This is asked for by a person.")
    if actor.user.pk == player.pk:
        raise WalletError("own_money", "This is your own money: somebody else looks after it.")
    if player.is_active and not limits.exclusions([player.pk], timezone.now()):
        raise WalletError("can_ask", "This account is neither locked nor excluded: the player asks themselves.")
    asked = ask(
        request=request, player=player, currency=CURRENCY, amount=amount, gateway=Bank.name,
        destination=destination, asked_by=actor.user,
    )  # fmt: skip
    after = {"amount": amount, "currency": CURRENCY, "account": asked.ending}
    record(actor, "withdrawal.ask", asked, reason=reason, after=after)
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
