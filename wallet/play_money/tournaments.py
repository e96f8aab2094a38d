"""Movements of money of tournaments: entries into a pot, prizes and refunds out of it, and the chips of its tables.

Each tournament has an account that issues the chips before its seatings and takes them back, so at its end it is at 0
again. Stacks of these chips belong to nobody. Every service is one atomic posting, under a key made of ids alone;
tournaments and entrants are given by id, amounts in the smallest unit. Errors as in `services`.
"""

from collections.abc import Iterable, Mapping

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from wallet.base.money import TOURNAMENT
from wallet.base.places import PostingPlace
from wallet.ledger.accounts import FEES, AccountName, balance_name, insert_all, lock_all, stack_name
from wallet.ledger.ledger import Line, check_amount, post, post_together
from wallet.models import AccountKind, Posting, Reason
from wallet.responsible_gaming import admission

CURRENCY = "FUN"


def pot_of(tournament: int) -> AccountName:
    return AccountName(AccountKind.POT, f"tournament:{tournament}")


def issuer_of(tournament: int) -> AccountName:
    return AccountName(AccountKind.ISSUANCE, f"tournament:{tournament}")


@transaction.atomic
def take_tournament_entry(*, tournament: int, entrant: int, user: AbstractBaseUser, amount: int) -> Posting:
    """Put the entry into the pot of the tournament. InsufficientBalance; CareRefusal as for `buy_in`."""
    check_amount(amount)
    key, balance, pot = f"entrant:{entrant}:entry", balance_name(user.pk, CURRENCY), pot_of(tournament)
    admission.admit(user=user, currency=CURRENCY, amount=amount, key=key)
    locked = lock_all(key, [balance, pot], CURRENCY)
    lines = [Line(locked.accounts[balance], locked.accounts[pot], amount)]
    return post(key=key, lines=lines, reason=Reason.TOURNAMENT_ENTRY, locked=locked, atomic=False)


@transaction.atomic
def return_tournament_entries(*, tournament: int, key: str, refunds: Mapping[int, int]) -> Posting | None:
    """Return these entries, by user, whole. None where there are none."""
    if not refunds:
        return None
    pot, owners = pot_of(tournament), {balance_name(user, CURRENCY): paid for user, paid in sorted(refunds.items())}
    locked = lock_all(key, owners, CURRENCY, existing=[pot])
    lines = [Line(locked.accounts[pot], locked.accounts[owner], paid) for owner, paid in owners.items()]
    return post(key=key, lines=lines, reason=Reason.TOURNAMENT_REFUND, locked=locked, atomic=False)


@transaction.atomic
def award_tournament(*, tournament: int, prizes: Mapping[int, int], fee: int) -> Posting | None:
    """Empty the pot: pay the prizes, by user, and the fee. None where nothing was paid in."""
    key, pot = f"tournament:{tournament}:prizes", pot_of(tournament)
    winners = {balance_name(user, CURRENCY): amount for user, amount in sorted(prizes.items()) if amount}
    payees = {**winners, **({FEES: fee} if fee else {})}
    if not payees:
        return None
    locked = lock_all(key, payees, CURRENCY, existing=[pot])
    emptied = locked.accounts[pot]
    lines = [Line(emptied, locked.accounts[payee], amount) for payee, amount in payees.items()]
    return post(key=key, lines=lines, reason=Reason.TOURNAMENT_PRIZE, emptied=emptied, locked=locked, atomic=False)


def open_stacks(seatings: Iterable[int]) -> None:
    """Open the stacks of the seatings at once; otherwise `issue_chips` opens each by itself."""
    insert_all([stack_name(seating) for seating in seatings], TOURNAMENT)


@transaction.atomic
def issue_chips(*, tournament: int, tables: Mapping[str, tuple[Mapping[int, int], PostingPlace]]) -> None:
    """Put these amounts before the seatings, newly issued by the tournament: a posting for each table, by their keys.

    They have just been opened, and nothing was issued there: KeyReused where it was.
    """
    issuer = issuer_of(tournament)
    named = {key: sorted(stacks.items()) for key, (stacks, _) in tables.items()}
    stacks = [stack_name(seating) for of_table in named.values() for seating, _ in of_table]
    locked = lock_all(next(iter(tables), ""), [issuer, *stacks], TOURNAMENT)
    orders = []
    for key, of_table in named.items():
        lines = [
            Line(locked.accounts[issuer], locked.accounts[stack_name(seating)], amount) for seating, amount in of_table
        ]
        orders.append((key, lines, tables[key][1]))
    post_together(orders, reason=Reason.CHIPS_ISSUED, locked=locked)


@transaction.atomic
def take_chips_back(*, tournament: int, key: str, stacks: Mapping[int, int], place: PostingPlace) -> Posting | None:
    """Take these amounts back from the seatings. InsufficientBalance. None where there are none."""
    issuer, named = issuer_of(tournament), {stack_name(seating): chips for seating, chips in sorted(stacks.items())}
    if not (named := {stack: chips for stack, chips in named.items() if chips}):
        return None
    locked = lock_all(key, [issuer], TOURNAMENT, existing=named)
    lines = [Line(locked.accounts[stack], locked.accounts[issuer], chips) for stack, chips in named.items()]
    return post(key=key, lines=lines, reason=Reason.CHIPS_TAKEN_BACK, place=place, locked=locked, atomic=False)
