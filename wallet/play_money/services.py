"""Movements of money by players and tables: each service is one atomic posting, under a key made of ids alone.

Seatings and matches are given by id, amounts in the currency's smallest unit. A computer player (`user` None) plays
with the practice chips of the house. Where all amounts are zero, nothing is posted and None is
returned. `place` is stored with the posting. Every service may raise KeyReused, and WalletError for an impossible
amount or an unknown account; after any error nothing has been written.
"""

from collections.abc import Collection, Iterable, Mapping

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from wallet.base.errors import WalletError
from wallet.base.places import PostingPlace
from wallet.language import gettext as _
from wallet.ledger import accounts, amounts
from wallet.ledger.accounts import FEES, ISSUANCE, LockedAccounts, find_named, lock_all, open_account
from wallet.ledger.ledger import Line, check_amount, post, pot_not_empty
from wallet.models import Account, Posting, Reason
from wallet.responsible_gaming import admission


@transaction.atomic
def open_wallet(user: AbstractBaseUser) -> Account:
    """Open and return the user's FUN account, with SIGN_UP_CHIPS; they are granted only once."""
    account = balance_account(user.pk, "FUN")
    key = f"signup:{user.pk}"
    # Only the key counts, not the amount: a later change of SIGN_UP_CHIPS grants nobody a second time.
    if settings.SIGN_UP_CHIPS and not Posting.objects.filter(key=key).exists():
        grant(user=user, amount=settings.SIGN_UP_CHIPS, key=key, reason=Reason.SIGN_UP)
        account.refresh_from_db()
    return account


@transaction.atomic
def grant(*, user: AbstractBaseUser, amount: int, key: str, reason: Reason) -> Posting:
    """Add `amount` newly issued fun chips to the user's balance."""
    amounts.ensure_recorded()
    balance = accounts.balance_name(user.pk, "FUN")
    locked = lock_all(key, [balance, ISSUANCE], "FUN")
    lines = [Line(locked.accounts[ISSUANCE], locked.accounts[balance], amount)]
    return _posted(key, lines, reason, None, locked)


@transaction.atomic
def buy_in(
    *,
    seating: int,
    user: AbstractBaseUser | None,
    currency: str,
    amount: int,
    key: str = "",
    place: PostingPlace | None = None,
) -> Posting:
    """Put a stack of `amount` before the seating, taken from the user's balance.

    The key is `seating:{seating}:buy_in` unless another is given. InsufficientBalance; CareRefusal where the user
    has set themselves a limit or may not play now; WalletError `not_your_stack` where the seating is another's.
    """
    check_amount(amount)
    key = key or f"seating:{seating}:buy_in"
    _admit(user, currency, amount, key)
    balance, stack = accounts.balance_name(_id(user), currency), accounts.stack_name(seating, _id(user))
    locked = lock_all(key, [balance, stack], currency)
    _check_owner(locked.accounts[stack], user)
    lines = [Line(locked.accounts[balance], locked.accounts[stack], amount)]
    return _posted(key, lines, Reason.BUY_IN, place, locked)


@transaction.atomic
def add_chips(
    *,
    seating: int,
    user: AbstractBaseUser | None,
    currency: str,
    amount: int,
    key: str,
    place: PostingPlace | None = None,
) -> Posting:
    """Add `amount` to the seating's stack, taken from the user's balance.

    InsufficientBalance; CareRefusal as for `buy_in`; WalletError `not_your_stack` where the
    seating is another's.
    """
    check_amount(amount)
    _admit(user, currency, amount, key)
    balance, stack = accounts.balance_name(_id(user), currency), accounts.stack_name(seating)
    locked = lock_all(key, [balance], currency, existing=[stack])
    _check_owner(locked.accounts[stack], user)
    lines = [Line(locked.accounts[balance], locked.accounts[stack], amount)]
    return _posted(key, lines, Reason.ADD_CHIPS, place, locked)


@transaction.atomic
def settle_deal(
    *, key: str, currency: str, winner: int, losses: Mapping[int, int], fee: int, place: PostingPlace | None = None
) -> Posting | None:
    """Move the `losses` from the losers' stacks to that of the seating `winner`, who pays the fee out of them.

    `losses` maps seatings to what each lost (rules/RULES.md, Points and blind: money). InsufficientBalance where a
    stack is smaller than its loss; WalletError where the fee exceeds what was lost.
    """
    stacks = {seating: accounts.stack_name(seating) for seating in (winner, *losses)}
    locked = lock_all(key, [FEES], currency, existing=stacks.values())
    by_name = locked.accounts
    won = by_name[stacks[winner]]
    lines = _lines((by_name[stacks[seating]], won, loss) for seating, loss in sorted(losses.items()))
    charge = _lines([(won, by_name[FEES], fee)])
    if sum(line.amount for line in charge) > sum(line.amount for line in lines):
        raise WalletError("invalid_amount", _("The fee is more than was lost."))
    return _post(key, [*lines, *charge], Reason.DEAL, place, locked)


@transaction.atomic
def cash_out(*, seating: int, amount: int, key: str, place: PostingPlace | None = None) -> Posting | None:
    """Return `amount` of the seating's stack to its owner. InsufficientBalance."""
    name = accounts.stack_name(seating)
    [stack] = find_named([name]).values()
    balance = accounts.balance_name(stack.owner_id, stack.currency)
    locked = lock_all(key, [balance], stack.currency, existing=[name])
    lines = _lines([(locked.accounts[name], locked.accounts[balance], amount)])
    return _post(key, lines, Reason.CASH_OUT, place, locked)


