"""What a night takes for granted: the part of the ledger of which `wallet.witness.pieces` says that it is unchanged.

A whole audit takes nothing for granted. A night reckons balances, seals and links anew behind that part, from what its
last transfers left on each account; everything else it looks at as a whole audit does, but for the logs of tables that
were closed before the last one (`tables.audit.rows`) and the heads of days within that part.
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
    """What an account's latest transfer within the prefix left: that transfer, the balance, its seal."""

    transfer: int
    balance: int
    seal: str


@contextmanager
def taken_for_granted(prefix: Prefix | None) -> Iterator[None]:
    """Let the checks within begin behind the prefix."""
    token = _current.set(prefix)
    try:
        yield
    finally:
        _current.reset(token)


def current_prefix() -> Prefix | None:
    """Return what this audit takes for granted; None for a whole one."""
    return _current.get()


def last_granted() -> int:
    """Return the id of the last transfer that is taken for granted; 0 in a whole audit."""
    prefix = _current.get()
    return prefix.transfer if prefix is not None else 0


def left_on_accounts() -> dict[int, Left]:
    """Return by account what the prefix left there; empty in a whole audit."""
    if not (last := last_granted()):
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_LEFT, [last, last])
        return {account: Left(*left) for account, *left in cursor.fetchall()}
