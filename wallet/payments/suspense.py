"""Suspense: payments that may not enter a balance wait here until two people send them back.

A withdrawal that the bank returns arrives here too, and then returns to its player's balance.
"""

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from wallet.audit_log.services import Actor, record
from wallet.base.errors import WalletError
from wallet.ledger.ledger import check_amount
from wallet.payments import approvals, postings
from wallet.payments.models import CURRENCY, Deposit, GatewayEvent, SuspenseItem, Withdrawal
from wallet.payments.providers.bank import Bank

Status, Why = SuspenseItem.Status, SuspenseItem.Why


def set_aside_event(event: GatewayEvent, player: AbstractBaseUser | None) -> SuspenseItem:
    """Put a payment that a gateway reports and no balance may take into suspense, in the caller's transaction."""
    return _keep(
        SuspenseItem(
            gateway=event.gateway, currency=event.currency, amount=event.amount, arrival=event.event,
            why=event.outcome, player_id=player.pk if player else None, deposit=event.deposit, event=event,
        )
    )  # fmt: skip


@transaction.atomic
def set_aside(deposit: Deposit, reason: str, actor: Actor) -> SuspenseItem:
    """Refuse a deposit whose payment has arrived, and put the money into suspense, by decision of a second person.

    WalletError `decided` unless the payment is confirmed and undecided; see `approvals.decide`.
    """
    locked = approvals.lock_request(deposit)
    approvals.check_open(locked, Deposit.Status.CONFIRMED)
    approvals.decide(locked, Deposit.Status.REFUSED, reason, actor)
    return _keep(
        SuspenseItem(
            gateway=locked.gateway, currency=locked.currency, amount=locked.amount, arrival=locked.bank_reference,
            why=Why.NOT_ELIGIBLE, player_id=locked.player_id, deposit=locked, noted_by_id=locked.confirmed_by_id,
        )
    )  # fmt: skip


@transaction.atomic
def note_payment(*, receipt: str, amount: int, deposit: Deposit | None, reason: str, actor: Actor) -> SuspenseItem:
    """Record a payment that a person of finance sees at the bank and that belongs to no open deposit.

    `deposit` is the one that the payment quotes, if any. WalletError `invalid_amount`, `no_person`, `own_money`,
    `bad_reference`, `reference_used`; `still_open` where the deposit is open for just this amount.
    """
    check_amount(amount)
    if deposit is not None:
        deposit = approvals.lock_request(deposit)
        if deposit.status in Deposit.OPEN and deposit.amount == amount:
            raise WalletError("still_open", "This deposit waits for just this payment: confirm it there.")
    why = Why.UNKNOWN if deposit is None else Why.AMOUNT if deposit.status in Deposit.OPEN else Why.CLOSED
    item = SuspenseItem(amount=amount, why=why, player_id=deposit.player_id if deposit else None, deposit=deposit)
    item.gateway = Bank.name
    return _note_arrival(item, receipt, reason, actor)


@transaction.atomic
def note_return(*, withdrawal: Withdrawal, receipt: str, reason: str, actor: Actor) -> SuspenseItem:
    """Record that the bank has returned a paid withdrawal; a second person then credits it to the player.

    WalletError `decided` unless it was paid out and was not returned before; other errors as for `note_payment`.
    """
    paid = approvals.lock_request(withdrawal)
    approvals.check_open(paid, Withdrawal.Status.PAID)
    if SuspenseItem.objects.filter(withdrawal=paid).exists():
        raise WalletError("decided", "This has come back already.")
    item = SuspenseItem(amount=paid.amount, why=Why.RETURNED, player_id=paid.player_id, withdrawal=paid)
    item.gateway = paid.gateway
    item.status, item.confirmed_at = Status.CONFIRMED, timezone.now()
    item.confirmed_by_id = approvals.deciding_person(item, actor)
    return _note_arrival(item, receipt, reason, actor)


@transaction.atomic
def confirm(item: SuspenseItem, bank_reference: str, actor: Actor) -> None:
    """Record that a person of finance has prepared the transfer back: see `approvals.confirm`."""
    approvals.confirm(approvals.lock_request(item), bank_reference, actor)


@transaction.atomic
def approve(item: SuspenseItem, reason: str, actor: Actor) -> None:
    """Send the payment back, or credit a returned withdrawal to its player, by decision of a second person.

    Errors as for `approvals.decide`; `settlement_frozen` during a freeze.
    """
    locked = approvals.lock_request(item)
    approvals.check_open(locked, Status.CONFIRMED)
    if locked.withdrawal_id is None:
        approvals.decide(locked, Status.SENT_BACK, reason, actor)
        postings.send_back(locked)
        return
    withdrawal = Withdrawal.objects.select_for_update(of=("self",)).get(pk=locked.withdrawal_id)
    approvals.decide(locked, Status.CAME_BACK, reason, actor)
    withdrawal.status = Withdrawal.Status.CAME_BACK
    withdrawal.save(update_fields=["status"])
    postings.put_back(locked, withdrawal)


def _note_arrival(item: SuspenseItem, receipt: str, reason: str, actor: Actor) -> SuspenseItem:
    item.currency, item.noted_by_id = CURRENCY, approvals.deciding_person(item, actor)
    item.arrival = approvals.tidy_reference(receipt)
    approvals.check_receipt(item.gateway, item.currency, item.arrival)
    stored = _keep(item)
    after = {"status": stored.status, "amount": stored.amount, "currency": stored.currency, "arrival": stored.arrival}
    record(actor, "suspenseitem.note", stored, reason=reason, after=after)
    return stored


def _keep(item: SuspenseItem) -> SuspenseItem:
    item.arrived_at = timezone.now()
    item.save(force_insert=True)
    postings.keep_in_suspense(item)
    return item
