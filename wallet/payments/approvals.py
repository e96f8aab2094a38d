"""What staff of finance do at the desk: one confirms, another decides, and nobody about their own money."""

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
#: So many of a player's own may wait at once.
MOST_OPEN = 5


def asked_before(model: type[Asked], player: AbstractBaseUser, request: str, content: dict[str, Any]) -> Asked | None:
    """Return what the player asked under this name before; KeyReused where that was something else.

    From here until the transaction ends the player's own lock is held: what they ask and set in the same moment comes
    one by one, so that the room for what waits is counted right, and an exclusion holds for all that comes after it.
    The lock comes before those of rows and accounts.
    """
    admission.lock_player_row(player.pk)
    earlier = model._default_manager.filter(player_id=player.pk, request=request).first()
    if earlier is not None and any(getattr(earlier, name) != value for name, value in content.items()):
        raise KeyReused(request)
    return earlier


def check_room(model: type[Asked], player: AbstractBaseUser) -> None:
    """Raise WalletError `too_many_open` where the player has enough that waits."""
    if model._default_manager.filter(player_id=player.pk, status__in=model.OPEN).count() >= MOST_OPEN:
        raise WalletError(
            "too_many_open",
            worded("You have {most_open} of these waiting. Wait for them, or cancel one.", most_open=MOST_OPEN),
        )


def lock_request(row: Row) -> Row:
    """Return the row as it is now, under its lock until the transaction ends."""
    return type(row)._default_manager.select_for_update(of=("self",)).select_related("player").get(pk=row.pk)


def check_open(row: Row, *statuses: str) -> None:
    """Raise WalletError `decided` unless the row has one of the statuses."""
    if row.status not in statuses:
        raise WalletError(
            "decided", worded("This is {get_status_display}.", get_status_display=row.get_status_display())
        )


def tidy_reference(bank_reference: str) -> str:
    """Return a bank's reference as it is kept: in capitals, blanks made one. WalletError `bad_reference`."""
    reference = " ".join(bank_reference.split()).upper()
    if not 3 <= len(reference) <= LONGEST_REFERENCE or not reference.isprintable():
        raise WalletError(
            "bad_reference",
            worded("A bank reference has 3 to {longest_reference} characters.", longest_reference=LONGEST_REFERENCE),
        )
    return reference


def check_receipt(gateway: str, currency: str, reference: str, *, but: Deposit | None = None) -> None:
    """Pass for a receipt that is of no deposit, refused ones and `but` apart, and not in suspense.

    WalletError `reference_used`. Held until the transaction ends: no receipt becomes two payments meanwhile.
    """
    postings.lock_gateway(gateway, currency)
    free = (Deposit.Status.REFUSED, Deposit.Status.CANCELLED)
    found = Deposit.objects.filter(gateway=gateway, bank_reference__iexact=reference).exclude(status__in=free)
    if but is not None:
        found = found.exclude(pk=but.pk)
    if found.exists() or SuspenseItem.objects.filter(gateway=gateway, arrival__iexact=reference).exists():
        raise reference_used()


def reference_used() -> WalletError:
    return WalletError("reference_used", worded("This bank reference belongs to another payment."))


def confirm(row: Row, bank_reference: str, actor: Actor) -> None:
    """Note that the first of two people has seen it at the bank, and the bank's reference. The caller has the lock.

    WalletError `own_money`, `decided`, `no_person`, `bad_reference`, `reference_used`.
    """
    person = person_for(row, actor)
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
    """Note that another than who confirmed it has decided; the row has its last status. The caller has the lock.

    WalletError `own_money`, `same_person`, `no_person`.
    """
    person = person_for(row, actor)
    if person in (row.confirmed_by_id, getattr(row, "asked_by_id", None)):
        raise WalletError(
            "same_person", worded("You asked for this or confirmed it yourself: somebody else decides it.")
        )
    before = row.status
    row.status, row.decided_by_id, row.decided_at, row.decision = status, person, timezone.now(), reason.strip()[:500]
    row.save()
    _note(row, "refuse" if status == "refused" else "approve", reason, before, actor)


def close(row: Asked, status: str) -> None:
    """Give the row its last status, without anybody of the staff. The caller has the lock."""
    row.status, row.decided_at = status, timezone.now()
    row.save(update_fields=["status", "decided_at"])


def person_for(row: Row, actor: Actor) -> int:
    """Return the id of who of the staff looks after it. WalletError `no_person`, `own_money`."""
    if actor.user is None:
        raise WalletError("no_person", worded("This is decided by people."))
    if actor.user.pk == row.player_id:
        raise WalletError("own_money", worded("This is your own money: somebody else looks after it."))
    return int(actor.user.pk)


def _note(row: Row, verb: str, reason: str, before: str, actor: Actor) -> None:
    after = {"status": row.status, "amount": row.amount, "currency": row.currency, "bank_reference": row.bank_reference}
    record(actor, f"{row._meta.model_name}.{verb}", row, reason=reason, before={"status": before}, after=after)
