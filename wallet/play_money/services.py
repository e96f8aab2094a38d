"""What players and tables do with money: each service is one atomic posting, under a key made of ids alone.

Seatings and matches are named by their ids; amounts are whole numbers of the currency's smallest unit. A
computer player (`user` None) plays with the practice house's chips, in play money only. Where nothing but
zeros is to be moved, nothing is posted and the answer is None. `place` is where it happened, and is written down
with the posting. Every service may raise KeyReused, and WalletError for an impossible amount or an unknown account;
whoever raises, nothing has been written.
"""

from collections.abc import Collection, Iterable, Mapping

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from wallet.base import money
from wallet.base.errors import WalletError
from wallet.base.places import PostingPlace
from wallet.ledger.ledger import Line, check_amount, find, find_all, open_account, still_holding, write
from wallet.models import Account, AccountKind, Posting, Reason
from wallet.payments.identity import eligibility
from wallet.responsible_gaming import services as responsible_gaming


@transaction.atomic
def open_wallet(user: AbstractBaseUser) -> Account:
    """Afterwards the user has a FUN account and has received SIGN_UP_CHIPS, once however often this is called."""
    account = purse_of(user.pk, "FUN")
    key = f"signup:{user.pk}"
    # The key decides, not its content: a later change of SIGN_UP_CHIPS grants nobody a second time.
    if settings.SIGN_UP_CHIPS and not Posting.objects.filter(key=key).exists():
        grant = Line(_house(AccountKind.ISSUANCE, "FUN"), account, settings.SIGN_UP_CHIPS)
        write(key=key, lines=[grant], reason=Reason.SIGN_UP)
        account.refresh_from_db()
    return account


@transaction.atomic
def grant(*, user: AbstractBaseUser, amount: int, key: str, reason: Reason) -> Posting:
    """Afterwards the user's balance holds `amount` fun chips more, made out of nothing."""
    return write(
        key=key, lines=[Line(_house(AccountKind.ISSUANCE, "FUN"), purse_of(user.pk, "FUN"), amount)], reason=reason
    )


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
    """Afterwards the seating has a stack of `amount`, taken from the user's balance.

    The key is `seating:{seating}:buy_in` unless another is given. InsufficientBalance; CareRefusal where the user
    has set themselves a limit or may not play now; NotEligible where they may not play for money; WalletError
    `not_your_stack` where the seating is another's.
    """
    check_amount(amount)
    key = key or f"seating:{seating}:buy_in"
    _admit(user, currency, amount, key)
    purse, stack = _opened(
        currency, _purse_name(_id(user), currency), (AccountKind.STACK, f"seating:{seating}", _id(user))
    )
    _check_owner(stack, user)
    return write(key=key, lines=[Line(purse, stack, amount)], reason=Reason.BUY_IN, place=place)


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
    """Afterwards the seating's stack is `amount` larger, taken from the user's balance.

    InsufficientBalance; CareRefusal and NotEligible as for `buy_in`; WalletError `not_your_stack` where the
    seating is another's.
    """
    check_amount(amount)
    _admit(user, currency, amount, key)
    stacks, (purse,) = _stacks_and([seating], currency, _purse_name(_id(user), currency))
    _check_owner(stacks[seating], user)
    return write(key=key, lines=[Line(purse, stacks[seating], amount)], reason=Reason.ADD_CHIPS, place=place)


@transaction.atomic
def settle_deal(
    *, key: str, currency: str, winner: int, losses: Mapping[int, int], fee: int, place: PostingPlace | None = None
) -> Posting | None:
    """Afterwards the stack of the seating `winner` holds all `losses` less the fee, and the losers' stacks that less.

    `losses` maps seatings to what each lost (rules.md, Points and blind: money). InsufficientBalance where a
    stack is smaller than its loss; WalletError where the fee exceeds what was lost.
    """
    stacks, (fees,) = _stacks_and({winner, *losses}, currency, _FEES)
    won = stacks[winner]
    lines = _lines((stacks[seating], won, loss) for seating, loss in sorted(losses.items()))
    charge = _lines([(won, fees, fee)])
    if sum(line.amount for line in charge) > sum(line.amount for line in lines):
        raise WalletError("invalid_amount", "The fee is more than was lost.")
    return _post(key, [*lines, *charge], Reason.DEAL, place)


