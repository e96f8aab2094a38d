"""The figures of the ledger that staff see: of each day of a period, of each table, stake or book, and who bears fees.

They come from the stored sums and the transfers since the last of them. The wallet knows no tables, so each posting of
play names its place. Fees are borne by the rule of `wallet.ledger.fees`.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date, timedelta
from typing import Annotated, Any, get_args, get_type_hints

from django.contrib.auth import get_user_model
from django.db.models import F, Max, Min, Q, Sum

from wallet.finance.periods import Period
from wallet.ledger.snapshots import snapshot
from wallet.ledger.sums import AT_TABLES, DAYS, FEES, IS_KNOWN, IS_PAID, PAYS, PLACES, added_up, stored_and_since
from wallet.models import Account, AccountKind, Reason

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
#: The groups of totals, each with the columns that identify a line.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "table": ("at_table", "at_title", "at_book", "at_stake"),
    "stake": ("at_stake",),
    "book": ("at_book",),
}
#: The rule, as pages and the API say it.
FEE_RULE = (
    "A deal's fee is the winner's. A pot's fee is shared among what was paid into the pot, entries and rejoins, in "
    "whole units; the units left over fall on the entries that were paid first, one on each. So the fees of all "
    "players, of all tables and of all days are the same sum."
)


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


def _sums() -> dict[str, Any]:
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


@dataclass(slots=True, kw_only=True)
class DayTotals(Totals):
    """The totals of a day, and the balances at its end, in the currency's smallest unit."""

    day: Annotated[date, "In the report zone."]
    in_play: Annotated[int, "On stacks and in pots at the end of the day."] = 0
    liabilities: Annotated[int, "Owed to players at the end of the day, in play or free."] = 0


def by_day(period: Period, currency: str) -> dict[date, DayTotals]:
    """Return the totals of every day of the period, the latest first."""
    days = [period.last - timedelta(days=n) for n in range((period.last - period.first).days + 1)]
    totals = {day: DayTotals(day=day) for day in days}
    rows: dict[date, list[Mapping[str, Any]]] = defaultdict(list)
    with snapshot():
        for row in added_up(DAYS, currency, "day", **_sums(), **_changes()):
            rows[row["day"]].append(row)
    balances = dict.fromkeys(BALANCES, 0)
    # The balance at the end of a day is everything paid in up to then, less everything paid out.
    for day in sorted({*days, *rows}):
        for part in rows.get(day, ()):
            if day in totals:
                totals[day].add(part)
            for name in balances:
                balances[name] += (part[f"{name}_in"] or 0) - (part[f"{name}_out"] or 0)
        if day in totals:
            totals[day].in_play, totals[day].liabilities = balances["in_play"], balances["liabilities"]
    return totals


def figure_of(currency: str, what: str = "", since: date | None = None, until: date | None = None) -> tuple[int, int]:
    """Return how many transfers make up a figure of `by_day`, and its amount; without a figure, count and sum them all.

    Without `since` it begins with the first transfer, without `until` it ends with the latest. Amounts are in smallest
    units.
    """
    condition = condition_of(what)
    # A transfer between two accounts of a balance does not change it.
    up = condition & BALANCES[what]("credit") if what in BALANCES else condition
    aggregates = {
        "count": Sum(F("transfers"), filter=condition),
        "up": Sum("amount", filter=up),
        "all": Sum("amount", filter=condition),
    }
    with snapshot():
        parts = list(added_up(DAYS, currency, "currency", first=since, last=until, **aggregates))
    count, increases, total = (sum(part[name] or 0 for part in parts) for name in aggregates)
    return count, 2 * increases - total


