"""Confirming and deciding payments: one person confirms, another decides, nobody about their own money."""

from typing import Any, TypeVar

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.utils import timezone

from wallet.audit_log.services import Actor, record
from wallet.base.errors import KeyReused, WalletError
from wallet.language import worded
from wallet.payments import postings
from wallet.payments.models import Deposit, SuspenseItem, Withdrawal
from wallet.responsible_gaming import admission

Row = TypeVar("Row", Deposit, Withdrawal, SuspenseItem)
Asked = TypeVar("Asked", Deposit, Withdrawal)
LONGEST_REFERENCE = 40
#: How many deposits, and how many withdrawals, of a player may be open at once.
MOST_OPEN = 5


def asked_before(model: type[Asked], player: AbstractBaseUser, request: str, content: dict[str, Any]) -> Asked | None:
    """Return the player's earlier request of this name, if any; KeyReused where its content differs.

    The player's row is locked from here until the transaction ends. So their requests and settings are handled one by
    one: open requests are counted correctly, and an exclusion applies to everything after it. This lock comes before
    those of rows and accounts.
    """
    admission.lock_player_row(player.pk)
    earlier = model._default_manager.filter(player_id=player.pk, request=request).first()
    if earlier is not None and any(getattr(earlier, name) != value for name, value in content.items()):
        raise KeyReused(request)
    return earlier


def check_open_requests(model: type[Asked], player: AbstractBaseUser) -> None:
    """Raise WalletError `too_many_open` where the player has as many open requests as they may."""
    if model._default_manager.filter(player_id=player.pk, status__in=model.OPEN).count() >= MOST_OPEN:
        raise WalletError(
            "too_many_open",
            worded("You have {most_open} of these waiting. Wait for them, or cancel one.", most_open=MOST_OPEN),
        )


def lock_request(row: Row) -> Row:
    """Lock the row until the transaction ends, and return it as stored now."""
    return type(row)._default_manager.select_for_update(of=("self",)).select_related("player").get(pk=row.pk)


def check_open(row: Row, *statuses: str) -> None:
    """Raise WalletError `decided` unless the row has one of the statuses."""
    if row.status not in statuses:
        raise WalletError(
            "decided",
            worded("Not possible now. Status: {get_status_display}.", get_status_display=row.get_status_display()),
        )


def tidy_reference(bank_reference: str) -> str:
    """Return a bank's reference in its stored form: capitals, single blanks. WalletError `bad_reference`."""
    reference = " ".join(bank_reference.split()).upper()
    if not 3 <= len(reference) <= LONGEST_REFERENCE or not reference.isprintable():
        raise WalletError(
            "bad_reference",
            worded("A bank reference has 3 to {longest_reference} characters.", longest_reference=LONGEST_REFERENCE),
        )
    return reference


def check_receipt(gateway: str, currency: str, reference: str, *, but: Deposit | None = None) -> None:
    """Raise WalletError `reference_used` where a payment in suspense or a deposit other than `but` has the receipt.

    Refused and cancelled deposits do not count. The gateway's account is locked until the transaction ends, so that
    one receipt cannot become two payments.
    """
    postings.lock_gateway(gateway, currency)
    free = (Deposit.Status.REFUSED, Deposit.Status.CANCELLED)
    deposits = Deposit.objects.filter(gateway=gateway, bank_reference__iexact=reference).exclude(status__in=free)
    if but is not None:
        deposits = deposits.exclude(pk=but.pk)
    if deposits.exists() or SuspenseItem.objects.filter(gateway=gateway, arrival__iexact=reference).exists():
        raise reference_used()


def reference_used() -> WalletError:
    return WalletError("reference_used", worded("This bank reference belongs to another payment."))


def confirm(row: Row, bank_reference: str, actor: Actor) -> None:
    """Record the first of two people, who has seen the payment at the bank, and its reference. The caller has the lock.

    WalletError `own_money`, `decided`, `no_person`, `bad_reference`, `reference_used`.
    """
    person = deciding_person(row, actor)
    before = row.status
    check_open(row, "asked", "waits")
    reference = tidy_reference(bank_reference)
    row.status = type(row).Status.CONFIRMED
    row.bank_reference, row.confirmed_by_id, row.confirmed_at = reference, person, timezone.now()
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise reference_used() from error
    _note(row, "confirm", reference, before, actor)


def decide(row: Row, status: str, reason: str, actor: Actor) -> None:
    """Record the second person, who decides, and set the final status of the row. The caller has the lock.

    WalletError `own_money`, `same_person`, `no_person`.
    """
    person = deciding_person(row, actor)
    if person in (row.confirmed_by_id, getattr(row, "asked_by_id", None)):
        raise WalletError(
            "same_person", worded("You asked for this or confirmed it yourself: somebody else decides it.")
        )
    before = row.status
    row.status, row.decided_by_id, row.decided_at, row.decision = status, person, timezone.now(), reason.strip()[:500]
    row.save()
    _note(row, "refuse" if status == "refused" else "approve", reason, before, actor)


def close(row: Asked, status: str) -> None:
    """Set the final status of the row without a decision of staff. The caller has the lock."""
    row.status, row.decided_at = status, timezone.now()
    row.save(update_fields=["status", "decided_at"])


def deciding_person(row: Row, actor: Actor) -> int:
    """Return the id of the acting member of staff. WalletError `no_person`, `own_money`."""
    if actor.user is None:
        raise WalletError("no_person", worded("This is decided by people."))
    if actor.user.pk == row.player_id:
        raise WalletError("own_money", worded("This is your own money: somebody else looks after it."))
    return int(actor.user.pk)


def _note(row: Row, verb: str, reason: str, before: str, actor: Actor) -> None:
    after = {"status": row.status, "amount": row.amount, "currency": row.currency, "bank_reference": row.bank_reference}
    record(actor, f"{row._meta.model_name}.{verb}", row, reason=reason, before={"status": before}, after=after)
