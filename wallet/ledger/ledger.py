"""The only writer of the books. It speaks plain SQL: it is called in the transaction of every move for money."""

# ruff: noqa: S608  Every part of these statements is written in this file.
import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from wallet.base.errors import InsufficientBalance, KeyReused, WalletError
from wallet.base.money import LARGEST_AMOUNT
from wallet.base.places import COLUMNS, NOWHERE, PostingPlace
from wallet.ledger.hash_chain import link_hash
from wallet.models import LONGEST_KEY, MAY_BE_NEGATIVE, Account, AccountKind, Posting, Reason

_TRANSFER = "posting_id, line, debit_id, credit_id, amount, debit_balance, credit_balance, seal"

#: What refuses everything of SETTLEMENT while a freeze stands.
STANDS_STILL = "settlement_frozen"
_FROZEN = "Settlement stands still until our staff have checked the books. Your chips are safe; try again later."
_encode = json.JSONEncoder(separators=(",", ":")).encode

#: What waits while settlement is frozen. Sitting down, adding chips and leaving go on: nothing is shared out by them.
#: So do adjustments: they are how people put right what the freeze is for.
SETTLEMENT = frozenset({Reason.DEAL, Reason.ENTRY, Reason.REJOIN, Reason.PRIZE, Reason.REFUND, Reason.PAID_OUT})

#: Between which kinds of accounts each reason moves money. A player never pays another player.
ROUTES: Mapping[Reason, frozenset[tuple[AccountKind, AccountKind]]] = {
    Reason.SIGN_UP: frozenset({(AccountKind.ISSUANCE, AccountKind.PLAYER)}),
    Reason.REFILL: frozenset({(AccountKind.ISSUANCE, AccountKind.PLAYER)}),
    Reason.BUY_IN: frozenset({(AccountKind.PLAYER, AccountKind.STACK), (AccountKind.PRACTICE, AccountKind.STACK)}),
    Reason.ADD_CHIPS: frozenset({(AccountKind.PLAYER, AccountKind.STACK), (AccountKind.PRACTICE, AccountKind.STACK)}),
    Reason.DEAL: frozenset({(AccountKind.STACK, AccountKind.STACK), (AccountKind.STACK, AccountKind.FEES)}),
    Reason.CASH_OUT: frozenset({(AccountKind.STACK, AccountKind.PLAYER), (AccountKind.STACK, AccountKind.PRACTICE)}),
    Reason.ENTRY: frozenset({(AccountKind.STACK, AccountKind.POT)}),
    Reason.REJOIN: frozenset({(AccountKind.PLAYER, AccountKind.POT), (AccountKind.PRACTICE, AccountKind.POT)}),
    Reason.PRIZE: frozenset(
        {
            (AccountKind.POT, AccountKind.PLAYER),
            (AccountKind.POT, AccountKind.PRACTICE),
            (AccountKind.POT, AccountKind.FEES),
        }
    ),
    Reason.REFUND: frozenset({(AccountKind.POT, AccountKind.PLAYER), (AccountKind.POT, AccountKind.PRACTICE)}),
    # Chips are made and unmade; real money is given out of what the house has earned.
    Reason.ADJUST: frozenset(
        {(house, AccountKind.PLAYER) for house in (AccountKind.ISSUANCE, AccountKind.FEES)}
        | {(AccountKind.PLAYER, house) for house in (AccountKind.ISSUANCE, AccountKind.FEES)}
    ),
    Reason.DEPOSIT: frozenset({(AccountKind.GATEWAY, AccountKind.PLAYER)}),
    Reason.WITHDRAW: frozenset({(AccountKind.PLAYER, AccountKind.WITHDRAWAL)}),
    Reason.PAID_OUT: frozenset({(AccountKind.WITHDRAWAL, AccountKind.GATEWAY)}),
    Reason.RETURNED: frozenset({(AccountKind.WITHDRAWAL, AccountKind.PLAYER)}),
}


@dataclass(frozen=True, slots=True)
class Line:
    """`amount` smallest units are to go from `debit` to `credit`."""

    debit: Account
    credit: Account
    amount: int


