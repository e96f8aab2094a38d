"""The only writer of the books."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection, transaction
from django.utils import timezone

from wallet.errors import InsufficientBalance, KeyReused, WalletError
from wallet.models import LONGEST_KEY, MAY_BE_NEGATIVE, Account, Kind, Posting, Reason, Transfer
from wallet.money import LARGEST_AMOUNT

#: Between which kinds of accounts each reason moves money. A player never pays another player.
ROUTES: Mapping[Reason, frozenset[tuple[Kind, Kind]]] = {
    Reason.SIGN_UP: frozenset({(Kind.ISSUANCE, Kind.PLAYER)}),
    Reason.BUY_IN: frozenset({(Kind.PLAYER, Kind.STACK), (Kind.PRACTICE, Kind.STACK)}),
    Reason.ADD_CHIPS: frozenset({(Kind.PLAYER, Kind.STACK), (Kind.PRACTICE, Kind.STACK)}),
    Reason.DEAL: frozenset({(Kind.STACK, Kind.STACK), (Kind.STACK, Kind.FEES)}),
    Reason.CASH_OUT: frozenset({(Kind.STACK, Kind.PLAYER), (Kind.STACK, Kind.PRACTICE)}),
    Reason.ENTRY: frozenset({(Kind.STACK, Kind.POT)}),
    Reason.REJOIN: frozenset({(Kind.PLAYER, Kind.POT), (Kind.PRACTICE, Kind.POT)}),
    Reason.PRIZE: frozenset({(Kind.POT, Kind.PLAYER), (Kind.POT, Kind.PRACTICE), (Kind.POT, Kind.FEES)}),
    Reason.REFUND: frozenset({(Kind.POT, Kind.PLAYER), (Kind.POT, Kind.PRACTICE)}),
}


@dataclass(frozen=True, slots=True)
class Line:
    """`amount` smallest units are to go from `debit` to `credit`."""

    debit: Account
    credit: Account
    amount: int


@transaction.atomic
def post(*, key: str, lines: Sequence[Line], reason: Reason) -> Posting:
    """Afterwards every line's amount has moved, all together, and `key` names the posting that moved them.

    The same key with the same reason and lines answers the first posting and moves nothing again; with
    anything else it raises KeyReused. InsufficientBalance where an account other than issuance and practice
    would fall below zero, WalletError where a line is no possible transfer. An error writes nothing.

    Accounts are locked in the order of their ids, before anything is read from them, and until the outermost
    transaction ends. Two transactions that post several times each may still meet crosswise: PostgreSQL then
    ends one of them, for the outermost caller to try again.
    """
    for line in lines:
        _check(line, reason)
    if len({account.currency for line in lines for account in _sides(line)}) != 1:
        raise WalletError("invalid_posting", "A posting needs lines, all in one currency.")
    if not 0 < len(key) <= LONGEST_KEY:
        raise WalletError("invalid_posting", f"The key of a posting has 1 to {LONGEST_KEY} characters.")
    accounts = _locked(lines)
    content = digest(key, reason, ((line.debit.pk, line.credit.pk, line.amount) for line in lines))
    posting, created = Posting.objects.get_or_create(
        key=key, defaults={"digest": content, "reason": reason, "created_at": timezone.now()}
    )
    if posting.digest != content:
        raise KeyReused(key)
    if created:
        _move(posting, lines, accounts)
    return posting


def digest(key: str, reason: str, transfers: Iterable[tuple[int, int, int]]) -> str:
    """The fingerprint of a posting's content: key, reason, and (debit id, credit id, amount) in order."""
    content = json.dumps([key, str(reason), [list(transfer) for transfer in transfers]], separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()


def check_amount(amount: int) -> None:
    """WalletError `invalid_amount` for anything but a whole number from 1 to LARGEST_AMOUNT."""
    if type(amount) is not int or not 1 <= amount <= LARGEST_AMOUNT:
        raise WalletError("invalid_amount", "An amount is a whole number of the smallest unit, at least 1.")


def _check(line: Line, reason: Reason) -> None:
    check_amount(line.amount)
    if (line.debit.kind, line.credit.kind) not in ROUTES[reason]:
        raise WalletError("invalid_posting", f"{reason} does not go from {line.debit.kind} to {line.credit.kind}.")
    if line.debit.pk == line.credit.pk:
        raise WalletError("invalid_posting", "The two sides of a transfer are two accounts.")


def _sides(line: Line) -> tuple[Account, Account]:
    return line.debit, line.credit


def _locked(lines: Sequence[Line]) -> dict[int, Account]:
    """The accounts as they now are. On SQLite the transaction itself, begun IMMEDIATE, is the lock."""
    ids = {account.pk for line in lines for account in _sides(line)}
    locked = Account.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
    return {account.pk: account for account in locked}


def _move(posting: Posting, lines: Sequence[Line], accounts: Mapping[int, Account]) -> None:
    before = {pk: account.balance for pk, account in accounts.items()}
    after = dict(before)
    transfers = []
    for number, line in enumerate(lines):
        debit, credit = accounts[line.debit.pk], accounts[line.credit.pk]
        after[debit.pk] -= line.amount
        after[credit.pk] += line.amount
        if after[debit.pk] < 0 and debit.kind not in MAY_BE_NEGATIVE:
            raise InsufficientBalance
        transfers.append(
            Transfer(
                posting=posting,
                line=number,
                debit=debit,
                credit=credit,
                amount=line.amount,
                debit_balance=after[debit.pk],
                credit_balance=after[credit.pk],
            )
        )
    Transfer.objects.bulk_create(transfers)
    _store(before, after)


def _store(before: Mapping[int, int], after: Mapping[int, int]) -> None:
    """Each account goes from the balance that was read to the new one, or something moved under the lock."""
    changes = [(balance, pk, before[pk]) for pk, balance in after.items()]
    with connection.cursor() as cursor:
        cursor.executemany("UPDATE wallet_account SET balance = %s WHERE id = %s AND balance = %s", changes)
        if cursor.rowcount != len(changes):
            raise RuntimeError(f"A balance of accounts {sorted(after)} changed although they were locked.")
