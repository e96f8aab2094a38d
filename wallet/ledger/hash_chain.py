"""The links that chain each transfer to the ones before it on both its accounts."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import Q

from wallet.audit_log.models import AuditEntry
from wallet.base.places import COLUMNS
from wallet.keys import signing
from wallet.keys.deriving import FastHmac, fast_hmac
from wallet.models import Posting

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class TrailEnd(NamedTuple):
    """The latest entry of the audit trail when a posting was made, and its hash, which pins those before it."""

    entry: int | None = None
    hash: str = ""


NO_TRAIL = TrailEnd()


def link_hash(
    before: Sequence[str],
    posting: str,
    made_at: datetime,
    content: Sequence[int],
    trail: TrailEnd = NO_TRAIL,
    by: FastHmac | None = None,
) -> str:
    """Return the HMAC-SHA-256 of a transfer, in hex, with the key `by`; by default the installation's present one.

    `before` are the links of the latest earlier transfers of the debit and of the credit account (empty where
    there is none), `posting` the digest of the posting, which covers its key, its reason and all its lines.
    `content` is line, debit id, credit id, amount, debit balance and credit balance.
    """
    # JSON in a quarter of its encoder's time: links and digests are hex and need no escaping.
    line, debit, credit, amount, debit_balance, credit_balance = content
    entry = "null" if trail.entry is None else trail.entry
    text = (
        f'["{before[0]}","{before[1]}","{posting}",{(made_at - _EPOCH) // _MICROSECOND},'
        f"{line},{debit},{credit},{amount},{debit_balance},{credit_balance}"
        f',{entry},"{trail.hash}"]'
    )
    return (by or fast_hmac(signing.signing_key(signing.LINK))).of(text.encode())


class LinkedPosting(NamedTuple):
    """The parts of a posting that the links of its transfers depend on, and its id."""

    pk: int
    digest: str
    made_at: datetime
    trail_entry: int | None
    key: str
    reason: str
    at_table: int | None
    at_match: int | None
    at_deal: int | None
    at_stake: int | None
    at_book: str
    at_title: str

    @property
    def place(self) -> tuple[Any, ...]:
        """The columns of its place, see `wallet.base.places`."""
        return self[6:]


class LinkedTransfer(NamedTuple):
    """A transfer with everything that its link covers, in a light form: an audit reads a million of them."""

    pk: int
    posting_id: int
    line: int
    debit_id: int
    credit_id: int
    amount: int
    debit_balance: int
    credit_balance: int
    seal: str
    posting: LinkedPosting

    @property
    def content(self) -> tuple[Any, ...]:
        """The `content` for `link_hash`, from the line to the balances."""
        return self[2:8]


#: Stands for a posting that does not exist.
MISSING = LinkedPosting(0, "", _EPOCH, None, "", "", None, None, None, None, "", "")

_TRANSFER_COLUMNS = LinkedTransfer._fields[:-1]
_POSTING_COLUMNS = ("pk", "digest", "created_at", "trail_entry", "key", "reason", *COLUMNS)
#: How many transfers are read at once, and then the postings that they belong to.
_BATCH = 5_000


def linked_transfers(transfers: Any) -> Iterator[LinkedTransfer]:
    """Yield the rows of a query of Transfer in the order of ids, without those whose posting does not exist."""
    return (row for row in every_row(transfers) if row.posting is not MISSING)


def every_row(transfers: Any) -> Iterator[LinkedTransfer]:
    """Yield the rows of a query of Transfer in the order of ids; the posting is MISSING where it does not exist.

    Postings are read by separate queries: each once, not with every one of its transfers.
    """
    rows = transfers.order_by("pk").values_list(*_TRANSFER_COLUMNS).iterator(chunk_size=_BATCH)
    while batch := list(islice(rows, _BATCH)):
        postings = _postings({row[1] for row in batch})
        for row in batch:
            yield LinkedTransfer._make((*row, postings.get(row[1], MISSING)))


def _postings(ids: set[int]) -> dict[int, LinkedPosting]:
    first, last = min(ids), max(ids)
    # They are almost always consecutive, and a range is faster to send than thousands of ids.
    condition = Q(pk__gte=first, pk__lte=last) if last - first <= _BATCH else Q(pk__in=ids)
    rows = Posting.objects.filter(condition).order_by().values_list(*_POSTING_COLUMNS)
    return {row[0]: LinkedPosting._make(row) for row in rows}


class Links:
    """The right links of transfers, one after the other in the order of ids.

    A transfer follows stored links, not the right ones, so one that was altered breaks only its own link. The link of a
    transfer after an entry of the trail that is gone cannot be checked: the audit names the entry.
    """

    def __init__(self, heads: Mapping[int, str]) -> None:
        #: The stored link of each account's latest transfer, beginning with the given ones.
        self.heads = dict(heads)
        self._checker = _LinkChecker()

    def follow(self, transfer: LinkedTransfer) -> str:
        """Return the right link of the next transfer."""
        heads = self.heads
        before = (heads.get(transfer.debit_id, ""), heads.get(transfer.credit_id, ""))
        heads[transfer.debit_id] = heads[transfer.credit_id] = transfer.seal
        return self._checker.of(transfer, before)


class _LinkChecker:
    """The right links of transfers, with whichever key of the installation they were made."""

    def __init__(self) -> None:
        self._entries: dict[int | None, str] = {None: "", **dict(AuditEntry.objects.values_list("pk", "hash"))}
        self._keys = [fast_hmac(key) for key in signing.checking_keys(signing.LINK)]

    def of(self, transfer: LinkedTransfer, before: Sequence[str]) -> str:
        """Return the stored link if it is right, else one that would be."""
        posting = transfer.posting
        content = (before, posting.digest, posting.made_at, transfer.content)
        entry_hash = self._entries.get(posting.trail_entry)
        if entry_hash is None:
            return transfer.seal
        trail = TrailEnd(posting.trail_entry, entry_hash)
        for number, key in enumerate(self._keys):
            expected = link_hash(*content, trail, key)
            if expected == transfer.seal:
                # The next ones were most likely made with the same key.
                self._keys.insert(0, self._keys.pop(number))
                return expected
        return link_hash(*content, trail)
