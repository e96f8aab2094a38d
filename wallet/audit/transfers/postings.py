"""Checks of every transfer: its balances, and the digest of its posting. `wallet.audit.chain` checks the links."""

from collections.abc import Callable, Sequence
from itertools import groupby

from wallet.audit.books import difference
from wallet.audit.transfers.reading import TransferCheck
from wallet.base.findings import ALTERED, Differences, Finding
from wallet.base.places import PostingPlace
from wallet.ledger.hash_chain import MISSING, LinkedTransfer, linked_transfers
from wallet.ledger.ledger import digest
from wallet.ledger.prefix import account_ends
from wallet.models import Account, Transfer

#: How many postings are read again at once.
_POSTINGS_A_QUERY = 500


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