def post(
    *,
    key: str,
    lines: Sequence[Line],
    reason: Reason,
    place: PostingPlace | None = None,
    emptied: Account | None = None,
    atomic: bool = True,
) -> Posting:
    """Move every line's amount, all together; `key` names the posting that moved them, at `place`.

    An error leaves the transaction around it as it was before. A caller that is atomic itself and lets every error
    pass saves the savepoint with `atomic=False`.

    The same key with the same reason, lines and place answers the first posting and moves nothing again; with
    anything else it raises KeyReused. InsufficientBalance where an account that is not one of MAY_BE_NEGATIVE
    would fall below zero, WalletError where a line is no possible transfer, and `settlement_frozen` for anything
    new of SETTLEMENT while a freeze stands; `pot_not_empty` where `emptied` would keep something. An error undoes
    whatever was written. Every transfer is sealed (see `hash_chain`).

    Accounts are locked in the order of their ids, before anything is read from them, and until the outermost
    transaction ends. Two transactions that post several times each may still meet crosswise: PostgreSQL then
    ends one of them, for the outermost caller to try again.
    """
    _check_all(key, lines, reason)
    with transaction.atomic() if atomic else nullcontext():
        return _write(key, lines, reason, place, emptied)


def _check_all(key: str, lines: Sequence[Line], reason: Reason) -> None:
    for line in lines:
        _check(line, reason)
    if len({account.currency for line in lines for account in (line.debit, line.credit)}) != 1:
        raise WalletError("invalid_posting", "A posting needs lines, all in one currency.")
    if not 0 < len(key) <= LONGEST_KEY:
        raise WalletError("invalid_posting", f"The key of a posting has 1 to {LONGEST_KEY} characters.")


def _write(
    key: str, lines: Sequence[Line], reason: Reason, place: PostingPlace | None, emptied: Account | None
) -> Posting:
    content = digest(key, reason, ((line.debit.id, line.credit.id, line.amount) for line in lines), place)
    with connection.cursor() as cursor:
        held = _lock_accounts(cursor, key, lines)
        if held.posting is None:
            if held.frozen and reason in SETTLEMENT:
                raise WalletError(STANDS_STILL, _FROZEN)
            posting, created = _posted(cursor, key, content, reason, place)
        else:
            posting, created = Posting.objects.get(pk=held.posting), False
        if posting.digest != content:
            raise KeyReused(key)
        if created:
            after = _move(cursor, posting, lines, held.accounts)
            if emptied is not None and after[emptied.id] != 0:
                raise still_holding(emptied, after[emptied.id])
    return posting


def still_holding(account: Account, left: int) -> WalletError:
    """Return what is said of a pot that is not empty."""
    return WalletError("pot_not_empty", f"{account.reference} would keep {left} in its pot.")


def digest(key: str, reason: str, transfers: Iterable[tuple[int, int, int]], place: PostingPlace | None = None) -> str:
    """Return the fingerprint of a posting's content: key, reason, (debit id, credit id, amount) in order, and its
    place.

    The seal of every transfer covers it, so that the chain covers where money moved as well.
    """
    content: list[object] = [key, str(reason), [list(transfer) for transfer in transfers]]
    if place is not None:
        content.append(place.listed())
    return hashlib.sha256(_encode(content).encode()).hexdigest()


def check_amount(amount: int) -> None:
    """Raise WalletError `invalid_amount` for anything but a whole number from 1 to LARGEST_AMOUNT."""
    if type(amount) is not int or not 1 <= amount <= LARGEST_AMOUNT:
        raise WalletError("invalid_amount", "An amount is a whole number of the smallest unit, at least 1.")


def _check(line: Line, reason: Reason) -> None:
    check_amount(line.amount)
    if (line.debit.kind, line.credit.kind) not in ROUTES[reason]:
        raise WalletError("invalid_posting", f"{reason} does not go from {line.debit.kind} to {line.credit.kind}.")
    if line.debit.id == line.credit.id:
        raise WalletError("invalid_posting", "The two sides of a transfer are two accounts.")


