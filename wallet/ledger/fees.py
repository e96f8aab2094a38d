"""Whose fees: the one rule by which every fee counts for players, published in BOOKS.md and on the page of fees.

A deal's fee is the winner's, out of whose stack it is paid. A pot's fee is shared among what was paid into the pot,
entries and rejoins, in proportion to the amounts, in whole units rounded down; the units left over, fewer than there
are entries, fall on the entries that were paid first, one on each. So the fees of all players, of all tables, and of
all days are the same sum. All computer players together are the player None.
"""

from collections.abc import Collection, Sequence

from django.db.models import Q

from wallet.models import AccountKind, Reason, Transfer

#: Whether a transfer is a fee.
IS_FEE = Q(credit__kind=AccountKind.FEES) & ~Q(posting__reason=Reason.ADJUST)
#: Pots in one query.
_POTS_A_QUERY = 500

#: The entries of each pot, by the id of its account, in the order of payment: who paid it, and its amount.
Entries = dict[int, list[tuple[int | None, int]]]


def entries_of(pots: Collection[int]) -> Entries:
    """Return what was paid into these pots."""
    ids, entries = sorted(pots), Entries()
    for first in range(0, len(ids), _POTS_A_QUERY):
        paid = Transfer.objects.filter(credit__in=ids[first : first + _POTS_A_QUERY]).order_by("pk")
        for pot, player, amount in paid.values_list("credit_id", "debit__owner_id", "amount").iterator():
            entries.setdefault(pot, []).append((player, amount))
    return entries


def borne_by(player: int) -> Q:
    """Return the condition for the fees that this player bears or shares."""
    pots = Transfer.objects.filter(debit__owner=player, credit__kind=AccountKind.POT)
    return IS_FEE & (Q(debit__owner=player) | Q(debit__in=pots.values("credit")))


def fee_parts(fee: int, amounts: Sequence[int]) -> list[int]:
    """Return the part of the fee that each of these amounts bears."""
    whole = sum(amounts)
    rounded = [fee * amount // whole for amount in amounts]
    left = fee - sum(rounded)
    return [part + (number < left) for number, part in enumerate(rounded)]


def fee_shares(fee: int, entries: Sequence[tuple[int | None, int]]) -> dict[int | None, int]:
    """Return by player what they bear of a pot's fee, without those who bear nothing."""
    if not entries:
        # Only in books that the audit finds wrong.
        return {None: fee}
    borne: dict[int | None, int] = {}
    for (player, _), part in zip(entries, fee_parts(fee, [amount for _, amount in entries]), strict=True):
        if part:
            borne[player] = borne.get(player, 0) + part
    return borne
