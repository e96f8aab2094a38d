"""Money comes in: the player asks, and once it is certain to have arrived, his balance has it."""

import secrets

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from wallet import money
from wallet.care import services as care
from wallet.errors import WalletError
from wallet.gateways import books, desk, eligibility, registry
from wallet.gateways.models import Deposit
from wallet.ledger import check_amount
from wallet.trail.services import Actor

Status = Deposit.Status
#: Letters and digits that cannot be mistaken for one another.
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"


@transaction.atomic
def ask(*, request: str, player: AbstractBaseUser, currency: str, amount: int, gateway: str) -> Deposit:
    """The player may now pay `amount` in by that gateway; the same `request` again asks nothing more.

    WalletError `invalid_amount`, `play_money_only`, `no_gateway`, `too_many_open`; KeyReused; NotEligible;
    CareRefusal for who has excluded himself from play.
    """
    check_amount(amount)
    check_real(currency)
    content = {"currency": currency, "amount": amount, "gateway": gateway}
    if earlier := desk.asked_before(Deposit, player, request, content):
        return earlier
    eligibility.check(player, currency)
    care.check_play(player.pk)
    registry.gateway(gateway)
    desk.check_room(Deposit, player)
    return Deposit.objects.create(
        player_id=player.pk, request=request, **content, reference=_reference(), asked_at=timezone.now()
    )


@transaction.atomic
def cancel(*, deposit: Deposit) -> Deposit:
    """The player will not pay. WalletError `decided` once staff have seen the payment, or it is over."""
    asked = desk.locked(deposit)
    if asked.status != Status.CANCELLED:
        desk.check_open(asked, Status.ASKED)
        desk.close(asked, Status.CANCELLED)
    return asked


@transaction.atomic
def confirm(deposit: Deposit, bank_reference: str, actor: Actor) -> None:
    """Somebody of finance has seen the payment at the bank: see `desk.confirm`. WalletError `not_by_hand`."""
    asked = desk.locked(deposit)
    if not registry.gateway(asked.gateway).by_hand:
        raise WalletError("not_by_hand", "This gateway tells us by itself what was paid.")
    desk.confirm(asked, bank_reference, actor)


@transaction.atomic
def approve(deposit: Deposit, reason: str, actor: Actor) -> None:
    """The deposit is in the player's balance, by the word of a second person: see `desk.decide`. NotEligible."""
    asked = desk.locked(deposit)
    desk.check_open(asked, Status.CONFIRMED)
    eligibility.check(asked.player, asked.currency)
    desk.decide(asked, Status.DONE, reason, actor)
    books.pay_in(asked)


@transaction.atomic
def refuse(deposit: Deposit, reason: str, actor: Actor) -> None:
    """The deposit will not be in the balance; what was paid goes back at the bank. WalletError `decided`."""
    asked = desk.locked(deposit)
    desk.check_open(asked, *Deposit.OPEN)
    desk.decide(asked, Status.REFUSED, reason, actor)


def credit(deposit: Deposit) -> None:
    """The gateway itself says that it was paid: it is in the balance. The caller holds the lock and the transaction."""
    desk.close(deposit, Status.DONE)
    books.pay_in(deposit)


def check_real(currency: str) -> None:
    """WalletError `play_money_only`: chips are neither bought nor paid out."""
    if not money.currency(currency).real:
        raise WalletError("play_money_only", "Fun chips cannot be bought, and are not paid out.")


def _reference() -> str:
    return "TH" + "".join(secrets.choice(_ALPHABET) for _ in range(8))
