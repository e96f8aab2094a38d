"""The only writer of the books. It speaks plain SQL: it is called in the transaction of every move for money."""

# ruff: noqa: S608  Every part of these statements is written in this file.
import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from wallet.errors import InsufficientBalance, KeyReused, WalletError
from wallet.models import LONGEST_KEY, MAY_BE_NEGATIVE, Account, Kind, Posting, Reason
from wallet.money import LARGEST_AMOUNT
from wallet.sealing import seal

_FIELDS = ("id", "kind", "reference", "currency", "owner_id", "balance", "head")
_COLUMNS = ", ".join(_FIELDS)
_TRANSFER = "posting_id, line, debit_id, credit_id, amount, debit_balance, credit_balance, seal"

#: What waits while settlement is frozen. Sitting down, adding chips and leaving go on: nothing is shared out by them.
SETTLEMENT = frozenset({Reason.DEAL, Reason.ENTRY, Reason.REJOIN, Reason.PRIZE, Reason.REFUND, Reason.PAID_OUT})

#: Between which kinds of accounts each reason moves money. A player never pays another player.
ROUTES: Mapping[Reason, frozenset[tuple[Kind, Kind]]] = {
    Reason.SIGN_UP: frozenset({(Kind.ISSUANCE, Kind.PLAYER)}),
    Reason.REFILL: frozenset({(Kind.ISSUANCE, Kind.PLAYER)}),
    Reason.BUY_IN: frozenset({(Kind.PLAYER, Kind.STACK), (Kind.PRACTICE, Kind.STACK)}),
    Reason.ADD_CHIPS: frozenset({(Kind.PLAYER, Kind.STACK), (Kind.PRACTICE, Kind.STACK)}),
    Reason.DEAL: frozenset({(Kind.STACK, Kind.STACK), (Kind.STACK, Kind.FEES)}),
    Reason.CASH_OUT: frozenset({(Kind.STACK, Kind.PLAYER), (Kind.STACK, Kind.PRACTICE)}),
    Reason.ENTRY: frozenset({(Kind.STACK, Kind.POT)}),
    Reason.REJOIN: frozenset({(Kind.PLAYER, Kind.POT), (Kind.PRACTICE, Kind.POT)}),
    Reason.PRIZE: frozenset({(Kind.POT, Kind.PLAYER), (Kind.POT, Kind.PRACTICE), (Kind.POT, Kind.FEES)}),
    Reason.REFUND: frozenset({(Kind.POT, Kind.PLAYER), (Kind.POT, Kind.PRACTICE)}),
    # Chips are made and unmade; real money is given out of what the house has earned.
    Reason.ADJUST: frozenset(
        {(house, Kind.PLAYER) for house in (Kind.ISSUANCE, Kind.FEES)}
        | {(Kind.PLAYER, house) for house in (Kind.ISSUANCE, Kind.FEES)}
    ),
    Reason.DEPOSIT: frozenset({(Kind.GATEWAY, Kind.PLAYER)}),
    Reason.WITHDRAW: frozenset({(Kind.PLAYER, Kind.WITHDRAWAL)}),
    Reason.PAID_OUT: frozenset({(Kind.WITHDRAWAL, Kind.GATEWAY)}),
    Reason.RETURNED: frozenset({(Kind.WITHDRAWAL, Kind.PLAYER)}),
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
    anything else it raises KeyReused. InsufficientBalance where an account that is not one of MAY_BE_NEGATIVE
    would fall below zero, WalletError where a line is no possible transfer, and `settlement_frozen` for anything
    new of SETTLEMENT while a freeze stands. An error writes nothing. Every transfer is sealed (see `sealing`).

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
    accounts, frozen = _locked(lines)
    content = digest(key, reason, ((line.debit.pk, line.credit.pk, line.amount) for line in lines))
    posting, created = _posted(key, content, reason, frozen=frozen and reason in SETTLEMENT)
    if posting.digest != content:
        raise KeyReused(key)
    if created:
        _move(posting, lines, accounts)
    return posting


def find(kind: Kind, references: Collection[str]) -> list[Account]:
    """The accounts of that kind and those references, in every currency, by plain SQL: this is asked at every move."""
    if not references:
        return []
    marks = ", ".join(["%s"] * len(references))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {_COLUMNS} FROM wallet_account WHERE kind = %s AND reference IN ({marks})",
            [str(kind), *references],
        )
        return [Account.from_db(connection.alias, _FIELDS, row) for row in cursor.fetchall()]


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


