"""Chips that leave play without a winner: from a table whose log can no longer be read, from a closed account."""

from collections import Counter
from collections.abc import Collection, Mapping

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Sum

from wallet.base.places import PostingPlace
from wallet.ledger.accounts import ISSUANCE, balance_name, lock_all
from wallet.ledger.ledger import Line, post
from wallet.ledger.selectors import stack
from wallet.models import Account, AccountKind, Posting, Reason, Transfer
from wallet.play_money.services import balance_account, cash_out
from wallet.play_money.tournaments import take_chips_back

#: The currency that a closed account leaves behind.
FORFEITED = "FUN"


@transaction.atomic
def refund_from_books(*, match: int, place: PostingPlace) -> Posting | None:
    """Empty the pot of the match: return to everybody what they paid according to the books, without fee.

    The key is that of every refund, `match:{match}:refund`. None where the pot is empty.
    """
    pot = Account.objects.filter(kind=AccountKind.POT, reference=f"match:{match}").exclude(balance=0).first()
    if pot is None:
        return None
    lines = [
        Line(pot, balance_account(owner, pot.currency), paid) for owner, paid in sorted(_paid(pot).items(), key=str)
    ]
    return post(atomic=False, key=f"match:{match}:refund", lines=lines, reason=Reason.REFUND, place=place, emptied=pot)


@transaction.atomic
def return_stacks(
    *, seatings: Collection[int], place: PostingPlace, tournament: int | None = None
) -> Mapping[int, int]:
    """Return the stacks of the seatings to their owners, or to the tournament that has issued them.

    Return the amounts by seating, in smallest units.
    """
    returned = {seating: stack(seating) for seating in sorted(seatings)}
    if tournament is not None:
        take_chips_back(tournament=tournament, key=f"table:{place.table}:void", stacks=returned, place=place)
        return returned
    for seating, amount in returned.items():
        if amount:
            cash_out(seating=seating, amount=amount, key=f"seating:{seating}:void", place=place)
    return returned


def _paid(pot: Account) -> Counter[int | None]:
    """Return how much each owner has paid into the pot, from their stacks and from their balance."""
    paid: Counter[int | None] = Counter()
    for owner, amount in Transfer.objects.filter(credit=pot).values_list("debit__owner_id", "amount"):
        paid[owner] += amount
    return paid


@transaction.atomic
def forfeit(user: AbstractBaseUser) -> int:
    """Destroy the free fun chips of the user, which are worth nothing and nobody else gets; return how many there were.

    The key is that of `forfeit_key`. Nothing is posted where there are none.
    """
    key, balance = forfeit_key(user.pk), balance_name(user.pk, FORFEITED)
    locked = lock_all(key, [balance, ISSUANCE], FORFEITED)
    amount = locked.accounts[balance].balance
    if amount:
        lines = [Line(locked.accounts[balance], locked.accounts[ISSUANCE], amount)]
        post(key=key, lines=lines, reason=Reason.FORFEIT, locked=locked, atomic=False)
    return amount


def forfeit_key(user_id: int) -> str:
    """Return the key of the user's one forfeit."""
    return f"close:{user_id}"


def forfeited() -> dict[int, int]:
    """Return the forfeited fun chips by user id."""
    rows = Transfer.objects.filter(posting__reason=Reason.FORFEIT).order_by()
    return dict(rows.values_list("debit__owner_id").annotate(Sum("amount")))
