"""The chain of seals and the signed heads of its days: what nobody with mere access to the database can make up.

Whoever alters a transfer spoils its seal, and can make no other without a key that is not in the database; whoever
has the key and computes all seals anew spoils the heads of the days that others have been given (see `heads`).
"""

import hashlib
from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from itertools import accumulate
from typing import Any

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone

from wallet.audit import links
from wallet.audit.books import CLOCK_TOLERANCE, Differences, Finding
from wallet.audit.prefix import current_prefix, last_granted, left_on_accounts
from wallet.audit.progress import counted
from wallet.base import clocks
from wallet.keys import signing
from wallet.ledger.hash_chain import SealedRow, recompute, sealed_rows
from wallet.models import Account, AuditRun, DayHead, Transfer

#: A day is signed when it has been over for so long: whatever began in it has been committed by then.
SETTLED_AFTER = timedelta(hours=1)


@dataclass(slots=True)
class Day:
    """What the transfers of a day come to, so far."""

    transfers: int = 0
    last: int = 0
    seals: Any = field(default_factory=hashlib.sha256)

    def add(self, transfer: SealedRow) -> None:
        self.transfers += 1
        self.last = transfer.pk
        self.seals.update(f"{transfer.pk} {transfer.seal}\n".encode())

    def digest(self, before: str) -> str:
        return hashlib.sha256(f"{before} {self.seals.hexdigest()}".encode()).hexdigest()


@transaction.atomic
def sign_days(now: datetime | None = None) -> list[DayHead]:
    """Sign every day (UTC) with transfers that has been over for an hour; return the new heads.

    Call it on books that an audit has just found in order: what is signed is believed from then on.
    """
    signed = list(DayHead.objects.order_by("day"))
    previous = signed[-1] if signed else None
    over = ((now or timezone.now()) - SETTLED_AFTER).date()
    transfers = Transfer.objects.filter(posting__created_at__lt=_midnight(over))
    if previous is not None:
        since = Q(posting__created_at__gte=_midnight(previous.day + timedelta(days=1)))
        transfers = transfers.filter(since | Q(pk__gt=previous.last))
    days: dict[date, Day] = {}
    heads_before = _SignedDays(signed)
    for transfer in sealed_rows(transfers):
        day = heads_before.day_of(transfer)
        if day < over and (previous is None or day > previous.day):
            days.setdefault(day, Day()).add(transfer)
    heads = []
    digest = previous.digest if previous is not None else ""
    for day in sorted(days):
        digest = days[day].digest(digest)
        head = DayHead(day=day, transfers=days[day].transfers, last=days[day].last, digest=digest)
        head.signature, head.signed_at = signature(head), timezone.now()
        head.save(force_insert=True)
        links.link(links.SIGNED, head)
        heads.append(head)
    return heads


def signature(head: DayHead) -> str:
    """Return the HMAC-SHA-256 of a day's head, in hex, by a key derived from the platform's secret."""
    return signing.sign(signing.DAY_HEAD, _content(head))


def _content(head: DayHead) -> str:
    return f"{head.day:%Y-%m-%d} {head.transfers} {head.last} {head.digest}"


def chain() -> Differences:
    """Find transfers not sealed after the one before on both accounts, and signed days that are not as they were
    signed.
    """
    granted = left_on_accounts()
    latest = {account: (left.transfer, left.seal) for account, left in granted.items()}
    days: dict[date, Day] = {}
    signed = list(DayHead.objects.order_by("day"))
    heads = _SignedDays(signed)
    behind = Transfer.objects.filter(pk__gt=last_granted())
    seals = {account: left.seal for account, left in granted.items()}
    for transfer, due, *_ in counted(recompute(behind, seals)):
        sides = (transfer.debit_id, transfer.credit_id)
        if transfer.seal != due:
            follows = " and ".join(_follows(account, latest) for account in sides)
            message = (
                f"does not bear the seal due to it; it was altered, or something between it and {follows} vanished"
            )
            yield Finding("seal", f"transfer {transfer.pk} of posting {transfer.posting_id}", message)
        for account in sides:
            latest[account] = (transfer.pk, transfer.seal)
        days.setdefault(heads.day_of(transfer), Day()).add(transfer)
    yield from _account_heads(latest)
    yield from _signed_days(days, signed)


def _account_heads(latest: dict[int, tuple[int, str]]) -> Differences:
    for account in Account.objects.order_by("pk").iterator():
        pk, seal = latest.get(account.pk, (0, ""))
        if account.head != seal:
            message = f"does not end with {f'transfer {pk}' if pk else 'nothing'}: one after it vanished, or was added"
            yield Finding("head", f"account {account.pk} ({account})", message)


def _signed_days(days: dict[date, Day], signed: list[DayHead]) -> Differences:
    before, granted = "", current_prefix()
    for head in signed:
        found = days.get(head.day, Day())
        if not signing.is_signed(signing.DAY_HEAD, _content(head), head.signature):
            yield Finding("day", f"{head.day}", "is not signed by this platform")
        # Of a day within the prefix only the seals of the others have been read.
        is_read = granted is None or head.day > granted.day
        if is_read and (head.transfers, head.last, head.digest) != (found.transfers, found.last, found.digest(before)):
            message = f"was signed with {head.transfers} transfers up to {head.last}; its {found.transfers} are others"
            yield Finding("day", f"{head.day}", message)
        before = head.digest
    for day in sorted(days.keys() & _due_days(days) - {head.day for head in signed}):
        yield Finding("day", f"{day}", "was over at a clean audit and bears no signature")


def _due_days(days: dict[date, Day]) -> set[date]:
    """Return the days that were over when an audit last found nothing, and so were signed after it.

    Those that are dated in the future, by a clock that was ahead, tell nothing of it.
    """
    past = Q(differences=0, started_at__lte=timezone.now() + CLOCK_TOLERANCE)
    clean = AuditRun.objects.filter(past).aggregate(latest=Max("started_at"))["latest"]
    return {day for day in days if clean is not None and day < (clean - SETTLED_AFTER).date()}


def _follows(account: int, latest: dict[int, tuple[int, str]]) -> str:
    pk, _ = latest.get(account, (0, ""))
    return f"transfer {pk} on account {account}" if pk else f"the opening of account {account}"


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


class _SignedDays:
    """To which day a transfer counts, as it was signed."""

    def __init__(self, signed: list[DayHead]) -> None:
        self._signed = signed
        self._days = [head.day for head in signed]
        #: The lowest last transfer of each head and those after it: who is not beyond that is beyond none of them.
        self._lowest = list(accumulate((head.last for head in reversed(signed)), min))[::-1]

    def day_of(self, transfer: SealedRow) -> date:
        """Return the day of its date.

        Where a clock that was ahead had signed that day before the transfer was made, the next after it.
        """
        day = transfer.made_at.astimezone(UTC).date()
        first = bisect_left(self._days, day)
        if first == len(self._signed) or transfer.pk <= self._lowest[first]:
            return day
        for head in self._signed[first:]:
            if day <= head.day and transfer.pk > head.last and clocks.explains(head.signed_at, transfer.made_at):
                day = head.day + timedelta(days=1)
        return day