def _changes() -> dict[str, Any]:
    directions = (("in", "credit"), ("out", "debit"))
    return {
        f"{name}_{direction}": Sum("amount", filter=accounts(side))
        for name, accounts in BALANCES.items()
        for direction, side in directions
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedAt:
    """The place of a line's transfers, of each part what they share: else, and without a stake, it is empty or None."""

    table: int | None
    title: str
    book: str
    stake: str = ""
    stake_id: int | None = None


@dataclass(slots=True, kw_only=True)
class PlaceTotalsAnswer(Totals):
    """The totals of a place, in the currency's smallest unit, as the API tells them."""

    reference: Annotated[str, "table:ID, tournament:ID; seating:ID or match:ID where the table is not known."]
    table: Annotated[int | None, "Null, and each text below empty, where a line is of several."] = None
    title: str = ""
    book: str = ""
    stake: str = ""


@dataclass(slots=True, kw_only=True)
class PlaceTotals:
    """The totals of one table, stake or book, of the pot of a tournament, or of an account with no recorded place."""

    reference: str
    place: PlayedAt | None
    totals: Totals = field(default_factory=Totals)

    def answer(self) -> PlaceTotalsAnswer:
        place = asdict(self.place) if self.place else {}
        place.pop("stake_id", None)
        return PlaceTotalsAnswer(reference=self.reference, **place, **asdict(self.totals))


def by_place(period: Period, currency: str, group: str = "table") -> list[PlaceTotals]:
    """Return the totals of each table, stake or book in the period, highest fees first.

    They come from the stored sums of places, and the transfers since. Tables without a stake (practice, friends,
    tournaments) have the reference `stake:0`; transfers without a recorded place that of their match or seating, those
    of a tournament's pot that of it.
    """
    lines: dict[tuple[Any, ...], PlaceTotals] = {}
    columns = ("account", *GROUPS[group])
    # The tables of a stake share their book, unless staff have changed it; those without a stake have several.
    ends = {} if "at_book" in columns else {"least_book": Min("at_book"), "most_book": Max("at_book")}
    with snapshot():
        for row in added_up(PLACES, currency, *columns, first=period.first, last=period.last, **ends, **_sums()):
            key = tuple(row[name] for name in columns)
            if ends:
                row["at_book"] = row["least_book"] if row["least_book"] == row["most_book"] else ""
            line = lines.setdefault(key, _place_totals(row, group))
            if line.place is not None and line.place.book != row["at_book"]:
                line.place = replace(line.place, book="")
            line.totals.add(row)
    return sorted(lines.values(), key=lambda line: (-line.totals.fees, -line.totals.transfers, line.reference))


def _place_totals(row: Mapping[str, Any], group: str) -> PlaceTotals:
    line = PlaceTotals(reference=row["account"], place=None)
    if not line.reference:
        line.reference, stake = f"{group}:{row[f'at_{group}'] or 0}", row.get("at_stake")
        line.place = PlayedAt(
            table=row.get("at_table"),
            title=row.get("at_title", ""),
            book=row["at_book"],
            stake=f"stake {stake}" if stake else "",
            stake_id=stake,
        )
    return line


def transfers_at(place: str) -> Q:
    """Return the condition for transfers at a place: `table:ID`, `stake:ID` (0: none) or `book:KEY`.

    `tournament:ID`, `seating:ID` and `match:ID` select the transfers of that account.
    """
    kind, _, key = place.partition(":")
    if kind not in GROUPS:
        accounts = list(Account.objects.filter(kind__in=AT_TABLES, reference=place).values_list("pk", flat=True))
        return Q(PAYS, debit_id__in=accounts) | Q(IS_PAID, credit_id__in=accounts)
    if place == "stake:0":
        return IS_KNOWN & Q(posting__at_stake=None)
    return Q(**{f"posting__at_{kind}": key})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerFees:
    """The number of fees that a player bears or shares, and what they bear; all computer players are one, None."""

    player: Annotated[int | None, "The player's id; null for all computer players."]
    name: str
    times: Annotated[int, "The deals and pots whose fee they bear or share."]
    fees: Annotated[int, f"In the currency's smallest unit. {FEE_RULE}"]


def fees_by_player(period: Period, currency: str) -> list[PlayerFees]:
    """Return the fees of each player, most first. Together they are the fees of the tables and of the days."""
    totals: dict[int | None, tuple[int, int]] = defaultdict(lambda: (0, 0))
    with snapshot():
        stored, since = stored_and_since(FEES, currency, period.first, period.last)
        rows = list(stored.values_list("player_id").annotate(Sum("transfers"), Sum("amount")))
        rows += [(player, *sums) for (_, _, player), sums in FEES.add_up(since).items()]
        for player, times, fees in rows:
            totals[player] = (totals[player][0] + times, totals[player][1] + fees)
        people = get_user_model()._default_manager.filter(pk__in=[player for player in totals if player])
        names: dict[int | None, str] = {None: "Computer players", **dict(people.values_list("pk", "username"))}
    lines = [
        PlayerFees(player=player, name=names[player], times=times, fees=fees)
        for player, (times, fees) in totals.items()
    ]
    return sorted(lines, key=lambda line: (-line.fees, line.name))
