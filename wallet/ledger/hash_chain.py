"""The seals that chain each transfer to the ones before it on both its accounts."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_encode = json.JSONEncoder(separators=(",", ":")).encode


def link_hash(before: Sequence[str], posting: str, made_at: datetime, content: Sequence[int]) -> str:
    """Return the SHA-256 of a transfer, in hex.

    `before` are the seals of the latest earlier transfers of the debit and of the credit account (empty where
    there is none), `posting` the digest of the posting, which covers its key, its reason and all its lines.
    `content` is line, debit id, credit id, amount, debit balance and credit balance.
    """
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


_OF_POSTING = {"digest": "posting__digest", "made_at": "posting__created_at"}


def sealed_rows(transfers: Any) -> Iterator[SealedRow]:
    """Yield the rows of a query of Transfer in the order of ids."""
    columns = (_OF_POSTING.get(name, name) for name in SealedRow._fields)
    return map(SealedRow._make, transfers.order_by("pk").values_list(*columns).iterator(chunk_size=5000))


def recompute(transfers: Any) -> Iterator[tuple[SealedRow, str, str, str]]:
    """Yield for each transfer in the order of ids: itself, the seal due to it, and the stored seals that it follows.

    `transfers` is a query of Transfer. A transfer follows what is stored, not what should be stored: one that was
    altered spoils its own seal alone.
    """
    heads: dict[int, str] = {}
    for transfer in sealed_rows(transfers):
        before = (heads.get(transfer.debit_id, ""), heads.get(transfer.credit_id, ""))
        # From the line to the balances.
        due = link_hash(before, transfer.digest, transfer.made_at, transfer[4:10])
        yield transfer, due, *before
        heads[transfer.debit_id] = heads[transfer.credit_id] = transfer.seal
