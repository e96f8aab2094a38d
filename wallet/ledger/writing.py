"""Writing a posting into the books: its row, its transfers, and the changes of its accounts.

On PostgreSQL one statement does all three, since each would cost a round trip to the server. SQLite has no such
statement, and no round trips.
"""

# ruff: noqa: S608  Every part of these statements is written in this file.
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import connection

from wallet.base.places import COLUMNS
from wallet.models import Posting

_POSTING = f"key, digest, reason, created_at, {', '.join(COLUMNS)}, trail_entry"
_TRANSFER = "line, debit_id, credit_id, amount, debit_balance, credit_balance, seal"
_INSERT = (
    f"INSERT INTO wallet_posting ({_POSTING}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
    " ON CONFLICT (key) DO NOTHING RETURNING id"
)
#: The triggers of transfers and accounts see what the parts before theirs have written.
_AT_ONCE = f"""WITH posting AS ({_INSERT}),
    made AS (INSERT INTO wallet_transfer (posting_id, {_TRANSFER}) SELECT posting.id, each.* FROM posting,
        (VALUES {{moves}}) AS each ({_TRANSFER}) ORDER BY line RETURNING 1),
    changed AS (UPDATE wallet_account SET balance = each.after, head = each.new_head
        FROM (VALUES {{changes}}) AS each (account, before, after, new_head),
            (SELECT COUNT(*) AS count FROM made) AS all_made
        WHERE id = each.account AND balance = each.before AND all_made.count > 0 RETURNING 1)
    SELECT (SELECT id FROM posting), (SELECT COUNT(*) FROM changed)"""


class SealedTransfer(NamedTuple):
    """A transfer as it is written: its line, the two accounts, the amount, their balances after it, its seal."""

    line: int
    debit: int
    credit: int
    amount: int
    debit_balance: int
    credit_balance: int
    seal: str


class AccountChange(NamedTuple):
    """The change of an account: from the balance that was read under its lock to the new balance and head."""

    account: int
    before: int
    after: int
    head: str


def write_posting(posting: Posting, moves: Sequence[SealedTransfer], changes: Sequence[AccountChange]) -> bool:
    """Write all three, and give the posting its id; False, with nothing written, where its key is taken.

    RuntimeError where a balance differs from the one that was read.
    """
    write = at_once if connection.vendor == "postgresql" else one_by_one
    return write(posting, moves, changes)


def at_once(posting: Posting, moves: Sequence[SealedTransfer], changes: Sequence[AccountChange]) -> bool:
    """Write like `write_posting`, by one statement. For PostgreSQL."""
    statement = _AT_ONCE.format(moves=_marks(moves), changes=_marks(changes))
    with connection.cursor() as cursor:
        cursor.execute(statement, [*_values(posting), *_flat(moves), *_flat(changes)])
        posting.pk, changed = cursor.fetchone()
    return _is_whole(posting, changed, changes)


def one_by_one(posting: Posting, moves: Sequence[SealedTransfer], changes: Sequence[AccountChange]) -> bool:
    """Write like `write_posting`, by a statement for each table."""
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, _values(posting))
        [posting.pk] = cursor.fetchone() or [None]
        if posting.pk is None:
            return False
        rows = [(posting.pk, *move) for move in moves]
        cursor.execute(f"INSERT INTO wallet_transfer (posting_id, {_TRANSFER}) VALUES {_marks(rows)}", _flat(rows))
        cursor.executemany(
            "UPDATE wallet_account SET balance = %s, head = %s WHERE id = %s AND balance = %s",
            [(each.after, each.head, each.account, each.before) for each in changes],
        )
        return _is_whole(posting, cursor.rowcount, changes)


def _is_whole(posting: Posting, changed: int, changes: Sequence[AccountChange]) -> bool:
    if posting.pk is not None and changed != len(changes):
        accounts = sorted(each.account for each in changes)
        raise RuntimeError(f"A balance of accounts {accounts} changed although they were locked.")
    return posting.pk is not None


def _values(posting: Posting) -> list[Any]:
    made_at = connection.ops.adapt_datetimefield_value(posting.created_at)
    at = [getattr(posting, column) for column in COLUMNS]
    return [posting.key, posting.digest, str(posting.reason), made_at, *at, posting.trail_entry]


def _marks(rows: Sequence[tuple[Any, ...]]) -> str:
    each = f"({', '.join(['%s'] * len(rows[0]))})"
    return ", ".join([each] * len(rows))


def _flat(rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    return [value for row in rows for value in row]
