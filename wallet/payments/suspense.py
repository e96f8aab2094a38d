"""Money that arrived and may be in no balance: it waits in suspense, and two people send it back where it came from.

What the bank returns of a withdrawal that was paid out goes the same way in, and to its player again.
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
    """Keep what a gateway says was paid and no balance may have. The caller has the transaction."""
    return _kept(
        SuspenseItem(
            gateway=event.gateway, currency=event.currency, amount=event.amount, arrival=event.event,
            why=event.outcome, player_id=player.pk if player else None, deposit=event.deposit, event=event,
        )
    )  # fmt: skip


@transaction.atomic
def set_aside(deposit: Deposit, reason: str, actor: Actor) -> SuspenseItem:
    """Refuse a deposit whose payment has arrived: by the word of a second person, the money waits in suspense.

    WalletError `decided` unless somebody has confirmed the payment; see `approvals.decide`.
    """
    asked = approvals.lock_request(deposit)
    approvals.check_open(asked, Deposit.Status.CONFIRMED)
    approvals.decide(asked, Deposit.Status.REFUSED, reason, actor)
    return _kept(
        SuspenseItem(
            gateway=asked.gateway, currency=asked.currency, amount=asked.amount, arrival=asked.bank_reference,
            why=Why.NOT_ELIGIBLE, player_id=asked.player_id, deposit=asked, noted_by_id=asked.confirmed_by_id,
        )
    )  # fmt: skip


@transaction.atomic
def note_payment(*, receipt: str, amount: int, deposit: Deposit | None, reason: str, actor: Actor) -> SuspenseItem:
    """Note a payment that somebody of finance sees at the bank and that no open deposit waits for.

    The `deposit` is the closed one that it quotes, where it quotes one. WalletError `invalid_amount`, `no_person`,
    `own_money`, `bad_reference`, `reference_used`; `still_open` where the deposit waits for it.
    """
    check_amount(amount)
    if deposit is not None:
        deposit = approvals.lock_request(deposit)
        if deposit.status in Deposit.OPEN and deposit.amount == amount:
            raise WalletError("still_open", "This deposit waits for just this payment: confirm it there.")
    why = Why.UNKNOWN if deposit is None else Why.AMOUNT if deposit.status in Deposit.OPEN else Why.CLOSED
    item = SuspenseItem(amount=amount, why=why, player_id=deposit.player_id if deposit else None, deposit=deposit)
    item.gateway = Bank.name
    return _noted(item, receipt, reason, actor)


@transaction.atomic
def note_return(*, withdrawal: Withdrawal, receipt: str, reason: str, actor: Actor) -> SuspenseItem:
    """Note that the bank has returned a withdrawal that was paid; a second person gives it back to the player.

    WalletError `decided` unless it was paid out and has not come back before; else as `note_payment`.
    """
    paid = approvals.lock_request(withdrawal)
    approvals.check_open(paid, Withdrawal.Status.PAID)
    if SuspenseItem.objects.filter(withdrawal=paid).exists():
        raise WalletError("decided", "This has come back already.")
    item = SuspenseItem(amount=paid.amount, why=Why.RETURNED, player_id=paid.player_id, withdrawal=paid)
    item.gateway = paid.gateway
    item.status, item.confirmed_at = Status.CONFIRMED, timezone.now()
    item.confirmed_by_id = approvals.person_for(item, actor)
    return _noted(item, receipt, reason, actor)


@transaction.atomic
def confirm(item: SuspenseItem, bank_reference: str, actor: Actor) -> None:
    """Note that somebody of finance has prepared the transfer back: see `approvals.confirm`."""
    approvals.confirm(approvals.lock_request(item), bank_reference, actor)


@transaction.atomic
def approve(item: SuspenseItem, reason: str, actor: Actor) -> None:
    """Let it go where it belongs, by the word of a second person: see `approvals.decide`; `settlement_frozen`.

    Back where it came from; what the bank returned of a withdrawal, into its player's balance.
    """
    held = approvals.lock_request(item)
    approvals.check_open(held, Status.CONFIRMED)
    if held.withdrawal_id is None:
        approvals.decide(held, Status.SENT_BACK, reason, actor)
        postings.send_back(held)
        return
    withdrawal = Withdrawal.objects.select_for_update(of=("self",)).get(pk=held.withdrawal_id)
    approvals.decide(held, Status.CAME_BACK, reason, actor)
    withdrawal.status = Withdrawal.Status.CAME_BACK
    withdrawal.save(update_fields=["status"])
    postings.put_back(held, withdrawal)


def _noted(item: SuspenseItem, receipt: str, reason: str, actor: Actor) -> SuspenseItem:
    item.currency, item.noted_by_id = CURRENCY, approvals.person_for(item, actor)
    item.arrival = approvals.tidy_reference(receipt)
    approvals.check_receipt(item.gateway, item.currency, item.arrival)
    kept = _kept(item)
    after = {"status": kept.status, "amount": kept.amount, "currency": kept.currency, "arrival": kept.arrival}
    record(actor, "suspenseitem.note", kept, reason=reason, after=after)
    return kept


def _kept(item: SuspenseItem) -> SuspenseItem:
    item.arrived_at = timezone.now()
    item.save(force_insert=True)
    postings.keep_in_suspense(item)
    return item
