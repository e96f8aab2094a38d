"""What staff ask of the ledger: each figure, what stands, and the transfers that these are made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, Sum

from wallet.models import AccountKind, Reason

#: What staff ask about, and which transfers it is made of.
FIGURES: Mapping[str, Q] = {
    "granted": Q(posting__reason__in=[Reason.SIGN_UP, Reason.REFILL]),
    "deposited": Q(posting__reason=Reason.DEPOSIT),
    "paid_out": Q(posting__reason=Reason.PAID_OUT),
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
    "deposited": "Deposited",
    "paid_out": "Paid out",
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
#: What lies at tables, and what the house owes its players and whoever paid what is in suspense. A computer player is
#: owed nothing.
IN_PLAY = Q(kind__in=[AccountKind.STACK, AccountKind.POT])
OWED = Q(kind__in=[AccountKind.PLAYER, AccountKind.POT, AccountKind.WITHDRAWAL, AccountKind.SUSPENSE]) | Q(
    kind=AccountKind.STACK, owner__isnull=False
)
STANDING = {"in_play": IN_PLAY, "liabilities": OWED}
#: A transfer within a table counts once, for the side that pays.
AT_TABLES = [AccountKind.STACK, AccountKind.POT]
PAYS = Q(debit__kind__in=AT_TABLES)
IS_PAID = Q(credit__kind__in=AT_TABLES) & ~PAYS


@dataclass(slots=True, kw_only=True)
class Totals:
    """Sums in smallest units; `in_play` and `liabilities` are what stood at the end of the day, None for a place."""

    transfers: int = 0
    granted: int = 0
    deposited: int = 0
    paid_out: int = 0
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
    return {"transfers": Count("pk"), **{name: Sum("amount", filter=which) for name, which in FIGURES.items()}}


def closed_sums() -> dict[str, Any]:
    """Return the same aggregates over the sums of days."""
    figures = {name: Sum("amount", filter=of_day_sums(which)) for name, which in FIGURES.items()}
    # A sum of the same name would stand for the column in all the others.
    return {"transfers": Sum(F("transfers")), **figures}


def on_side(side: str, which: Q) -> Q:
    """Return the condition on accounts as one on that side (`debit`, `credit`) of a transfer."""
    return _renamed(which, lambda name: f"{side}__{name}")


def which_change(which: Q) -> Q:
    """Return which transfers changed what the accounts of that sort, all together, hold."""
    debit, credit = on_side("debit", which), on_side("credit", which)
    return (credit & ~debit) | (debit & ~credit)


#: What stands in the columns of a sum of a day for what a transfer is asked for.
_COLUMNS = {
    "posting__reason": "reason",
    "debit__kind": "debit_kind",
    "credit__kind": "credit_kind",
    "debit__owner__isnull": "debit_unowned",
    "credit__owner__isnull": "credit_unowned",
}


def of_day_sums(which: Q) -> Q:
    """Return the condition on transfers as one on the sums of days."""
    return _renamed(which, _column)


def _column(name: str) -> str:
    asked, column = next((asked, column) for asked, column in _COLUMNS.items() if name.startswith(asked))
    return column + name.removeprefix(asked)


def _renamed(which: Q, rename: Callable[[str], str]) -> Q:
    made = Q(_connector=which.connector, _negated=which.negated)
    for child in which.children:
        name, value = child if isinstance(child, tuple) else ("", child)
        made.children.append((rename(name), value) if name else _renamed(value, rename))
    return made
