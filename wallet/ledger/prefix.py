"""The part of the ledger that a nightly audit skips, since `wallet.audit.checkpoints` shows no change there.

A complete audit skips nothing. A nightly one recomputes balances and links after that part, from what its last
transfers left on each account. Everything else it checks like a complete audit, except the logs of tables closed before
the last one (`tables.audit.rows`), and the closings and heads of days within that part.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from django.db import connection


@dataclass(frozen=True, slots=True)
class Prefix:
    """The part of the ledger, up to these ids, that is as a complete audit, begun at `audited_at`, found it in order.

    Its dates go up to `day` (UTC). It includes the sums of closings up to the id `closing`.
    """

    transfer: int
    posting: int
    day: date
    audited_at: datetime
    closing: int = 0


_current: ContextVar[Prefix | None] = ContextVar("prefix", default=None)
_replay_all: ContextVar[bool] = ContextVar("replay_all", default=False)

_ACCOUNT_ENDS = (
    "SELECT a.id, t.id, CASE WHEN t.debit_id = a.id THEN t.debit_balance ELSE t.credit_balance END, t.seal"
    " FROM wallet_account a JOIN wallet_transfer t ON t.id = (SELECT MAX(side.latest) FROM ("
    " SELECT MAX(d.id) AS latest FROM wallet_transfer d WHERE d.debit_id = a.id AND d.id <= %s"
    " UNION ALL SELECT MAX(c.id) FROM wallet_transfer c WHERE c.credit_id = a.id AND c.id <= %s) AS side)"
)


class AccountEnd(NamedTuple):
    """The end of an account within the prefix: its latest transfer there, the balance after it, its link."""

    transfer: int
    balance: int
    seal: str


@contextmanager
def skipping(prefix: Prefix | None, *, replay_all: bool = False) -> Iterator[None]:
    """Let the checks within begin after the prefix, or replay every log, also those that have not changed."""
    token, replaying = _current.set(prefix), _replay_all.set(replay_all)
    try:
        yield
    finally:
        _current.reset(token)
        _replay_all.reset(replaying)


def replays_all() -> bool:
    """Return whether this audit replays every log."""
    return _replay_all.get()


def current_prefix() -> Prefix | None:
    """Return the prefix of this audit; None for a complete one."""
    return _current.get()


def prefix_end() -> int:
    """Return the id of the last transfer in the prefix; 0 in a complete audit."""
    prefix = _current.get()
    return prefix.transfer if prefix is not None else 0


def account_ends() -> dict[int, AccountEnd]:
    """Return the end of each account within the prefix, by its id; empty in a complete audit."""
    if not (last := prefix_end()):
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_ACCOUNT_ENDS, [last, last])
        return {account: AccountEnd(*end) for account, *end in cursor.fetchall()}
