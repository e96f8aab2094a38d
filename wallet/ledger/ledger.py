"""The only writer of the books. It uses plain SQL, since every movement of money runs through it."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from types import MappingProxyType

from django.db import transaction
from django.utils import timezone

from wallet.base.errors import InsufficientBalance, KeyReused, WalletError
from wallet.base.money import LARGEST_AMOUNT
from wallet.base.places import COLUMNS, NOWHERE, PostingPlace
from wallet.ledger.accounts import AccountName, LockedAccounts, common_reference, lock_all
from wallet.ledger.hash_chain import TrailEnd, link_hash
from wallet.ledger.settlement_freeze import SETTLEMENT_FROZEN
from wallet.ledger.writing import AccountChange, NewPosting, WrittenTransfer, write_postings
from wallet.models import LONGEST_KEY, MAY_BE_NEGATIVE, Account, AccountKind, Posting, Reason, Transfer

_FROZEN = "Settlement stands still until our staff have checked the books. Your chips are safe; try again later."
_encode = json.JSONEncoder(separators=(",", ":")).encode

#: The reasons that wait while settlement is frozen. Sitting down, adding chips and leaving go on: they share nothing
#: out. So do adjustments: with them people put right what caused the freeze.
SETTLEMENT = frozenset(
    {
        Reason.DEAL,
        Reason.ENTRY,
        Reason.REJOIN,
        Reason.PRIZE,
        Reason.REFUND,
        Reason.TOURNAMENT_PRIZE,
        Reason.TOURNAMENT_REFUND,
    }
)

#: Between which kinds of accounts each reason moves money. A player never pays another player.
ROUTES: Mapping[Reason, frozenset[tuple[AccountKind, AccountKind]]] = {
    Reason.SIGN_UP: frozenset({(AccountKind.ISSUANCE, AccountKind.PLAYER)}),
    Reason.REFILL: frozenset({(AccountKind.ISSUANCE, AccountKind.PLAYER)}),
    # Chips whose owner closes the account are destroyed.
    Reason.FORFEIT: frozenset({(AccountKind.PLAYER, AccountKind.ISSUANCE)}),
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
    Reason.TOURNAMENT_ENTRY: frozenset({(AccountKind.PLAYER, AccountKind.POT)}),
    Reason.TOURNAMENT_PRIZE: frozenset({(AccountKind.POT, AccountKind.PLAYER), (AccountKind.POT, AccountKind.FEES)}),
    Reason.TOURNAMENT_REFUND: frozenset({(AccountKind.POT, AccountKind.PLAYER)}),
    Reason.CHIPS_ISSUED: frozenset({(AccountKind.ISSUANCE, AccountKind.STACK)}),
    Reason.CHIPS_TAKEN_BACK: frozenset({(AccountKind.STACK, AccountKind.ISSUANCE)}),
    # Chips are issued and destroyed.
    Reason.ADJUST: frozenset({(AccountKind.ISSUANCE, AccountKind.PLAYER), (AccountKind.PLAYER, AccountKind.ISSUANCE)}),
}


@dataclass(frozen=True, slots=True)
class Line:
    """A transfer to be made: `amount` smallest units from `debit` to `credit`."""

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
    locked: LockedAccounts | None = None,
    atomic: bool = True,
) -> Posting:
    """Transfer the amounts of all lines in one posting, which `key` names, at `place`.

    An error undoes whatever was written. A caller that is atomic itself and lets every error pass avoids the savepoint
    with `atomic=False`.

    The same key with the same reason, lines and place returns the first posting and moves nothing again; with anything
    else it raises KeyReused. InsufficientBalance where an account would fall below zero and is not one of
    MAY_BE_NEGATIVE. WalletError `invalid_amount`, `invalid_posting`; `settlement_frozen` for a new posting of
    SETTLEMENT during a freeze; `pot_not_empty` where `emptied` would keep something. Every transfer is linked to those
    before it (see `hash_chain`).

    Accounts are locked (see `accounts`) before anything is read from them, until the outermost transaction ends. A
    caller that has locked them under this key passes `locked`, and lines between those accounts. Two transactions that
    post several times each may still deadlock: PostgreSQL then aborts one of them, for the outermost caller to try
    again.
    """
    _check_lines(key, lines, reason)
    with transaction.atomic() if atomic else nullcontext():
        return _write(key, lines, reason, place, emptied, locked)


def _check_lines(key: str, lines: Sequence[Line], reason: Reason) -> None:
    for line in lines:
        _check(line, reason)
    if len({account.currency for line in lines for account in (line.debit, line.credit)}) != 1:
        raise WalletError("invalid_posting", "A posting needs lines, all in one currency.")
    if not 0 < len(key) <= LONGEST_KEY:
        raise WalletError("invalid_posting", f"The key of a posting has 1 to {LONGEST_KEY} characters.")


def _write(
    key: str,
    lines: Sequence[Line],
    reason: Reason,
    place: PostingPlace | None,
    emptied: Account | None,
    locked: LockedAccounts | None,
) -> Posting:
    if locked is None:
        locked, lines = _lock_accounts(key, lines)
    posting = Posting.objects.get(pk=locked.posting) if locked.posting else None
    if posting is None:
        try:
            return _post_new(key, lines, reason, place, emptied, locked)
        except WalletError as refusal:
            posting = _posted_meanwhile(key, refusal)
    if not _is_same(posting, reason, place, lines):
        raise KeyReused(key)
    return posting


def _post_new(
    key: str,
    lines: Sequence[Line],
    reason: Reason,
    place: PostingPlace | None,
    emptied: Account | None,
    locked: LockedAccounts,
) -> Posting:
    """Write the posting. WalletError where it is refused, KeyReused where another transaction has used the key."""
    if locked.frozen and reason in SETTLEMENT:
        raise WalletError(SETTLEMENT_FROZEN, _FROZEN)
    posting = _new_posting(key, lines, reason, place, locked.trail)
    moves, changes = _linked(posting, lines, locked.trail)
    if emptied is not None and (balance := changes[emptied.id].after) != 0:
        raise pot_not_empty(emptied, balance)
    if not write_postings([NewPosting(posting, moves)], list(changes.values())):
        raise KeyReused(key)
    return posting


def _new_posting(
    key: str, lines: Sequence[Line], reason: Reason, place: PostingPlace | None, trail: TrailEnd
) -> Posting:
    content = digest(key, reason, ((line.debit.id, line.credit.id, line.amount) for line in lines), place)
    posting = Posting(key=key, digest=content, reason=reason, created_at=timezone.now(), trail_entry=trail.entry)
    for column, value in zip(COLUMNS, NOWHERE if place is None else place.listed(), strict=True):
        setattr(posting, column, value)
    return posting


def post_together(
    orders: Sequence[tuple[str, Sequence[Line], PostingPlace]], *, reason: Reason, locked: LockedAccounts
) -> None:
    """Make a posting for each of these (key, lines, place), one after the other, as `post` does, but in one statement.

    For what can never be asked for twice, such as what is due when a table opens: KeyReused where a key is taken, and
    the caller rolls everything back. InsufficientBalance; WalletError as for `post`.
    """
    if locked.frozen and reason in SETTLEMENT:
        raise WalletError(SETTLEMENT_FROZEN, _FROZEN)
    postings, changes = list[NewPosting](), dict[int, AccountChange]()
    for key, lines, place in orders:
        _check_lines(key, lines, reason)
        posting = _new_posting(key, lines, reason, place, locked.trail)
        moves, changed = _linked(posting, lines, locked.trail, changes)
        postings.append(NewPosting(posting, moves))
        changes |= changed
    if postings and not write_postings(postings, list(changes.values())):
        raise KeyReused(postings[0].posting.key)


def _posted_meanwhile(key: str, refusal: WalletError) -> Posting:
    """Return the posting that another transaction made under the key meanwhile; else raise `refused`.

    Of two at once, the second waits for the first, and then sees its balances but not yet its key.
    """
    posting = Posting.objects.filter(key=key).first()
    if posting is None:
        raise refusal
    return posting


def _is_same(posting: Posting, reason: Reason, place: PostingPlace | None, lines: Sequence[Line]) -> bool:
    """Return whether the posting was made for the same lines, in whichever sub-accounts of the house."""
    transfers = list(posting.transfers.select_related("debit", "credit").order_by("line"))
    ids = [(transfer.debit_id, transfer.credit_id, transfer.amount) for transfer in transfers]
    if posting.digest != digest(posting.key, reason, ids, place):
        return False
    return list(map(_named_move, transfers)) == list(map(_named_move, lines))


def _named_move(move: Line | Transfer) -> tuple[object, ...]:
    return _common_name(move.debit), _common_name(move.credit), move.amount


def _common_name(account: Account) -> tuple[str, str, str]:
    return account.kind, common_reference(account.reference), account.currency


def pot_not_empty(account: Account, balance: int) -> WalletError:
    """Return the error for a pot that is not empty."""
    return WalletError("pot_not_empty", f"{account.reference} would keep {balance} in its pot.")


def digest(key: str, reason: str, transfers: Iterable[tuple[int, int, int]], place: PostingPlace | None = None) -> str:
    """Return the SHA-256 of a posting's key, reason, (debit id, credit id, amount) in order, and place, in hex.

    The link of every transfer covers it, so the chain covers where money moved as well.
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