@transaction.atomic
def take_entries(
    *, match: int, currency: str, entries: Mapping[int, int], place: PostingPlace | None = None
) -> Posting | None:
    """Put all `entries`, each from its seating's stack, into the pot of the match, or none of them.

    The key is `match:{match}:entries`. InsufficientBalance.
    """
    key, pot = f"match:{match}:entries", accounts.pot_name(match)
    locked = lock_all(key, [pot], currency, existing=map(accounts.stack_name, entries))
    by_name = locked.accounts
    lines = _lines(
        (by_name[accounts.stack_name(seating)], by_name[pot], paid) for seating, paid in sorted(entries.items())
    )
    return _post(key, lines, Reason.ENTRY, place, locked)


@transaction.atomic
def rejoin_entry(
    *,
    match: int,
    seating: int,
    user: AbstractBaseUser | None,
    currency: str,
    amount: int,
    key: str,
    place: PostingPlace | None = None,
) -> Posting:
    """Put `amount` more into the pot of the match, directly from the balance of the seating's owner.

    InsufficientBalance; CareRefusal as for `buy_in`; WalletError `not_your_stack` where the
    seating is another's.
    """
    check_amount(amount)
    _admit(user, currency, amount, key)
    balance, stack = accounts.balance_name(_id(user), currency), accounts.stack_name(seating)
    pot = accounts.pot_name(match)
    locked = lock_all(key, [balance], currency, existing=[stack, pot])
    _check_owner(locked.accounts[stack], user)
    lines = [Line(locked.accounts[balance], locked.accounts[pot], amount)]
    return _posted(key, lines, Reason.REJOIN, place, locked)


@transaction.atomic
def award_prize(
    *, match: int, currency: str, shares: Mapping[int, int], fee: int, place: PostingPlace | None = None
) -> Posting | None:
    """Empty the pot of the match: pay each seating's owner their share, and the fee to the house.

    The key is `match:{match}:prize`. InsufficientBalance where shares and fee exceed the pot; WalletError
    `pot_not_empty` where they leave something in it.
    """
    key = f"match:{match}:prize"
    pot, owners, fees, locked = _lock_pot_and_owners(key, match, shares, currency)
    lines = _lines([*_shared_out(pot, owners, shares), (pot, fees, fee)])
    return _emptying(pot, key, lines, Reason.PRIZE, place, locked)


@transaction.atomic
def refund_match(
    *, match: int, currency: str, refunds: Mapping[int, int], place: PostingPlace | None = None
) -> Posting | None:
    """Empty the pot of the match: return to each seating's owner their entry and rejoins, without fee.

    The key is `match:{match}:refund`. Errors as for `award_prize`.
    """
    key = f"match:{match}:refund"
    pot, owners, _accounts, locked = _lock_pot_and_owners(key, match, refunds, currency)
    return _emptying(pot, key, _lines(_shared_out(pot, owners, refunds)), Reason.REFUND, place, locked)


def _admit(user: AbstractBaseUser | None, currency: str, amount: int, key: str) -> None:
    """Check that the user may put this amount into play; all money that enters play passes through here."""
    admission.admit(user=user, currency=currency, amount=amount, key=key)


def _post(
    key: str, lines: list[Line], reason: Reason, place: PostingPlace | None, locked: LockedAccounts
) -> Posting | None:
    return _posted(key, lines, reason, place, locked) if lines else None


def _posted(key: str, lines: list[Line], reason: Reason, place: PostingPlace | None, locked: LockedAccounts) -> Posting:
    return post(key=key, lines=lines, reason=reason, place=place, locked=locked, atomic=False)


def _emptying(
    pot: Account, key: str, lines: list[Line], reason: Reason, place: PostingPlace | None, locked: LockedAccounts
) -> Posting | None:
    if lines:
        return post(key=key, lines=lines, reason=reason, place=place, emptied=pot, locked=locked, atomic=False)
    if pot.balance != 0:
        raise pot_not_empty(pot, pot.balance)
    return None


def _lines(moves: Iterable[tuple[Account, Account, int]]) -> list[Line]:
    """Return a line for each move of more than 0."""
    lines = [Line(*move) for move in moves if not (type(move[2]) is int and move[2] == 0)]
    for line in lines:
        check_amount(line.amount)
    return lines


def _shared_out(
    pot: Account, owners: Mapping[int, Account], amounts: Mapping[int, int]
) -> list[tuple[Account, Account, int]]:
    return [(pot, owners[seating], amount) for seating, amount in sorted(amounts.items())]


def balance_account(owner: int | None, currency: str) -> Account:
    """Return the account that `owner` pays from and is paid to; None is a computer player."""
    return open_account(accounts.balance_name(owner, currency), currency)


def _lock_pot_and_owners(
    key: str, match: int, seatings: Collection[int], currency: str
) -> tuple[Account, dict[int, Account], Account, LockedAccounts]:
    """Lock and return the pot, the balance of each seating's owner, and the fees."""
    pot, stacks = accounts.pot_name(match), {seating: accounts.stack_name(seating) for seating in seatings}
    there = find_named([pot, *stacks.values()], currency)
    balances = {seating: accounts.balance_name(there[stack].owner_id, currency) for seating, stack in stacks.items()}
    locked = lock_all(key, [*balances.values(), FEES], currency, existing=[pot])
    by_name = locked.accounts
    return by_name[pot], {seating: by_name[balance] for seating, balance in balances.items()}, by_name[FEES], locked


def _id(user: AbstractBaseUser | None) -> int | None:
    return None if user is None else user.pk


def _check_owner(stack: Account, user: AbstractBaseUser | None) -> None:
    if stack.owner_id != _id(user):
        raise WalletError("not_your_stack", _("That stack is another player's."))
