"""The figures of the ledger that staff see: sums and balances, and the transfers that make them up."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, Sum

from wallet.models import AccountKind, Reason

#: The figures, each with the condition for the transfers that make it up.
FIGURES: Mapping[str, Q] = {
    "granted": Q(posting__reason__in=[Reason.SIGN_UP, Reason.REFILL]),
    "forfeited": Q(posting__reason=Reason.FORFEIT),
    "bought_in": Q(posting__reason__in=[Reason.BUY_IN, Reason.ADD_CHIPS]),
    "cashed_out": Q(posting__reason=Reason.CASH_OUT),
    "won": Q(posting__reason=Reason.DEAL, credit__kind=AccountKind.STACK),
    "entries": Q(posting__reason__in=[Reason.ENTRY, Reason.REJOIN]),
    "prizes": Q(posting__reason=Reason.PRIZE) & ~Q(credit__kind=AccountKind.FEES),
    "refunds": Q(posting__reason=Reason.REFUND),
    "fees": Q(credit__kind=AccountKind.FEES) & ~Q(posting__reason=Reason.ADJUST),
    "adjusted_up": Q(posting__reason=Reason.ADJUST, credit__kind=AccountKind.PLAYER),
    "adjusted_down": Q(posting__reason=Reason.ADJUST, debit__kind=AccountKind.PLAYER),
}
TITLES = {
    "granted": "Granted",
    "forfeited": "Forfeited",
    "bought_in": "Bought in",
    "cashed_out": "Cashed out",
    "won": "Won in deals",
    "entries": "Entries",
    "prizes": "Prizes",
    "refunds": "Refunds",
    "fees": "Fees",
    "adjusted_up": "Adjusted up",
    "adjusted_down": "Adjusted down",
}
#: What each figure counts. All are gross: payments the other way are not deducted.
NOTES = {
    "granted": "Welcome chips and refills.",
    "forfeited": "Chips of accounts that were closed.",
    "bought_in": "Put on stacks from balances, with chips added at the table.",
    "cashed_out": "Taken from stacks back to balances.",
    "won": "From losers' stacks to the winner's, before the fee.",
    "entries": "Entries and rejoins paid into pots, also those that were refunded later.",
    "prizes": "Paid out of pots, without the fee.",
    "refunds": "Paid back out of pots of cancelled matches.",
    "fees": "Taken out of deals and pots.",
    "adjusted_up": "By staff, to players.",
    "adjusted_down": "By staff, from players.",
}
#: The accounts at tables, and those that hold what the house owes to players. Computer players are owed nothing.
IN_PLAY = Q(kind__in=[AccountKind.STACK, AccountKind.POT])
OWED = Q(kind__in=[AccountKind.PLAYER, AccountKind.POT]) | Q(kind=AccountKind.STACK, owner__isnull=False)
BALANCES = {"in_play": IN_PLAY, "liabilities": OWED}


@dataclass(slots=True, kw_only=True)
class Totals:
    """Totals in smallest units; `in_play` and `liabilities` are balances at the end of a day, None for a place."""

    transfers: int = 0
    granted: int = 0
    forfeited: int = 0
    bought_in: int = 0
    cashed_out: int = 0
    won: int = 0
    entries: int = 0
    prizes: int = 0
    refunds: int = 0
    fees: int = 0
    adjusted_up: int = 0
    adjusted_down: int = 0
    in_play: int | None = None
    liabilities: int | None = None

    def add(self, sums: Mapping[str, Any]) -> None:
        for name in ("transfers", *FIGURES):
            setattr(self, name, getattr(self, name) + (sums.get(name) or 0))


def sums() -> dict[str, Any]:
    """Return the aggregates over transfers that `Totals.add` takes."""
    return {"transfers": Count("pk"), **{name: Sum("amount", filter=condition) for name, condition in FIGURES.items()}}


def closed_sums() -> dict[str, Any]:
    """Return the same aggregates over day sums."""
    figures = {name: Sum("amount", filter=of_day_sums(condition)) for name, condition in FIGURES.items()}
    # An aggregate with the name of a column would replace that column in all the others.
    return {"transfers": Sum(F("transfers")), **figures}


def on_side(side: str, accounts: Q) -> Q:
    """Turn a condition on accounts into one on that side (`debit`, `credit`) of a transfer."""
    return _renamed(accounts, lambda name: f"{side}__{name}")


def changing_balance(accounts: Q) -> Q:
    """Return the condition for transfers that changed the total balance of the accounts that meet the condition."""
    debit, credit = on_side("debit", accounts), on_side("credit", accounts)
    return (credit & ~debit) | (debit & ~credit)


#: The column of a day sum for each lookup on a transfer.
_COLUMNS = {
    "posting__reason": "reason",
    "debit__kind": "debit_kind",
    "credit__kind": "credit_kind",
    "debit__owner__isnull": "debit_unowned",
    "credit__owner__isnull": "credit_unowned",
}


def of_day_sums(condition: Q) -> Q:
    """Turn a condition on transfers into one on day sums."""
    return _renamed(condition, _column)


def _column(name: str) -> str:
    prefix, column = next((prefix, column) for prefix, column in _COLUMNS.items() if name.startswith(prefix))
    return column + name.removeprefix(prefix)


def _renamed(condition: Q, rename: Callable[[str], str]) -> Q:
    renamed = Q(_connector=condition.connector, _negated=condition.negated)
    for child in condition.children:
        name, value = child if isinstance(child, tuple) else ("", child)
        renamed.children.append((rename(name), value) if name else _renamed(value, rename))
    return renamed
