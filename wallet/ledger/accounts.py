"""Accounts by their names: found, or opened where they may be. In plain SQL: every move for money asks for them."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from django.db import connection

from wallet.base import money
from wallet.base.errors import WalletError
from wallet.models import Account, AccountKind

_FIELDS = ("id", "kind", "reference", "currency", "owner_id", "balance", "head")
_COLUMNS = ", ".join(_FIELDS)


@dataclass(frozen=True, slots=True)
class AccountName:
    """What names an account in each currency; `owner` is whose it is where it is to be opened, and names nothing."""

    kind: AccountKind
    reference: str
    owner: int | None = field(default=None, compare=False)


FEES = AccountName(AccountKind.FEES, "house")
ISSUANCE = AccountName(AccountKind.ISSUANCE, "house")


def balance_name(owner: int | None, currency: str) -> AccountName:
    """Name where the money of this user comes from and returns to; None is a computer player.

    WalletError `play_money_only` for a computer player in real money.
    """
    if owner is not None:
        return AccountName(AccountKind.PLAYER, f"user:{owner}", owner)
    if money.currency(currency).real:
        raise WalletError("play_money_only", "Computer players play for play money only.")
    return AccountName(AccountKind.PRACTICE, "house")


def stack_name(seating: int, owner: int | None = None) -> AccountName:
    return AccountName(AccountKind.STACK, f"seating:{seating}", owner)


def pot_name(match: int) -> AccountName:
    return AccountName(AccountKind.POT, f"match:{match}")


def open_all(
    names: Iterable[AccountName], currency: str, *, existing: Iterable[AccountName] = ()
) -> dict[AccountName, Account]:
    """Return the accounts of those names, opened if need be, and the `existing` ones, by one query for them all.

    Call inside a transaction. WalletError `unknown_account` where an existing one is not there.
    """
    money.currency(currency)
    names, existing = list(names), list(existing)
    found = {name: account for name, account in _named([*existing, *names]) if account.currency == currency}
    _check_all(existing, found, currency)
    for name in names:
        if name not in found:
            found[name] = open_account(name.kind, name.reference, currency, name.owner)
    return found


def find_all(names: Collection[AccountName], currency: str | None = None) -> dict[AccountName, Account]:
    """Return the accounts of those names, in the currency where one is given.

    WalletError `unknown_account` where one is not there.
    """
    found = {name: account for name, account in _named(names) if currency in (None, account.currency)}
    _check_all(names, found, currency)
    return found


def find_accounts(kind: AccountKind, references: Iterable[str]) -> list[Account]:
    """Return the accounts of that kind and those references, in every currency; what is not there is left out."""
    return [account for _, account in _named([AccountName(kind, reference) for reference in references])]


def open_account(kind: AccountKind, reference: str, currency: str, owner: int | None = None) -> Account:
    """Return the account of that kind, reference and currency, opened now. Call inside a transaction that found none.

    What another transaction has opened in the meantime is answered as it is. On SQLite there is no other one.
    """
    name = (str(kind), reference, currency)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO wallet_account (kind, reference, currency, owner_id, balance, head)"
            " VALUES (%s, %s, %s, %s, 0, '') ON CONFLICT (kind, reference, currency) DO NOTHING RETURNING id",
            [*name, owner],
        )
        if row := cursor.fetchone():
            return Account.from_db(connection.alias, _FIELDS, (row[0], *name, owner, 0, ""))
    return next(account for account in find_accounts(kind, [reference]) if account.currency == currency)


def _check_all(names: Iterable[AccountName], found: Collection[AccountName], currency: str | None) -> None:
    for name in names:
        if name not in found:
            where = currency or "any currency"
            raise WalletError("unknown_account", f"There is no {name.kind} of {name.reference} in {where}.")


def _named(names: Iterable[AccountName]) -> Iterator[tuple[AccountName, Account]]:
    """Yield the accounts of those names in every currency, by one query."""
    wanted: dict[AccountKind, list[str]] = {}
    for name in dict.fromkeys(names):
        wanted.setdefault(name.kind, []).append(name.reference)
    parts = [
        f"SELECT {_COLUMNS} FROM wallet_account WHERE kind = %s"  # noqa: S608  Nothing in it comes from outside.
        f" AND reference IN ({', '.join(['%s'] * len(references))})"
        for references in wanted.values()
    ]
    if not parts:
        return
    with connection.cursor() as cursor:
        given = [value for kind, references in wanted.items() for value in (str(kind), *references)]
        cursor.execute(" UNION ALL ".join(parts), given)
        rows = cursor.fetchall()
    for row in rows:
        account = Account.from_db(connection.alias, _FIELDS, row)
        yield AccountName(AccountKind(account.kind), account.reference, account.owner_id), account
