"""The results of the deals of a seating, by the books, for the player's statement."""

from collections.abc import Collection
from dataclasses import dataclass, field

from django.db.models import Sum

from wallet.models import Account, AccountKind, Reason, Transfer

#: How many deals of a seating are listed, the latest first; the sum is of all.
LISTED = 20


@dataclass(slots=True)
class SeatResult:
    """The change of a seating's stack by each deal's id, in smallest units: the winner's is net of the fee."""

    running: bool
    changes: dict[int, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.changes.values())

    @property
    def latest(self) -> list[tuple[int, int]]:
        """The LISTED last deals with their changes, the latest first."""
        return sorted(self.changes.items(), reverse=True)[:LISTED]


def stack_of_entry(entry: Transfer) -> Account | None:
    """Return the stack whose deals are shown beside this entry of a statement; None where there is none.

    They are shown where the player left the table, and until then where they took the seat. The posting and both
    accounts must be loaded.
    """
    reason = entry.posting.reason
    if reason == Reason.CASH_OUT and entry.debit.kind == AccountKind.STACK:
        return entry.debit
    if reason == Reason.BUY_IN and entry.credit.kind == AccountKind.STACK and entry.credit.balance > 0:
        return entry.credit
    return None


def seat_results_of(entries: Collection[Transfer]) -> dict[int, SeatResult]:
    """Return the results of seatings that are shown beside these entries of a statement, by the id of the entry."""
    stacks = {entry.pk: stack for entry in entries if (stack := stack_of_entry(entry)) is not None}
    results = {stack.pk: SeatResult(running=stack.balance > 0) for stack in stacks.values()}
    for sign, side in ((1, "credit"), (-1, "debit")):
        settled = {"posting__reason": Reason.DEAL, "posting__at_deal__isnull": False}
        transfers = Transfer.objects.filter(**{f"{side}_id__in": list(results)}, **settled)
        rows = transfers.values_list(f"{side}_id", "posting__at_deal").annotate(Sum("amount")).order_by()
        for stack, deal, amount in rows:
            changes = results[stack].changes
            changes[deal] = changes.get(deal, 0) + sign * amount
    return {entry: results[stack.pk] for entry, stack in stacks.items() if results[stack.pk].changes}