def _locked(lines: Sequence[Line]) -> tuple[dict[int, tuple[int, str]], bool]:
    """Balance and head of each account as they now are, and whether settlement is frozen.

    On SQLite the transaction itself, begun IMMEDIATE, is the lock.
    """
    ids = sorted({account.pk for line in lines for account in _sides(line)})
    marks = ", ".join(["%s"] * len(ids))
    lock = " FOR NO KEY UPDATE" if connection.features.has_select_for_no_key_update else ""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, balance, head, EXISTS (SELECT 1 FROM wallet_freeze WHERE lifted_at IS NULL)"
            f" FROM wallet_account WHERE id IN ({marks}) ORDER BY id{lock}",
            ids,
        )
        rows = cursor.fetchall()
    return {pk: (balance, head) for pk, balance, head, _ in rows}, any(frozen for *_, frozen in rows)


def _posted(key: str, content: str, reason: Reason, *, frozen: bool) -> tuple[Posting, bool]:
    """The posting under `key`, and whether it is a new one. Of two at once, the second waits for the first."""
    now = timezone.now()
    fields = [key, content, str(reason), connection.ops.adapt_datetimefield_value(now)]
    # Asked first: SQLite's guard against taking another's place would refuse even what gives way.
    if old := _earlier(key):
        return old, False
    if frozen:
        raise WalletError("settlement_frozen", "Settlement stands still until our staff have checked the books.")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO wallet_posting (key, digest, reason, created_at) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (key) DO NOTHING RETURNING id",
            fields,
        )
        row = cursor.fetchone()
    if row is None:
        return Posting.objects.get(key=key), False
    return Posting(pk=row[0], key=key, digest=content, reason=reason, created_at=now), True


def _earlier(key: str) -> Posting | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM wallet_posting WHERE key = %s", [key])
        return Posting.objects.get(key=key) if cursor.fetchone() else None


def _move(posting: Posting, lines: Sequence[Line], accounts: Mapping[int, tuple[int, str]]) -> None:
    after = {pk: balance for pk, (balance, _) in accounts.items()}
    heads = {pk: head for pk, (_, head) in accounts.items()}
    rows: list[Any] = []
    for number, line in enumerate(lines):
        debit, credit = line.debit.pk, line.credit.pk
        after[debit] -= line.amount
        after[credit] += line.amount
        if after[debit] < 0 and line.debit.kind not in MAY_BE_NEGATIVE:
            raise InsufficientBalance
        content = (number, debit, credit, line.amount, after[debit], after[credit])
        proof = seal((heads[debit], heads[credit]), posting.digest, posting.created_at, content)
        heads[debit] = heads[credit] = proof
        rows += [posting.pk, *content, proof]
    marks = ", ".join(["(%s, %s, %s, %s, %s, %s, %s, %s)"] * len(lines))
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO wallet_transfer ({_TRANSFER}) VALUES {marks}", rows)
    _store(accounts, after, heads)


def _store(before: Mapping[int, tuple[int, str]], after: Mapping[int, int], heads: Mapping[int, str]) -> None:
    """Each account goes from the balance that was read to the new one, or something moved under the lock."""
    changes = [(balance, heads[pk], pk, before[pk][0]) for pk, balance in after.items()]
    with connection.cursor() as cursor:
        cursor.executemany("UPDATE wallet_account SET balance = %s, head = %s WHERE id = %s AND balance = %s", changes)
        if cursor.rowcount != len(changes):
            raise RuntimeError(f"A balance of accounts {sorted(after)} changed although they were locked.")
