"""What staff of finance do at the desk: one confirms, another decides, and nobody about their own money."""

from typing import Any, TypeVar

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.utils import timezone

from wallet.audit_log.services import Actor, record
from wallet.base.errors import KeyReused, WalletError
from wallet.payments.models import Deposit, Withdrawal
from wallet.responsible_gaming import admission

Row = TypeVar("Row", Deposit, Withdrawal)
LONGEST_REFERENCE = 40
#: So many of a player's own may wait at once.
MOST_OPEN = 5


def asked_before(model: type[Row], player: AbstractBaseUser, request: str, content: dict[str, Any]) -> Row | None:
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


def check_room(model: type[Row], player: AbstractBaseUser) -> None:
    """Raise WalletError `too_many_open` where the player has enough that waits."""
    if model._default_manager.filter(player_id=player.pk, status__in=model.OPEN).count() >= MOST_OPEN:
        raise WalletError("too_many_open", f"You have {MOST_OPEN} of these waiting. Wait for them, or cancel one.")


def lock_request(row: Row) -> Row:
    """Return the row as it is now, under its lock until the transaction ends."""
    return type(row)._default_manager.select_for_update(of=("self",)).select_related("player").get(pk=row.pk)


def check_open(row: Row, *statuses: str) -> None:
    """Raise WalletError `decided` unless the row has one of the statuses."""
    if row.status not in statuses:
        raise WalletError("decided", f"This is {row.get_status_display()}.")


def confirm(row: Row, bank_reference: str, actor: Actor) -> None:
    """Note that the first of two people has seen it at the bank, and the bank's reference. The caller has the lock.

    WalletError `own_money`, `decided`, `no_person`, `bad_reference`, `reference_used`.
    """
    person = _person(row, actor)
    check_open(row, "asked")
    reference = " ".join(bank_reference.split())
    if not 3 <= len(reference) <= LONGEST_REFERENCE or not reference.isprintable():
        raise WalletError("bad_reference", f"A bank reference has 3 to {LONGEST_REFERENCE} characters.")
    row.status = type(row).Status.CONFIRMED
    row.bank_reference, row.confirmed_by_id, row.confirmed_at = reference, person, timezone.now()
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise WalletError("reference_used", "This bank reference belongs to another one.") from error
    _note(row, "confirm", reference, "asked", actor)


def decide(row: Row, status: str, reason: str, actor: Actor) -> None:
    """Note that another than who confirmed it has decided; the row has its last status. The caller has the lock.

    WalletError `own_money`, `same_person`, `no_person`.
    """
    person = _person(row, actor)
    if row.confirmed_by_id == person:
        raise WalletError("same_person", "You confirmed this yourself: somebody else decides it.")
    before = row.status
    row.status, row.decided_by_id, row.decided_at, row.decision = status, person, timezone.now(), reason.strip()[:500]
    row.save()
    _note(row, "refuse" if status == "refused" else "approve", reason, before, actor)


def close(row: Row, status: str) -> None:
    """Give the row its last status, without anybody of the staff. The caller has the lock."""
    row.status, row.decided_at = status, timezone.now()
    row.save(update_fields=["status", "decided_at"])


def _person(row: Row, actor: Actor) -> int:
    if actor.user is None:
        raise WalletError("no_person", "This is decided by people.")
    if actor.user.pk == row.player_id:
        raise WalletError("own_money", "This is your own money: somebody else looks after it.")
    return int(actor.user.pk)


def _note(row: Row, verb: str, reason: str, before: str, actor: Actor) -> None:
    after = {"status": row.status, "amount": row.amount, "currency": row.currency, "bank_reference": row.bank_reference}
    record(actor, f"{row._meta.model_name}.{verb}", row, reason=reason, before={"status": before}, after=after)
