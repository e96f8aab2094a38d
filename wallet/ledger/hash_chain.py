"""The seals that chain each transfer to the ones before it on both its accounts."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

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


def recompute(transfers: Any) -> Iterator[tuple[Any, str, str, str]]:
    """Yield for each transfer in the order of ids: itself, the seal due to it, and the stored seals that it follows.

    `transfers` is a query of Transfer. A transfer follows what is stored, not what should be stored: one that was
    altered spoils its own seal alone.
    """
    heads: dict[int, str] = {}
    for transfer in transfers.select_related("posting").order_by("pk").iterator():
        before = (heads.get(transfer.debit_id, ""), heads.get(transfer.credit_id, ""))
        figures = (transfer.amount, transfer.debit_balance, transfer.credit_balance)
        content = (transfer.line, transfer.debit_id, transfer.credit_id, *figures)
        due = link_hash(before, transfer.posting.digest, transfer.posting.created_at, content)
        yield transfer, due, *before
        heads[transfer.debit_id] = heads[transfer.credit_id] = transfer.seal