@transaction.atomic
def cash_out(*, seating: int, amount: int, key: str, place: PostingPlace | None = None) -> Posting | None:
    """Afterwards `amount` of the seating's stack is back with its owner. InsufficientBalance."""
    stack = _stack(seating)
    return _post(key, _lines([(stack, purse_of(stack.owner_id, stack.currency), amount)]), Reason.CASH_OUT, place)


@transaction.atomic
def take_entries(
    *, match: int, currency: str, entries: Mapping[int, int], place: PostingPlace | None = None
) -> Posting | None:
    """Afterwards the pot of the match holds all `entries`, each from its seating's stack: all of them or none.

    The key is `match:{match}:entries`. InsufficientBalance.
    """
    stacks, (pot,) = _stacks_and(entries, currency, (AccountKind.POT, f"match:{match}", None))
    lines = _lines((stacks[seating], pot, amount) for seating, amount in sorted(entries.items()))
    return _post(f"match:{match}:entries", lines, Reason.ENTRY, place)


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
    """Afterwards the pot of the match holds `amount` more, straight from the balance of the seating's owner.

    InsufficientBalance; CareRefusal and NotEligible as for `buy_in`; WalletError `not_your_stack` where the
    seating is another's.
    """
    check_amount(amount)
    _admit(user, currency, amount, key)
    stacks, (purse,) = _stacks_and([seating], currency, _purse_name(_id(user), currency))
    _check_owner(stacks[seating], user)
    lines = [Line(purse, _pot(f"match:{match}", currency), amount)]
    return write(key=key, lines=lines, reason=Reason.REJOIN, place=place)


@transaction.atomic
def award_prize(
    *, match: int, currency: str, shares: Mapping[int, int], fee: int, place: PostingPlace | None = None
) -> Posting | None:
    """Afterwards the pot of the match is empty: each seating's owner has their share, the fees have the fee.

    The key is `match:{match}:prize`. InsufficientBalance where shares and fee exceed the pot; WalletError
    `pot_not_empty` where they leave something in it.
    """
    pot, owners, fees = _pot_and_owners(f"match:{match}", shares, currency)
    lines = _lines([*_shared_out(pot, owners, shares), (pot, fees, fee)])
    return _emptying(pot, f"match:{match}:prize", lines, Reason.PRIZE, place)


@transaction.atomic
def refund_match(
    *, match: int, currency: str, refunds: Mapping[int, int], place: PostingPlace | None = None
) -> Posting | None:
    """Afterwards the pot of the match is empty: each seating's owner has back their entry and rejoins, without fee.

    The key is `match:{match}:refund`. Errors as for `award_prize`.
    """
    pot, owners, _ = _pot_and_owners(f"match:{match}", refunds, currency)
    return _emptying(pot, f"match:{match}:refund", _lines(_shared_out(pot, owners, refunds)), Reason.REFUND, place)


def _admit(user: AbstractBaseUser | None, currency: str, amount: int, key: str) -> None:
    """The one place that money passes on its way into play: who may play for it, and how much they may put in."""
    if user is not None:
        eligibility.admit(user, currency, key)
    responsible_gaming.admit(user=user, currency=currency, amount=amount, key=key)


def _post(key: str, lines: list[Line], reason: Reason, place: PostingPlace | None) -> Posting | None:
    return write(key=key, lines=lines, reason=reason, place=place) if lines else None


def _emptying(pot: Account, key: str, lines: list[Line], reason: Reason, place: PostingPlace | None) -> Posting | None:
    if lines:
        return write(key=key, lines=lines, reason=reason, place=place, emptied=pot)
    if (left := _pot(pot.reference, pot.currency).balance) != 0:
        raise still_holding(pot, left)
    return None


def _lines(moves: Iterable[tuple[Account, Account, int]]) -> list[Line]:
    """The moves of more than nothing."""
    lines = [Line(*move) for move in moves if not (type(move[2]) is int and move[2] == 0)]
    for line in lines:
        check_amount(line.amount)
    return lines


def _shared_out(
    pot: Account, owners: Mapping[int, Account], amounts: Mapping[int, int]
) -> list[tuple[Account, Account, int]]:
    return [(pot, owners[seating], amount) for seating, amount in sorted(amounts.items())]


#: What names an account: its kind, its reference, and whose it is where it is to be opened.
_Name = tuple[AccountKind, str, int | None]
_FEES: _Name = (AccountKind.FEES, "house", None)


