"""The part of the ledger that a nightly audit takes for granted, since `wallet.witness.pieces` shows no change there.

A whole audit takes nothing for granted. A nightly one recomputes balances, seals and links after that part, from what
its last transfers left on each account. Everything else it checks like a whole audit, except the logs of tables closed
before the last one (`tables.audit.rows`), and the closings and heads of days within that part.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from django.db import connection

from wallet.witness.pieces import Prefix

_current: ContextVar[Prefix | None] = ContextVar("prefix", default=None)

_LEFT = (
    "SELECT a.id, t.id, CASE WHEN t.debit_id = a.id THEN t.debit_balance ELSE t.credit_balance END, t.seal"
    " FROM wallet_account a JOIN wallet_transfer t ON t.id = (SELECT MAX(side.latest) FROM ("
    " SELECT MAX(d.id) AS latest FROM wallet_transfer d WHERE d.debit_id = a.id AND d.id <= %s"
    " UNION ALL SELECT MAX(c.id) FROM wallet_transfer c WHERE c.credit_id = a.id AND c.id <= %s) AS side)"
)


class Left(NamedTuple):
    """The end of an account within the prefix: its latest transfer there, the balance after it, its seal."""

    transfer: int
    balance: int
    seal: str


@contextmanager
def taken_for_granted(prefix: Prefix | None) -> Iterator[None]:
    """Let the checks within begin after the prefix."""
    token = _current.set(prefix)
    try:
        yield
    finally:
        _current.reset(token)


def current_prefix() -> Prefix | None:
    """Return the prefix of this audit; None for a whole one."""
    return _current.get()


def last_granted() -> int:
    """Return the id of the last transfer in the prefix; 0 in a whole audit."""
    prefix = _current.get()
    return prefix.transfer if prefix is not None else 0


def left_on_accounts() -> dict[int, Left]:
    """Return the end of each account within the prefix, by its id; empty in a whole audit."""
    if not (last := last_granted()):
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_LEFT, [last, last])
        return {account: Left(*left) for account, *left in cursor.fetchall()}
