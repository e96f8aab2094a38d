"""Money goes out: on hold as soon as the player asks, then paid by two people, or returned. Never both.

Who may no longer play is paid all the same: only that he was verified once is asked (see `identity.unproved`).
"""

from collections.abc import Mapping

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from wallet.gateways import books, desk, identity, registry, vault
from wallet.gateways.deposits import check_real
from wallet.gateways.models import Withdrawal
from wallet.ledger import check_amount
from wallet.trail.services import Actor

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
    """`amount` is on hold, to be paid to the `destination` (name, account, ifsc); the same `request` holds no more.

    WalletError `invalid_amount`, `play_money_only`, `no_gateway`, `too_many_open`; KeyReused; NotEligible;
    InsufficientBalance. Neither a break from play nor anything else that keeps him from playing keeps him from this.
    """
    check_amount(amount)
    check_real(currency)
    content = {"currency": currency, "amount": amount, "gateway": gateway}
    if earlier := desk.asked_before(Withdrawal, player, request, content):
        return earlier
    identity.check_proved(player)
    registry.gateway(gateway)
    desk.check_room(Withdrawal, player)
    destined = vault.seal(Withdrawal(player_id=player.pk, request=request), destination)
    sealed = {"destination": destined, "ending": destination["account"][-4:]}
    asked = Withdrawal.objects.create(
        player_id=player.pk, request=request, **content, **sealed, asked_at=timezone.now()
    )
    books.hold(asked)
    return asked


@transaction.atomic
def cancel(*, withdrawal: Withdrawal) -> Withdrawal:
    """The amount is in the player's balance again. WalletError `decided` once it is approved or refused."""
    asked = desk.locked(withdrawal)
    if asked.status != Status.CANCELLED:
        desk.check_open(asked, *Withdrawal.OPEN)
        desk.close(asked, Status.CANCELLED)
        books.give_back(asked)
    return asked


@transaction.atomic
def confirm(withdrawal: Withdrawal, bank_reference: str, actor: Actor) -> None:
    """Somebody of finance has prepared the transfer at the bank: see `desk.confirm`."""
    desk.confirm(desk.locked(withdrawal), bank_reference, actor)


@transaction.atomic
def approve(withdrawal: Withdrawal, reason: str, actor: Actor) -> None:
    """It is paid out, by the word of a second person: see `desk.decide`.

    NotEligible for whom nobody has ever verified; `settlement_frozen`.
    """
    asked = desk.locked(withdrawal)
    desk.check_open(asked, Status.CONFIRMED)
    identity.check_proved(asked.player)
    desk.decide(asked, Status.PAID, reason, actor)
    books.pay_out(asked)


@transaction.atomic
def refuse(withdrawal: Withdrawal, reason: str, actor: Actor) -> None:
    """The amount is in the player's balance again. WalletError `decided`."""
    asked = desk.locked(withdrawal)
    desk.check_open(asked, *Withdrawal.OPEN)
    desk.decide(asked, Status.REFUSED, reason, actor)
    books.give_back(asked)
