"""The chain of links and the signed heads of its days, which cannot be forged with access to the database alone.

Altering a transfer breaks its link, and a new one needs a key that is not in the database. Computing all links again
with the key breaks the heads of days that have been published (see `heads`).
"""

import hashlib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from itertools import accumulate
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.utils import timezone

from wallet.audit import links
from wallet.audit.books import CLOCK_TOLERANCE
from wallet.audit.transfers import TransferCheck
from wallet.audit_log.ends import SETTLED_AFTER
from wallet.base.findings import ALTERED, UNSIGNED, Differences, Fault, Finding, excuses
from wallet.ledger.hash_chain import MISSING, LinkedTransfer, Links, linked_transfers
from wallet.ledger.prefix import account_ends, current_prefix
from wallet.models import Account, AuditRun, DayHead, Transfer


@dataclass(slots=True)
class Day:
    """The running count and digest of the transfers of a day."""

    transfers: int = 0
    last: int = 0
    links: Any = field(default_factory=hashlib.sha256)

    def add(self, transfer: LinkedTransfer) -> None:
        self.transfers += 1
        self.last = transfer.pk
        self.links.update(f"{transfer.pk} {transfer.seal}\n".encode())

    def digest(self, before: str) -> str:
        return hashlib.sha256(f"{before} {self.links.hexdigest()}".encode()).hexdigest()


def sign_days(now: datetime | None = None) -> list[DayHead]:
    """Sign every day (UTC) with transfers that has been over for an hour; return the new heads.

    Call it on books that an audit has just found in order: its act in the trail vouches for each from then on.
    """
    try:
        return _sign_days(now)
    except IntegrityError:
        # Another audit has signed some of them in the meantime.
        return _sign_days(now)


@transaction.atomic
def _sign_days(now: datetime | None) -> list[DayHead]:
    signed = list(DayHead.objects.order_by("day"))
    previous = signed[-1] if signed else None
    over = ((now or timezone.now()) - SETTLED_AFTER).date()
    transfers = Transfer.objects.filter(posting__created_at__lt=_midnight(over))
    if previous is not None:
        since = Q(posting__created_at__gte=_midnight(previous.day + timedelta(days=1)))
        transfers = transfers.filter(since | Q(pk__gt=previous.last_transfer))
    days: dict[date, Day] = {}
    heads_before = _SignedDays(signed)
    for transfer in linked_transfers(transfers):
        day = heads_before.day_of(transfer)
        if day < over and (previous is None or day > previous.day):
            days.setdefault(day, Day()).add(transfer)
    heads = []
    digest = previous.digest if previous is not None else ""
    for day in sorted(days):
        digest = days[day].digest(digest)
        head = DayHead.objects.create(
            day=day, transfers=days[day].transfers, last_transfer=days[day].last, digest=digest,
            signed_at=timezone.now(),
        )  # fmt: skip
        links.link(links.SIGNED, head)
        heads.append(head)
    return heads


class _Chain:
    """Find wrong links of transfers, accounts that do not end with their latest link, and altered days."""

    def __init__(self) -> None:
        ends = account_ends()
        self._latest = {account: end.transfer for account, end in ends.items()}
        self._links = Links({account: end.seal for account, end in ends.items()})
        self._signed = list(DayHead.objects.order_by("day"))
        self._heads, self._days = _SignedDays(self._signed), dict[date, Day]()

    def read(self, rows: Sequence[LinkedTransfer]) -> Differences:
        latest, days = self._latest, self._days
        for transfer in rows:
            if transfer.posting is MISSING:
                continue
            expected = self._links.follow(transfer)
            if transfer.seal != expected:
                yield self._broken(transfer, expected)
            latest[transfer.debit_id] = latest[transfer.credit_id] = transfer.pk
            day = self._heads.day_of(transfer)
            if day not in days:
                days[day] = Day()
            days[day].add(transfer)

    def _broken(self, transfer: LinkedTransfer, due: str) -> Finding:
        follows = " and ".join(_follows(account, self._latest) for account in (transfer.debit_id, transfer.credit_id))
        # A digest of the link due tells contents apart, and is no help in making that link.
        says = hashlib.sha256(due.encode()).hexdigest()[:16]
        expected = f"the link of an unaltered transfer right after {follows}"
        subject = f"transfer {transfer.pk} of posting {transfer.posting_id}"
        return Finding("seal", subject, ALTERED, expected, f"{str(transfer.seal)[:16]} on what makes {says}")

    def finish(self) -> Differences:
        for pk, head in Account.objects.order_by("pk").values_list("pk", "head").iterator(chunk_size=5000):
            if head != self._links.heads.get(pk, ""):
                last = f"transfer {self._latest[pk]}" if pk in self._latest else "nothing"
                subject = f"account {pk} ({Account.objects.get(pk=pk)})"
                yield Finding("head", subject, Fault.MISSING, f"a last transfer with the link {head[:16]}", last)
        yield from _signed_days(self._days, self._signed)


chain = TransferCheck("chain", _Chain)


def _signed_days(days: dict[date, Day], signed: list[DayHead]) -> Differences:
    before, prefix = "", current_prefix()
    for head in signed:
        computed = days.get(head.day, Day())
        # Not all transfers of a day within the prefix have been read.
        is_read = prefix is None or head.day > prefix.day
        content = (computed.transfers, computed.last, computed.digest(before))
        if is_read and (head.transfers, head.last_transfer, head.digest) != content:
            expected, found = (
                f"{transfers} transfers up to {last} with the digest {digest[:16]}"
                for transfers, last, digest in ((head.transfers, head.last_transfer, head.digest), content)
            )
            yield Finding("day", f"{head.day}", ALTERED, expected, found)
        before = head.digest
    for day in sorted(days.keys() & _days_to_sign(days) - {head.day for head in signed}):
        found = f"none on {days[day].transfers} transfers"
        yield Finding("day", f"{day}", UNSIGNED, "a head since the first clean audit after it", found)


def _days_to_sign(days: dict[date, Day]) -> set[date]:
    """Return the days that were over at the latest audit without differences, and so must have been signed.

    Audits that are dated in the future, by a clock that was ahead, do not count.
    """
    past = Q(differences=0, started_at__lte=timezone.now() + CLOCK_TOLERANCE)
    clean = AuditRun.objects.filter(past).aggregate(latest=Max("started_at"))["latest"]
    return {day for day in days if clean is not None and day < (clean - SETTLED_AFTER).date()}


def _follows(account: int, latest: Mapping[int, int]) -> str:
    return (
        f"transfer {latest[account]} on account {account}" if account in latest else f"the opening of account {account}"
    )


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


class _SignedDays:
    """The day that each transfer counts for, by the signed heads."""

    def __init__(self, signed: list[DayHead]) -> None:
        self._signed = signed
        self._days = [head.day for head in signed]
        #: For each head the lowest `last` of it and all after it: a transfer up to that id is beyond none of them.
        self._lowest = list(accumulate((head.last_transfer for head in reversed(signed)), min))[::-1]

    def day_of(self, transfer: LinkedTransfer) -> date:
        """Return the day (UTC) that the transfer counts for: that of its date.

        If a clock that was ahead had that day signed before the transfer was made, it is the next unsigned day.
        """
        made_at = transfer.posting.made_at
        day = made_at.astimezone(UTC).date()
        first = bisect_left(self._days, day)
        if first == len(self._signed) or transfer.pk <= self._lowest[first]:
            return day
        for head in self._signed[first:]:
            if day <= head.day and transfer.pk > head.last_transfer and excuses(head.signed_at, made_at):
                day = head.day + timedelta(days=1)
        return day
