"""Accounts by name: finding, opening and locking them. In plain SQL, since every movement of money needs them.

The accounts of a posting are locked by one statement: found by their names, and opened where they may be. Every deal at
every table pays an account of the house, and each would wait for the one before it. So in PostgreSQL the house has
sub-accounts, `house:7` beside `house`: a posting takes any that is not locked, and opens one more where all are. There
are never more of them than postings at once; the house holds their sum. SQLite has one writer, and needs none.
"""

# ruff: noqa: S608  Every part of these statements is written in this file.
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import connection
from django.db.models import Q

from wallet.base import money
from wallet.base.errors import WalletError
from wallet.ledger.hash_chain import NO_TRAIL, TrailEnd
from wallet.ledger.writing import preparing_cursor
from wallet.models import HOUSE, Account, AccountKind

_FIELDS = ("id", "kind", "reference", "currency", "owner_id", "balance", "head")
_COLUMNS = ", ".join(_FIELDS)
_HOUSE = "house"
#: So many accounts are opened by one statement at most.
MOST_INSERTED = 200
_ANSWER = (
    "SELECT locked.*, (SELECT id FROM wallet_posting WHERE key = %s),"
    " EXISTS (SELECT 1 FROM wallet_freeze WHERE lifted_at IS NULL), trail.id, trail.hash"
    " FROM (SELECT 1) AS always LEFT JOIN ({locked}) AS locked ON TRUE"
    " LEFT JOIN (SELECT id, hash FROM audit_log_auditentry ORDER BY id DESC LIMIT 1) AS trail ON TRUE"
)
_NAMED = f"SELECT {_COLUMNS} FROM wallet_account WHERE currency = %s AND ({{named}}) ORDER BY id{{lock}}"
_FREE = (
    f"SELECT {_COLUMNS} FROM wallet_account WHERE currency = %s AND kind = %s ORDER BY id LIMIT 1"
    " FOR NO KEY UPDATE SKIP LOCKED"
)


@dataclass(frozen=True, slots=True)
class AccountName:
    """The name of an account, the same in each currency; `owner` is only for opening it, and not part of the name."""

    kind: AccountKind
    reference: str
    owner: int | None = field(default=None, compare=False)

    @staticmethod
    def of(account: Account) -> "AccountName":
        """Return the name of the account."""
        return AccountName(AccountKind(account.kind), account.reference, account.owner_id)

    @property
    def is_house(self) -> bool:
        """Whether it names the house's account of that kind, in whichever of its sub-accounts."""
        return self.kind in HOUSE and self.reference == _HOUSE


FEES = AccountName(AccountKind.FEES, _HOUSE)
ISSUANCE = AccountName(AccountKind.ISSUANCE, _HOUSE)


def common_reference(reference: str) -> str:
    """Return `house` for a sub-account of the house, every other reference unchanged."""
    return _HOUSE if reference.startswith(f"{_HOUSE}:") else reference


def with_reference(reference: str) -> Q:
    """Return the condition for the accounts of that reference, for `house` all of the house's; it uses an index."""
    if reference == _HOUSE:
        return Q(kind__in=HOUSE)
    return Q(kind__in=AccountKind.values, reference=reference)


def balance_name(owner: int | None, currency: str) -> AccountName:
    """Return the name of the account that `owner` pays from and is paid to; None is a computer player."""
    if owner is not None:
        return AccountName(AccountKind.PLAYER, f"user:{owner}", owner)
    return AccountName(AccountKind.PRACTICE, _HOUSE)


def stack_name(seating: int, owner: int | None = None) -> AccountName:
    return AccountName(AccountKind.STACK, f"seating:{seating}", owner)


def pot_name(match: int) -> AccountName:
    return AccountName(AccountKind.POT, f"match:{match}")


def find_named(names: Collection[AccountName], currency: str | None = None) -> dict[AccountName, Account]:
    """Return the accounts of those names, in the currency where one is given.

    WalletError `unknown_account` where one does not exist.
    """
    accounts = {name: account for name, account in _read_accounts(names) if currency in (None, account.currency)}
    _check_known(names, accounts, currency)
    return accounts


