"""Locking the accounts of a posting by one statement: found by their names, and opened where they may be.

Every deal at every table pays an account of the house, and each would wait for the one before it. So in PostgreSQL the
house has sub-accounts, `house:7` beside `house`: a posting takes any that is not locked, and opens one more where all
are. There are never more of them than postings at once; the house holds their sum. SQLite has one writer, and needs
none.
"""

# ruff: noqa: S608  Every part of these statements is written in this file.
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection

from wallet.base import money
from wallet.ledger.accounts import COLUMNS, FIELDS, AccountName, check_known, common_reference, insert, named_condition
from wallet.ledger.hash_chain import NO_TRAIL, TrailEnd
from wallet.ledger.writing import preparing_cursor
from wallet.models import Account

_ANSWER = (
    "SELECT locked.*, (SELECT id FROM wallet_posting WHERE key = %s),"
    " EXISTS (SELECT 1 FROM wallet_freeze WHERE lifted_at IS NULL), trail.id, trail.hash"
    " FROM (SELECT 1) AS always LEFT JOIN ({locked}) AS locked ON TRUE"
    " LEFT JOIN (SELECT id, hash FROM audit_log_auditentry ORDER BY id DESC LIMIT 1) AS trail ON TRUE"
)
_NAMED = f"SELECT {COLUMNS} FROM wallet_account WHERE currency = %s AND ({{named}}) ORDER BY id{{lock}}"
_FREE = (
    f"SELECT {COLUMNS} FROM wallet_account WHERE currency = %s AND kind = %s ORDER BY id LIMIT 1"
    " FOR NO KEY UPDATE SKIP LOCKED"
)


@dataclass(frozen=True, slots=True)
class LockedAccounts:
    """The locked accounts by name, with the id of the key's posting, whether a freeze exists, and the trail's end."""

    accounts: Mapping[AccountName, Account]
    posting: int | None
    frozen: bool
    trail: TrailEnd = NO_TRAIL

    def find(self, account: Account) -> Account:
        """Return the locked account of the same name."""
        return self.accounts[AccountName.of(account)]


def lock_all(
    key: str, names: Iterable[AccountName], currency: str, *, existing: Iterable[AccountName] = ()
) -> LockedAccounts:
    """Lock the accounts of those names, opened if need be, and the `existing` ones, until the transaction ends.

    They are locked in the order of their ids; on SQLite the transaction, begun IMMEDIATE, is the lock. Call inside a
    transaction. WalletError `unknown_account` where one of `existing` does not exist.
    """
    money.currency(currency)
    existing = list(existing)
    names_to_lock = list(dict.fromkeys([*existing, *names]))
    locked = _lock(key, names_to_lock, currency)
    check_known(existing, locked.accounts, currency)
    accounts = dict(locked.accounts)
    while missing := [name for name in names_to_lock if name not in accounts]:
        accounts |= {name: account for name in missing if (account := _open(name, currency))}
        # Accounts that another transaction has opened meanwhile exist now.
        if opened_elsewhere := [name for name in missing if name not in accounts]:
            accounts |= _lock(key, opened_elsewhere, currency).accounts
    return replace(locked, accounts=accounts)


def _lock(key: str, names: Collection[AccountName], currency: str) -> LockedAccounts:
    parts, values = _statements(names, currency)
    with preparing_cursor() as cursor:
        clauses = ", ".join(f"part{number} AS ({part})" for number, part in enumerate(parts))
        locked = " UNION ALL ".join(f"SELECT * FROM part{number}" for number in range(len(parts)))
        cursor.execute(f"WITH {clauses} {_ANSWER.format(locked=locked)}", [*values, key])
        rows = cursor.fetchall()
    *_, posting, frozen, entry, entry_hash = rows[0]
    accounts = [Account.from_db(connection.alias, FIELDS, row[: len(FIELDS)]) for row in rows if row[0] is not None]
    by_name = {_requested_name(account, names): account for account in accounts}
    return LockedAccounts(by_name, posting, bool(frozen), TrailEnd(entry, entry_hash or ""))


def _requested_name(account: Account, names: Collection[AccountName]) -> AccountName:
    name = AccountName.of(account)
    return name if name in names else replace(name, reference=common_reference(name.reference))


def _statements(names: Collection[AccountName], currency: str) -> tuple[list[str], list[Any]]:
    """Return one query that locks all named accounts, and one for each account of the house, with their values."""
    skips_locked = connection.features.has_select_for_update_skip_locked
    house = [name for name in names if skips_locked and name.is_house]
    others = [name for name in names if name not in house]
    parts, values = [], []
    if others:
        condition, named_values = named_condition(others)
        lock = " FOR NO KEY UPDATE" if connection.features.has_select_for_no_key_update else ""
        parts.append(_NAMED.format(named=condition, lock=lock))
        values += [currency, *named_values]
    for name in house:
        parts.append(_FREE)
        values += [currency, str(name.kind)]
    return parts, values


def _open(name: AccountName, currency: str) -> Account | None:
    # Inserting an account that another transaction is changing would wait for that: look for it first.
    if name.is_house and Account.objects.filter(kind=name.kind, currency=currency).exists():
        return _open_sub_account(name, currency)
    return insert(name, currency)


def _open_sub_account(name: AccountName, currency: str) -> Account:
    """Open one more sub-account of the house, named by its own id: all others are locked."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO wallet_account (id, kind, reference, currency, balance, head)"
            " SELECT next, %s, 'house:' || next, %s, 0, ''"
            f" FROM nextval(pg_get_serial_sequence('wallet_account', 'id')) AS next RETURNING {COLUMNS}",
            [str(name.kind), currency],
        )
        return Account.from_db(connection.alias, FIELDS, cursor.fetchone())