def _purse_name(owner: int | None, currency: str) -> _Name:
    """Where the money of this user comes from and returns to; None is a computer player."""
    if owner is not None:
        return (AccountKind.PLAYER, f"user:{owner}", owner)
    if money.currency(currency).real:
        raise WalletError("play_money_only", "Computer players play for play money only.")
    return (AccountKind.PRACTICE, "house", None)


def purse_of(owner: int | None, currency: str) -> Account:
    """The account where the money of this user comes from and returns to; None is a computer player."""
    return _opened(currency, _purse_name(owner, currency))[0]


def _house(kind: AccountKind, currency: str) -> Account:
    return _opened(currency, (kind, "house", None))[0]


def _opened(currency: str, *names: _Name) -> list[Account]:
    """The accounts of those names, opened if need be."""
    money.currency(currency)
    return _pick(find_all(_wanted(names)), currency, names)


def _wanted(names: Iterable[_Name]) -> dict[AccountKind, set[str]]:
    wanted: dict[AccountKind, set[str]] = {}
    for kind, reference, _ in names:
        wanted.setdefault(kind, set()).add(reference)
    return wanted


def _pick(found: Iterable[Account], currency: str, names: Iterable[_Name]) -> list[Account]:
    known = {(account.kind, account.reference): account for account in found if account.currency == currency}
    for kind, reference, owner in names:
        if (str(kind), reference) not in known:
            known[str(kind), reference] = open_account(kind, reference, currency, owner)
    return [known[str(kind), reference] for kind, reference, _ in names]


def _stacks_and(seatings: Iterable[int], currency: str, *names: _Name) -> tuple[dict[int, Account], list[Account]]:
    """The stacks of those seatings, and the other accounts, opened if need be: all by one query."""
    money.currency(currency)
    references = [f"seating:{seating}" for seating in seatings]
    found = find_all({**_wanted(names), AccountKind.STACK: references})
    stacks = _checked(AccountKind.STACK, references, currency, found)
    return _by_seating(stacks), _pick(found, currency, names)


def _pot_and_owners(pot: str, seatings: Collection[int], currency: str) -> tuple[Account, dict[int, Account], Account]:
    """The pot, the purse of each seating's owner, and the fees."""
    references = [f"seating:{seating}" for seating in seatings]
    found = find_all({AccountKind.POT: [pot], AccountKind.STACK: references})
    pots = _checked(AccountKind.POT, [pot], currency, found)
    stacks = _by_seating(_checked(AccountKind.STACK, references, currency, found))
    purses = [_purse_name(stack.owner_id, currency) for stack in stacks.values()]
    *opened, fees = _opened(currency, *purses, _FEES)
    return pots[pot], dict(zip(stacks, opened, strict=True)), fees


def _stacks(seatings: Iterable[int], currency: str | None) -> dict[int, Account]:
    return _by_seating(_existing(AccountKind.STACK, [f"seating:{seating}" for seating in seatings], currency))


def _by_seating(stacks: Mapping[str, Account]) -> dict[int, Account]:
    return {int(reference.removeprefix("seating:")): account for reference, account in stacks.items()}


def _stack(seating: int, currency: str | None = None) -> Account:
    return _stacks([seating], currency)[seating]


def _pot(reference: str, currency: str) -> Account:
    return _existing(AccountKind.POT, [reference], currency)[reference]


def _existing(kind: AccountKind, references: Collection[str], currency: str | None) -> dict[str, Account]:
    """The accounts by reference, in the currency where one is given; WalletError where one does not exist."""
    return _checked(kind, references, currency, find(kind, references))


def _checked(
    kind: AccountKind, references: Collection[str], currency: str | None, accounts: Iterable[Account]
) -> dict[str, Account]:
    fitting = (each for each in accounts if each.kind == kind and currency in (None, each.currency))
    found = {account.reference: account for account in fitting}
    for reference in references:
        if reference not in found:
            raise WalletError("unknown_account", f"There is no {kind} of {reference} in {currency or 'any currency'}.")
    return found


def _id(user: AbstractBaseUser | None) -> int | None:
    return None if user is None else user.pk


def _check_owner(stack: Account, user: AbstractBaseUser | None) -> None:
    if stack.owner_id != _id(user):
        raise WalletError("not_your_stack", "That stack is another player's.")
