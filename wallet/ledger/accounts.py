"""Accounts by name: finding and opening them. In plain SQL, since every movement of money needs them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from django.db import connection
from django.db.models import Q

from wallet.base.errors import WalletError
from wallet.models import HOUSE, Account, AccountKind

FIELDS = ("id", "kind", "reference", "currency", "owner_id", "balance", "head")
COLUMNS = ", ".join(FIELDS)
_HOUSE = "house"
#: So many accounts are opened by one statement at most.
MOST_INSERTED = 200


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
        """Whether it names the house's account of that kind, in whichever of its sub-accounts (see `locks`)."""
        return self.kind in HOUSE and self.reference == _HOUSE


FEES = AccountName(AccountKind.FEES, _HOUSE)
ISSUANCE = AccountName(AccountKind.ISSUANCE, _HOUSE)


def common_reference(reference: str) -> str:
    """Return `house` for a sub-account of the house (see `locks`), every other reference unchanged."""
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
    check_known(names, accounts, currency)
    return accounts


def find_accounts(kind: AccountKind, references: Iterable[str]) -> list[Account]:
    """Return the accounts of that kind and those references, in every currency; missing ones are left out."""
    return [account for _, account in _read_accounts([AccountName(kind, reference) for reference in references])]


def open_account(name: AccountName, currency: str) -> Account:
    """Return the account of that name and currency, opened if need be. Call inside a transaction."""
    for _ in range(2):
        existing = [account for _, account in _read_accounts([name]) if account.currency == currency]
        if account := existing[0] if existing else insert(name, currency):
            return account
    raise RuntimeError(f"The account of {name} is neither there nor to be opened.")


def insert(name: AccountName, currency: str) -> Account | None:
    """Open the account of that name and currency; None if another transaction has opened it meanwhile."""
    identity = (str(name.kind), name.reference, currency)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO wallet_account (kind, reference, currency, owner_id, balance, head)"
            " VALUES (%s, %s, %s, %s, 0, '') ON CONFLICT (kind, reference, currency) DO NOTHING RETURNING id",
            [*identity, name.owner],
        )
        row = cursor.fetchone()
    return Account.from_db(connection.alias, FIELDS, (row[0], *identity, name.owner, 0, "")) if row else None


def insert_all(names: Sequence[AccountName], currency: str) -> None:
    """Open those of these accounts that are not there, at once for `MOST_INSERTED` of them."""
    for start in range(0, len(names), MOST_INSERTED):
        part = names[start : start + MOST_INSERTED]
        rows = ", ".join(["(%s, %s, %s, %s, 0, '')"] * len(part))
        values = [each for name in part for each in (str(name.kind), name.reference, currency, name.owner)]
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO wallet_account (kind, reference, currency, owner_id, balance, head) VALUES {rows}"  # noqa: S608
                " ON CONFLICT (kind, reference, currency) DO NOTHING",
                values,
            )


def check_known(names: Iterable[AccountName], existing: Collection[AccountName], currency: str | None) -> None:
    """Raise WalletError `unknown_account` where one of the names was not found."""
    for name in names:
        if name not in existing:
            where = currency or "any currency"
            raise WalletError("unknown_account", f"There is no {name.kind} of {name.reference} in {where}.")


def named_condition(names: Iterable[AccountName]) -> tuple[str, list[str]]:
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
    condition, values = named_condition(names)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {COLUMNS} FROM wallet_account WHERE {condition}", values)  # noqa: S608
        rows = cursor.fetchall()
    for row in rows:
        account = Account.from_db(connection.alias, FIELDS, row)
        yield AccountName.of(account), account
