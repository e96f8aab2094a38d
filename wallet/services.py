"""What players and tables do with money: each service is one atomic posting, under a key made of ids alone.

Seatings and matches are named by their ids; amounts are whole numbers of the currency's smallest unit. A
computer player (`user` None) plays with the practice house's chips, in play money only. Where nothing but
zeros is to be moved, nothing is posted and the answer is None. Every service may raise KeyReused, and
WalletError for an impossible amount or an unknown account; whoever raises, nothing has been written.
"""

from collections.abc import Collection, Iterable, Mapping

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from wallet import money
from wallet.care import services as care
from wallet.errors import WalletError
from wallet.ledger import Line, check_amount, find, post
from wallet.models import Account, Kind, Posting, Reason


@transaction.atomic
def open_wallet(user: AbstractBaseUser) -> Account:
    """Afterwards the user has a FUN account and has received SIGN_UP_CHIPS, once however often this is called."""
    account = _purse(user.pk, "FUN")
    key = f"signup:{user.pk}"
    # The key decides, not its content: a later change of SIGN_UP_CHIPS grants nobody a second time.
    if settings.SIGN_UP_CHIPS and not Posting.objects.filter(key=key).exists():
        grant = Line(_house(Kind.ISSUANCE, "FUN"), account, settings.SIGN_UP_CHIPS)
        post(key=key, lines=[grant], reason=Reason.SIGN_UP)
        account.refresh_from_db()
    return account


@transaction.atomic
def grant(*, user: AbstractBaseUser, amount: int, key: str, reason: Reason) -> Posting:
    """Afterwards the user's balance holds `amount` fun chips more, made out of nothing."""
    return post(key=key, lines=[Line(_house(Kind.ISSUANCE, "FUN"), _purse(user.pk, "FUN"), amount)], reason=reason)


@transaction.atomic
def buy_in(*, seating: int, user: AbstractBaseUser | None, currency: str, amount: int, key: str = "") -> Posting:
    """Afterwards the seating has a stack of `amount`, taken from the user's balance.

    The key is `seating:{seating}:buy_in` unless another is given. InsufficientBalance; CareRefusal where the user
    has set himself a limit or may not play now; WalletError `not_your_stack` where the seating is another's.
    """
    check_amount(amount)
    key = key or f"seating:{seating}:buy_in"
    care.admit(user=user, currency=currency, amount=amount, key=key)
    stack = _open(Kind.STACK, f"seating:{seating}", currency, _id(user))
    _check_owner(stack, user)
    line = Line(_purse(_id(user), currency), stack, amount)
    return post(key=key, lines=[line], reason=Reason.BUY_IN)


@transaction.atomic
def add_chips(*, seating: int, user: AbstractBaseUser | None, currency: str, amount: int, key: str) -> Posting:
    """Afterwards the seating's stack is `amount` larger, taken from the user's balance.

    InsufficientBalance; CareRefusal as for `buy_in`; WalletError `not_your_stack` where the seating is another's.
    """
    check_amount(amount)
    care.admit(user=user, currency=currency, amount=amount, key=key)
    stack = _stack(seating, currency)
    _check_owner(stack, user)
    return post(key=key, lines=[Line(_purse(_id(user), currency), stack, amount)], reason=Reason.ADD_CHIPS)


@transaction.atomic
def settle_deal(*, key: str, currency: str, winner: int, losses: Mapping[int, int], fee: int) -> Posting | None:
    """Afterwards the stack of the seating `winner` holds all `losses` less the fee, and the losers' stacks that less.

    `losses` maps seatings to what each lost (rules.md, Points and blind: money). InsufficientBalance where a
    stack is smaller than its loss; WalletError where the fee exceeds what was lost.
    """
    stacks = _stacks({winner, *losses}, currency)
    won = stacks[winner]
    lines = _lines((stacks[seating], won, loss) for seating, loss in sorted(losses.items()))
    charge = _lines([(won, _house(Kind.FEES, currency), fee)])
    if sum(line.amount for line in charge) > sum(line.amount for line in lines):
        raise WalletError("invalid_amount", "The fee is more than was lost.")
    return _post(key, [*lines, *charge], Reason.DEAL)


@transaction.atomic
def cash_out(*, seating: int, amount: int, key: str) -> Posting | None:
    """Afterwards `amount` of the seating's stack is back with its owner. InsufficientBalance."""
    stack = _stack(seating)
    return _post(key, _lines([(stack, _purse(stack.owner_id, stack.currency), amount)]), Reason.CASH_OUT)


@transaction.atomic
def take_entries(*, match: int, currency: str, entries: Mapping[int, int]) -> Posting | None:
    """Afterwards the pot of the match holds all `entries`, each from its seating's stack: all of them or none.

    The key is `match:{match}:entries`. InsufficientBalance.
    """
    pot, stacks = _open(Kind.POT, f"match:{match}", currency), _stacks(entries, currency)
    lines = _lines((stacks[seating], pot, amount) for seating, amount in sorted(entries.items()))
    return _post(f"match:{match}:entries", lines, Reason.ENTRY)


