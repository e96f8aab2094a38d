"""The figures of the ledger that staff see: sums and balances, and the transfers that make them up."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_type_hints

from django.db.models import F, Q, Sum

from wallet.ledger.sums import AT_TABLES
from wallet.models import AccountKind, Reason

#: The figures, each with the condition for the transfers that make it up, in columns of `wallet.ledger.sums.DAYS`.
FIGURES: Mapping[str, Q] = {
    "granted": Q(reason__in=[Reason.SIGN_UP, Reason.REFILL]),
    "forfeited": Q(reason=Reason.FORFEIT),
    "bought_in": Q(reason__in=[Reason.BUY_IN, Reason.ADD_CHIPS]),
    "cashed_out": Q(reason=Reason.CASH_OUT),
    "won": Q(reason=Reason.DEAL, credit_kind=AccountKind.STACK),
    "entries": Q(reason__in=[Reason.ENTRY, Reason.REJOIN, Reason.TOURNAMENT_ENTRY]),
    "prizes": Q(reason__in=[Reason.PRIZE, Reason.TOURNAMENT_PRIZE]) & ~Q(credit_kind=AccountKind.FEES),
    "refunds": Q(reason__in=[Reason.REFUND, Reason.TOURNAMENT_REFUND]),
    "fees": Q(credit_kind=AccountKind.FEES) & ~Q(reason=Reason.ADJUST),
    "adjusted_up": Q(reason=Reason.ADJUST, credit_kind=AccountKind.PLAYER),
    "adjusted_down": Q(reason=Reason.ADJUST, debit_kind=AccountKind.PLAYER),
}
TITLES = {name: name.replace("_", " ").capitalize() for name in FIGURES} | {"won": "Won in deals"}


def _in_play(side: str) -> Q:
    return Q(**{f"{side}_kind__in": AT_TABLES})


def _owed(side: str) -> Q:
    """Return whether the account holds what the house owes to players. Computer players are owed nothing."""
    owned = Q(**{f"{side}_kind": AccountKind.STACK, f"{side}_unowned": False})
    return Q(**{f"{side}_kind__in": [AccountKind.PLAYER, AccountKind.POT]}) | owned


#: The balances that staff see, each with the condition for its accounts on one side (`debit`, `credit`) of a transfer.
BALANCES: Mapping[str, Callable[[str], Q]] = {"in_play": _in_play, "liabilities": _owed}


@dataclass(slots=True, kw_only=True)
class Totals:
    """Totals in smallest units, each with what it counts. All are gross: payments the other way are not deducted."""

    transfers: int = 0
    granted: Annotated[int, "Welcome chips and refills."] = 0
    forfeited: Annotated[int, "Chips of accounts that were closed."] = 0
    bought_in: Annotated[int, "Put on stacks from balances, with chips added at the table."] = 0
    cashed_out: Annotated[int, "Taken from stacks back to balances."] = 0
    won: Annotated[int, "From losers' stacks to the winner's, before the fee."] = 0
    entries: Annotated[int, "Entries and rejoins paid into pots, also those that were refunded later."] = 0
    prizes: Annotated[int, "Paid out of pots, without the fee."] = 0
    refunds: Annotated[int, "Paid back out of pots of cancelled matches."] = 0
    fees: Annotated[int, "Taken out of deals and pots."] = 0
    adjusted_up: Annotated[int, "By staff, to players."] = 0
    adjusted_down: Annotated[int, "By staff, from players."] = 0

    def add(self, sums: Mapping[str, Any]) -> None:
        for name in ("transfers", *FIGURES):
            setattr(self, name, getattr(self, name) + (sums.get(name) or 0))


#: What each figure counts.
NOTES = {
    name: get_args(kind)[1] for name, kind in get_type_hints(Totals, include_extras=True).items() if name in FIGURES
}


def sums() -> dict[str, Any]:
    """Return the aggregates that `Totals.add` takes, for `wallet.ledger.sums.added_up`."""
    figures = {name: Sum("amount", filter=condition) for name, condition in FIGURES.items()}
    # An aggregate with the name of a column would replace that column in all the others.
    return {"transfers": Sum(F("transfers")), **figures}


def changing_balance(name: str) -> Q:
    """Return the condition for transfers that changed the balance of that name."""
    debit, credit = BALANCES[name]("debit"), BALANCES[name]("credit")
    return (credit & ~debit) | (debit & ~credit)


def condition_of(what: str) -> Q:
    """Return the condition for the transfers that make up a figure or changed a balance; all without one."""
    return changing_balance(what) if what in BALANCES else FIGURES.get(what, Q())
