"""The checks of every transfer, which share one reading: a million rows are read once, not five times.

Here are those of balances and of the digests of postings; `wallet.audit.chain` checks the links, and
`wallet.audit.closings` the sums.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby, islice
from typing import Protocol

from django.db import DatabaseError

from wallet.audit.books import difference
from wallet.audit.checkpoints import counted
from wallet.base.findings import ALTERED, BROKE_OFF, Differences, Finding
from wallet.base.places import PostingPlace
from wallet.ledger.hash_chain import MISSING, LinkedTransfer, every_row, linked_transfers
from wallet.ledger.ledger import digest
from wallet.ledger.prefix import account_ends, prefix_end
from wallet.models import Account, Transfer

log = logging.getLogger(__name__)

#: Rows that are passed to the checks together.
BATCH = 5_000
#: How many postings are read again at once.
_POSTINGS_A_QUERY = 500


class RunningCheck(Protocol):
    """The state of a check while it reads the transfers after the prefix."""

    def read(self, rows: Sequence[LinkedTransfer]) -> Differences:
        """Yield what is wrong with the next rows, in the order of ids; some may have lost their posting."""

    def finish(self) -> Differences:
        """Yield what is wrong with all rows together."""


class TransferCheck:
    """A check of every transfer. The audit lets all such checks share one reading."""

    def __init__(self, name: str, begin: Callable[[], RunningCheck]) -> None:
        self.__name__ = name
        self.begin = begin

    def __call__(self) -> Differences:
        """Run the check alone."""
        return read_together([self])


def read_together(checks: Iterable[TransferCheck]) -> Differences:
    """Read the transfers once, and yield what the checks find, one check after the other.

    A check that breaks off does not stop the others.
    """
    runs = [_CheckRun(check) for check in checks]
    for rows in _batches(counted(every_row(Transfer.objects.filter(pk__gt=prefix_end())))):
        for run in runs:
            run.step(lambda running: running.read(rows))  # noqa: B023  called at once
    for run in runs:
        run.step(lambda running: running.finish())
        yield from run.findings


class _CheckRun:
    """A running check and its findings so far; an error in it is a finding, and ends it."""

    def __init__(self, check: TransferCheck) -> None:
        self._check = check
        self._running: RunningCheck | None = None
        self.findings: list[Finding] = []
        with self._faults_found():
            self._running = check.begin()

    def step(self, make: Callable[[RunningCheck], Differences]) -> None:
        if self._running is not None:
            with self._faults_found():
                self.findings += make(self._running)

    @contextmanager
    def _faults_found(self) -> Iterator[None]:
        try:
            yield
        except DatabaseError:
            raise
        except Exception as fault:
            self._running = None
            self.findings.append(aborted(self._check.__name__, fault))


def aborted(name: str, fault: Exception) -> Finding:
    """Return the finding for a check that impossible rows made break off."""
    log.error("the audit's %s broke off", name, exc_info=fault)
    return Finding(BROKE_OFF, name, ALTERED, "rows that can be read", f"some that broke it off: {type(fault).__name__}")


def _batches(rows: Iterator[LinkedTransfer]) -> Iterator[list[LinkedTransfer]]:
    while batch := list(islice(rows, BATCH)):
        yield batch


class _Balances:
    """Find transfers that do not continue their accounts' balances, and accounts whose balance is not their sum."""

    def __init__(self) -> None:
        #: The balance of each account after its latest transfer, as stored with that.
        self._latest = {account: end.balance for account, end in account_ends().items()}
        #: By account, how far that is above the sum of its transfers.
        self._excess: dict[int, int] = {}

    def read(self, rows: Sequence[LinkedTransfer]) -> Differences:
        latest = self._latest
        for row in rows:
            debit, credit, amount = row.debit_id, row.credit_id, row.amount
            expected = latest.get(debit, 0) - amount
            if row.debit_balance != expected:
                yield self._wrong(row, debit, row.debit_balance, expected)
            latest[debit] = row.debit_balance
            expected = latest.get(credit, 0) + amount
            if row.credit_balance != expected:
                yield self._wrong(row, credit, row.credit_balance, expected)
            latest[credit] = row.credit_balance

    def _wrong(self, row: LinkedTransfer, account: int, balance: int, expected: int) -> Finding:
        self._excess[account] = self._excess.get(account, 0) + balance - expected
        subject = f"transfer {row.pk} of posting {row.posting_id}"
        return Finding(
            "chain", subject, ALTERED, f"a balance of account {account} after it of {expected}", f"{balance}"
        )

    def finish(self) -> Differences:
        for pk, balance in Account.objects.order_by("pk").values_list("pk", "balance").iterator(chunk_size=5000):
            total = self._latest.get(pk, 0) - self._excess.get(pk, 0)
            if balance != total:
                due = f"a balance of {total}, which its transfers make"
                yield difference("balance", Account.objects.get(pk=pk), due, f"{balance}")


class _Digests:
    """Find postings whose key, reason, transfers or place do not match their digest."""

    def __init__(self) -> None:
        #: The lines of the latest rows, by posting: more may follow among the next rows.
        self._latest: dict[int, list[LinkedTransfer]] = {}
        self._suspects: set[int] = set()

    def read(self, rows: Sequence[LinkedTransfer]) -> Differences:
        by_posting: dict[int, list[LinkedTransfer]] = {}
        for row in rows:
            if row.posting is not MISSING:
                by_posting.setdefault(row.posting_id, []).append(row)
        for posting, lines in self._latest.items():
            if posting in by_posting:
                by_posting[posting] = lines + by_posting[posting]
            elif _faults(lines):
                self._suspects.add(posting)
        self._latest = by_posting
        return iter(())

    def finish(self) -> Differences:
        """Read all lines of the postings whose lines so far do not match the digest, and check them again.

        Some lines may be within the prefix, or far from the others.
        """
        suspects = sorted(self._suspects | {posting for posting, lines in self._latest.items() if _faults(lines)})
        for first in range(0, len(suspects), _POSTINGS_A_QUERY):
            transfers = Transfer.objects.filter(posting__in=suspects[first : first + _POSTINGS_A_QUERY])
            rows = sorted(linked_transfers(transfers), key=lambda row: (row.posting_id, row.line, row.pk))
            for posting, group in groupby(rows, key=lambda row: row.posting_id):
                lines = list(group)
                for check, expected, found in _faults(lines):
                    yield Finding(check, f"posting {posting} ({lines[0].posting.key})", ALTERED, expected, found)


def _faults(lines: Sequence[LinkedTransfer]) -> list[tuple[str, str, str]]:
    """Return what is wrong with the posting of these lines: the name of the check, what was expected, and found."""
    faults = []
    posting = lines[0].posting
    numbers = [row.line for row in lines]
    if numbers != list(range(len(lines))):
        faults.append(("lines", "transfers numbered from 0 on", f"{numbers}"))
    moved = ((row.debit_id, row.credit_id, row.amount) for row in lines)
    present = digest(posting.key, posting.reason, moved, PostingPlace.of(posting.place))
    if posting.digest != present:
        due = f"key, reason, transfers and place with the digest {posting.digest[:16]}"
        faults.append(("digest", due, present[:16]))
    return faults


balances = TransferCheck("balances", _Balances)
digests = TransferCheck("digests", _Digests)

ALL: tuple[Callable[[], Differences], ...] = (balances, digests)