def find_accounts(kind: AccountKind, references: Iterable[str]) -> list[Account]:
    """Return the accounts of that kind and those references, in every currency; missing ones are left out."""
    return [account for _, account in _read_accounts([AccountName(kind, reference) for reference in references])]


def open_account(name: AccountName, currency: str) -> Account:
    """Return the account of that name and currency, opened if need be. Call inside a transaction."""
    for _ in range(2):
        existing = [account for _, account in _read_accounts([name]) if account.currency == currency]
        if account := existing[0] if existing else _insert(name, currency):
            return account
    raise RuntimeError(f"The account of {name} is neither there nor to be opened.")


def _insert(name: AccountName, currency: str) -> Account | None:
    """Open the account of that name and currency; None if another transaction has opened it meanwhile."""
    identity = (str(name.kind), name.reference, currency)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO wallet_account (kind, reference, currency, owner_id, balance, head)"
            " VALUES (%s, %s, %s, %s, 0, '') ON CONFLICT (kind, reference, currency) DO NOTHING RETURNING id",
            [*identity, name.owner],
        )
        row = cursor.fetchone()
    return Account.from_db(connection.alias, _FIELDS, (row[0], *identity, name.owner, 0, "")) if row else None


def insert_all(names: Sequence[AccountName], currency: str) -> None:
    """Open those of these accounts that are not there, at once for `MOST_INSERTED` of them."""
    for start in range(0, len(names), MOST_INSERTED):
        part = names[start : start + MOST_INSERTED]
        rows = ", ".join(["(%s, %s, %s, %s, 0, '')"] * len(part))
        values = [each for name in part for each in (str(name.kind), name.reference, currency, name.owner)]
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO wallet_account (kind, reference, currency, owner_id, balance, head) VALUES {rows}"
                " ON CONFLICT (kind, reference, currency) DO NOTHING",
                values,
            )


def _check_known(names: Iterable[AccountName], existing: Collection[AccountName], currency: str | None) -> None:
    """Raise WalletError `unknown_account` where one of the names was not found."""
    for name in names:
        if name not in existing:
            where = currency or "any currency"
            raise WalletError("unknown_account", f"There is no {name.kind} of {name.reference} in {where}.")


def _named_condition(names: Iterable[AccountName]) -> tuple[str, list[str]]:
    """Return the condition for the accounts of those names, as SQL, and its values.

    Kinds are written into the SQL: as values they would decide on the use of partial indexes, and SQLite would compile
    the statement again at every call.
    """
    by_kind: dict[AccountKind, list[str]] = {}
    for name in dict.fromkeys(names):
        by_kind.setdefault(name.kind, []).append(name.reference)
    marks = {kind: ", ".join(["%s"] * len(references)) for kind, references in by_kind.items()}
    condition = " OR ".join(f"(kind = '{kind}' AND reference IN ({of_kind}))" for kind, of_kind in marks.items())
    return condition or "FALSE", [reference for references in by_kind.values() for reference in references]


def _read_accounts(names: Iterable[AccountName]) -> Iterator[tuple[AccountName, Account]]:
    """Yield the accounts of those names in every currency, by one query."""
    condition, values = _named_condition(names)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {_COLUMNS} FROM wallet_account WHERE {condition}", values)
        rows = cursor.fetchall()
    for row in rows:
        account = Account.from_db(connection.alias, _FIELDS, row)
        yield AccountName.of(account), account


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
    _check_known(existing, locked.accounts, currency)
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
    accounts = [Account.from_db(connection.alias, _FIELDS, row[: len(_FIELDS)]) for row in rows if row[0] is not None]
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
        condition, named_values = _named_condition(others)
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
    return _insert(name, currency)


def _open_sub_account(name: AccountName, currency: str) -> Account:
    """Open one more sub-account of the house, named by its own id: all others are locked."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO wallet_account (id, kind, reference, currency, balance, head)"
            " SELECT next, %s, 'house:' || next, %s, 0, ''"
            f" FROM nextval(pg_get_serial_sequence('wallet_account', 'id')) AS next RETURNING {_COLUMNS}",
            [str(name.kind), currency],
        )
        return Account.from_db(connection.alias, _FIELDS, cursor.fetchone())