def _lock_accounts(key: str, lines: Sequence[Line]) -> tuple[LockedAccounts, list[Line]]:
    """Lock the accounts of the lines; return the lines between the locked accounts."""
    names = {AccountName.of(account) for line in lines for account in (line.debit, line.credit)}
    house = {name for name in names if name.is_house}
    locked = lock_all(key, house, lines[0].debit.currency, existing=names - house)
    return locked, [Line(locked.find(line.debit), locked.find(line.credit), line.amount) for line in lines]


def _linked(
    posting: Posting, lines: Sequence[Line], trail: TrailEnd, before: Mapping[int, AccountChange] = MappingProxyType({})
) -> tuple[list[WrittenTransfer], dict[int, AccountChange]]:
    """Return the transfers of the lines with their links, and the change of each account, by its id.

    `before` are changes by postings that come first and are written together with this one. InsufficientBalance.
    """
    accounts = {account.id: account for line in lines for account in (line.debit, line.credit)}
    after = {pk: before[pk].after if pk in before else account.balance for pk, account in accounts.items()}
    heads = {pk: before[pk].head if pk in before else account.head for pk, account in accounts.items()}
    moves = []
    for number, line in enumerate(lines):
        debit, credit = line.debit.id, line.credit.id
        after[debit] -= line.amount
        after[credit] += line.amount
        if after[debit] < 0 and line.debit.kind not in MAY_BE_NEGATIVE:
            raise InsufficientBalance
        content = (number, debit, credit, line.amount, after[debit], after[credit])
        proof = link_hash((heads[debit], heads[credit]), posting.digest, posting.created_at, content, trail)
        heads[debit] = heads[credit] = proof
        moves.append(WrittenTransfer(*content, proof))
    return moves, {pk: AccountChange(pk, account.balance, after[pk], heads[pk]) for pk, account in accounts.items()}
