"""The seals that chain each transfer to the ones before it on both its accounts."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from wallet.audit_log.models import AuditEntry
from wallet.keys import signing
from wallet.keys.macs import Mac, mac
from wallet.ledger.keyed_links import KeyedFrom, keyed_from

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_encode = json.JSONEncoder(separators=(",", ":")).encode


class TrailEnd(NamedTuple):
    """The latest entry of the audit trail when a posting was made, and its seal, which pins those before it."""

    entry: int | None = None
    seal: str = ""


NO_TRAIL = TrailEnd()


def link_hash(
    before: Sequence[str],
    posting: str,
    made_at: datetime,
    content: Sequence[int],
    trail: TrailEnd = NO_TRAIL,
    by: Mac | None = None,
) -> str:
    """Return the HMAC-SHA-256 of a transfer, in hex, by that key; by default by the present one of the installation.

    `before` are the seals of the latest earlier transfers of the debit and of the credit account (empty where
    there is none), `posting` the digest of the posting, which covers its key, its reason and all its lines.
    `content` is line, debit id, credit id, amount, debit balance and credit balance.
    """
    whole = [*before, posting, (made_at - _EPOCH) // _MICROSECOND, *content, *trail]
    return (by or mac(signing.signing_key(signing.LINK))).of(_encode(whole).encode())


def plain_hash(before: Sequence[str], posting: str, made_at: datetime, content: Sequence[int]) -> str:
    """Return the SHA-256 of a transfer, in hex: its seal where software of before links were keyed has made it."""
    whole = [*before, posting, (made_at - _EPOCH) // _MICROSECOND, *content]
    return hashlib.sha256(_encode(whole).encode()).hexdigest()


class SealedRow(NamedTuple):
    """A transfer with what of its posting is sealed with it: a million of them are read at an audit."""

    pk: int
    posting_id: int
    digest: str
    made_at: datetime
    line: int
    debit_id: int
    credit_id: int
    amount: int
    debit_balance: int
    credit_balance: int
    seal: str
    trail_entry: int | None


_OF_POSTING = {
    "digest": "posting__digest",
    "made_at": "posting__created_at",
    "trail_entry": "posting__trail_entry",
}


def sealed_rows(transfers: Any) -> Iterator[SealedRow]:
    """Yield the rows of a query of Transfer in the order of ids."""
    columns = (_OF_POSTING.get(name, name) for name in SealedRow._fields)
    return map(SealedRow._make, transfers.order_by("pk").values_list(*columns).iterator(chunk_size=5000))


def recompute(transfers: Any, left: Mapping[int, str] | None = None) -> Iterator[tuple[SealedRow, str, str, str]]:
    """Yield for each transfer in the order of ids: itself, the seal due to it, and the stored seals that it follows.

    `transfers` is a query of Transfer, and `left` the seals that those before it left on accounts. A transfer follows
    what is stored, not what should be stored: one that was altered spoils its own seal alone. One that was made after
    an entry of the trail which is gone cannot be told: the audit names the entry.
    """
    heads = dict(left or {})
    due_seals = _DueSeals()
    for transfer in sealed_rows(transfers):
        before = (heads.get(transfer.debit_id, ""), heads.get(transfer.credit_id, ""))
        yield transfer, due_seals.of(transfer, before), *before
        heads[transfer.debit_id] = heads[transfer.credit_id] = transfer.seal


class _DueSeals:
    """The seals due to transfers, by whichever key of the installation they were made with."""

    def __init__(self) -> None:
        self._entries: dict[int | None, str] = {None: "", **dict(AuditEntry.objects.values_list("pk", "seal"))}
        self._keys = [mac(key) for key in signing.checking_keys(signing.LINK)]
        self._keyed_from: KeyedFrom | None = keyed_from()

    def of(self, transfer: SealedRow, before: Sequence[str]) -> str:
        """Return the stored seal where it is one that is due, else the one that would be."""
        # From the line to the balances.
        content = (before, transfer.digest, transfer.made_at, transfer[4:10])
        if self._keyed_from is not None and self._keyed_from.allows_plain(transfer.pk, transfer.made_at):
            plain = plain_hash(*content)
            if plain == transfer.seal or transfer.pk <= self._keyed_from.last:
                return plain
        seal = self._entries.get(transfer.trail_entry)
        if seal is None:
            return transfer.seal
        trail = TrailEnd(transfer.trail_entry, seal)
        for number, key in enumerate(self._keys):
            due = link_hash(*content, trail, key)
            if due == transfer.seal:
                # Those after it were most likely made with the same.
                self._keys.insert(0, self._keys.pop(number))
                return due
        return link_hash(*content, trail)