@transaction.atomic
def rejoin_entry(
    *, match: int, seating: int, user: AbstractBaseUser | None, currency: str, amount: int, key: str
) -> Posting:
    """Afterwards the pot of the match holds `amount` more, straight from the balance of the seating's owner.

    InsufficientBalance; CareRefusal as for `buy_in`; WalletError `not_your_stack` where the seating is another's.
    """
    check_amount(amount)
    care.admit(user=user, currency=currency, amount=amount, key=key)
    _check_owner(_stack(seating, currency), user)
    return post(key=key, lines=[Line(_purse(_id(user), currency), _pot(match, currency), amount)], reason=Reason.REJOIN)


@transaction.atomic
def award_prize(*, match: int, currency: str, shares: Mapping[int, int], fee: int) -> Posting | None:
    """Afterwards the pot of the match is empty: each seating's owner has his share, the fees have the fee.

    The key is `match:{match}:prize`. InsufficientBalance where shares and fee exceed the pot; WalletError
    `pot_not_empty` where they leave something in it.
    """
    pot = _pot(match, currency)
    lines = [*_to_owners(pot, shares), *_lines([(pot, _house(Kind.FEES, currency), fee)])]
    return _emptying(pot, f"match:{match}:prize", lines, Reason.PRIZE)


@transaction.atomic
def refund_match(*, match: int, currency: str, refunds: Mapping[int, int]) -> Posting | None:
    """Afterwards the pot of the match is empty: each seating's owner has back his entry and rejoins, without fee.

    The key is `match:{match}:refund`. Errors as for `award_prize`.
    """
    pot = _pot(match, currency)
    return _emptying(pot, f"match:{match}:refund", _to_owners(pot, refunds), Reason.REFUND)


def _post(key: str, lines: list[Line], reason: Reason) -> Posting | None:
    return post(key=key, lines=lines, reason=reason) if lines else None


def _emptying(pot: Account, key: str, lines: list[Line], reason: Reason) -> Posting | None:
    posting = _post(key, lines, reason)
    pot.refresh_from_db()
    if pot.balance != 0:
        raise WalletError("pot_not_empty", f"{pot.reference} would keep {pot.balance} in its pot.")
    return posting


def _lines(moves: Iterable[tuple[Account, Account, int]]) -> list[Line]:
    """The moves of more than nothing."""
    lines = [Line(*move) for move in moves if not (type(move[2]) is int and move[2] == 0)]
    for line in lines:
        check_amount(line.amount)
    return lines


def _to_owners(pot: Account, amounts: Mapping[int, int]) -> list[Line]:
    stacks = _stacks(amounts, pot.currency)
    owed = [(stacks[seating].owner_id, amount) for seating, amount in sorted(amounts.items())]
    return _lines((pot, _purse(owner, pot.currency), amount) for owner, amount in owed)


def _purse(owner: int | None, currency: str) -> Account:
    """Where the money of this user comes from and returns to; None is a computer player."""
    if owner is not None:
        return _open(Kind.PLAYER, f"user:{owner}", currency, owner)
    if money.currency(currency).real:
        raise WalletError("play_money_only", "Computer players play for play money only.")
    return _house(Kind.PRACTICE, currency)


def _house(kind: Kind, currency: str) -> Account:
    return _open(kind, "house", currency)


def _open(kind: Kind, reference: str, currency: str, owner: int | None = None) -> Account:
    """The account, opened if need be."""
    money.currency(currency)
    for found in find(kind, [reference]):
        if found.currency == currency:
            return found
    account, _ = Account.objects.get_or_create(
        kind=kind, reference=reference, currency=currency, defaults={"owner_id": owner}
    )
    return account


def _stacks(seatings: Iterable[int], currency: str | None) -> dict[int, Account]:
    found = _existing(Kind.STACK, [f"seating:{seating}" for seating in seatings], currency)
    return {int(reference.removeprefix("seating:")): account for reference, account in found.items()}


def _stack(seating: int, currency: str | None = None) -> Account:
    return _stacks([seating], currency)[seating]


def _pot(match: int, currency: str) -> Account:
    return _existing(Kind.POT, [f"match:{match}"], currency)[f"match:{match}"]


def _existing(kind: Kind, references: Collection[str], currency: str | None) -> dict[str, Account]:
    """The accounts by reference, in the currency where one is given; WalletError where one does not exist."""
    found = {account.reference: account for account in find(kind, references) if currency in (None, account.currency)}
    for reference in references:
        if reference not in found:
            raise WalletError("unknown_account", f"There is no {kind} of {reference} in {currency or 'any currency'}.")
    return found


def _id(user: AbstractBaseUser | None) -> int | None:
    return None if user is None else user.pk


def _check_owner(stack: Account, user: AbstractBaseUser | None) -> None:
    if stack.owner_id != _id(user):
        raise WalletError("not_your_stack", "That stack is another player's.")