@dataclass(frozen=True, slots=True)
class LockedAccounts:
    """What stands under the lock: balance and head of each account, the posting of the key, a freeze."""

    accounts: Mapping[int, tuple[int, str]]
    posting: int | None
    frozen: bool


def _marks(values: Collection[object]) -> str:
    return ", ".join(["%s"] * len(values))


def _lock_accounts(cursor: CursorWrapper, key: str, lines: Sequence[Line]) -> LockedAccounts:
    """Lock the accounts until the transaction ends; on SQLite, the transaction, begun IMMEDIATE, is the lock."""
    ids = sorted({account.id for line in lines for account in (line.debit, line.credit)})
    lock = " FOR NO KEY UPDATE" if connection.features.has_select_for_no_key_update else ""
    cursor.execute(
        "SELECT id, balance, head, (SELECT id FROM wallet_posting WHERE key = %s),"
        " EXISTS (SELECT 1 FROM wallet_freeze WHERE lifted_at IS NULL)"
        f" FROM wallet_account WHERE id IN ({_marks(ids)}) ORDER BY wallet_account.id{lock}",
        [key, *ids],
    )
    rows = cursor.fetchall()
    *_, posting, frozen = rows[0]
    return LockedAccounts({pk: (balance, head) for pk, balance, head, *_ in rows}, posting, bool(frozen))


def _posted(
    cursor: CursorWrapper, key: str, content: str, reason: Reason, place: PostingPlace | None
) -> tuple[Posting, bool]:
    """Return the posting under `key`, and whether it is a new one. Of two at once, the second waits for the first."""
    now = timezone.now()
    where = NOWHERE if place is None else place.listed()
    cursor.execute(
        f"INSERT INTO wallet_posting (key, digest, reason, created_at, {', '.join(COLUMNS)})"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (key) DO NOTHING RETURNING id",
        [key, content, str(reason), connection.ops.adapt_datetimefield_value(now), *where],
    )
    row = cursor.fetchone()
    if row is None:
        return Posting.objects.get(key=key), False
    at = dict(zip(COLUMNS, where, strict=True))
    return Posting(id=row[0], key=key, digest=content, reason=reason, created_at=now, **at), True


def _move(
    cursor: CursorWrapper, posting: Posting, lines: Sequence[Line], accounts: Mapping[int, tuple[int, str]]
) -> dict[int, int]:
    """Move the amounts; return the balances."""
    after = {pk: balance for pk, (balance, _) in accounts.items()}
    heads = {pk: head for pk, (_, head) in accounts.items()}
    rows: list[Any] = []
    for number, line in enumerate(lines):
        debit, credit = line.debit.id, line.credit.id
        after[debit] -= line.amount
        after[credit] += line.amount
        if after[debit] < 0 and line.debit.kind not in MAY_BE_NEGATIVE:
            raise InsufficientBalance
        content = (number, debit, credit, line.amount, after[debit], after[credit])
        proof = link_hash((heads[debit], heads[credit]), posting.digest, posting.created_at, content)
        heads[debit] = heads[credit] = proof
        rows += [posting.id, *content, proof]
    marks = ", ".join(["(%s, %s, %s, %s, %s, %s, %s, %s)"] * len(lines))
    cursor.execute(f"INSERT INTO wallet_transfer ({_TRANSFER}) VALUES {marks}", rows)
    _store(cursor, accounts, after, heads)
    return after


def _store(
    cursor: CursorWrapper, before: Mapping[int, tuple[int, str]], after: Mapping[int, int], heads: Mapping[int, str]
) -> None:
    """Change each account from the balance that was read to the new one, or something moved under the lock."""
    changes = [(balance, heads[pk], pk, before[pk][0]) for pk, balance in after.items()]
    cursor.executemany("UPDATE wallet_account SET balance = %s, head = %s WHERE id = %s AND balance = %s", changes)
    if cursor.rowcount != len(changes):
        raise RuntimeError(f"A balance of accounts {sorted(after)} changed although they were locked.")
