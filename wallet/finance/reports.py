"""What the ledger comes to: totals by day, by table, stake or book, and fees; for staff of finance.

The wallet knows no tables: every posting of play carries where it was made.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import BigIntegerField, Case, Count, F, Func, Min, Q, QuerySet, Sum, Value, When

from wallet.audit.audit import snapshot
from wallet.base.report_zone import midnight, zone
from wallet.finance.exports import Period, transfers
from wallet.models import Account, AccountKind, Reason, Transfer

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
#: What lies at tables, and what the house owes its players. A computer player is owed nothing.
IN_PLAY = Q(kind__in=[AccountKind.STACK, AccountKind.POT])
OWED = Q(kind__in=[AccountKind.PLAYER, AccountKind.POT, AccountKind.WITHDRAWAL]) | Q(
    kind=AccountKind.STACK, owner__isnull=False
)
STANDING = {"in_play": IN_PLAY, "liabilities": OWED}
#: A transfer within a table counts once, for the side that pays.
_TABLES = [AccountKind.STACK, AccountKind.POT]
_PAYS = Q(debit__kind__in=_TABLES)
_IS_PAID = Q(credit__kind__in=_TABLES) & ~_PAYS


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedAt:
    """Where the transfers of a line were made; `stake` is empty for practice, `table` None for a line of several."""

    table: int | None
    title: str
    book: str
    stake: str = ""


#: What the totals of places can be put together by, and what the lines then have of their own.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "table": ("at_table", "at_title", "at_book", "at_stake"),
    "stake": ("at_stake",),
    "book": ("at_book",),
}


@dataclass(slots=True, kw_only=True)
class PlaceTotals:
    """The totals of one table, stake or book, or of one account of which nobody said where it is played with."""

    reference: str
    place: PlayedAt | None
    totals: Totals = field(default_factory=Totals)

    def as_dict(self) -> dict[str, Any]:
        place = asdict(self.place) if self.place else {"table": None, "title": "", "book": "", "stake": ""}
        return {"reference": self.reference, **place, **asdict(self.totals)}


class _Quarter(Func):
    """How many quarters of an hour lie between 1970 and that moment: no day of today's zones begins within one.

    The database's own arithmetic, where asking for the day would ask Python at every row on SQLite.
    """

    output_field = BigIntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **options: Any) -> Any:
        return self.as_sql(
            compiler, connection, template="(CAST(strftime('%%%%s', substr(%(expressions)s, 1, 19)) AS INTEGER) / 900)"
        )

    def as_postgresql(self, compiler: Any, connection: Any, **options: Any) -> Any:
        return self.as_sql(compiler, connection, template="FLOOR(EXTRACT(EPOCH FROM %(expressions)s) / 900)::bigint")


def by_day(period: Period, currency: str) -> dict[date, Totals]:
    """The totals of every day of the period, the latest first, in one query and two for what stands now."""
    days = [period.last - timedelta(days=n) for n in range((period.last - period.first).days + 1)]
    found = {day: Totals() for day in days}
    since, _ = period.bounds
    with snapshot():
        standing = {name: _standing(which, currency) for name, which in STANDING.items()}
        moved = Transfer.objects.filter(posting__created_at__gte=since, debit__currency=currency)
        rows = list(moved.values(quarter=_Quarter("posting__created_at")).annotate(**_sums(), **_changes()))
    changes: dict[date, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        changes[_day(row["quarter"])].append(row)
    # What stood at the end of a day is what stands now, less what changed since.
    for day in sorted({*days, *changes}, reverse=True):
        if day in found:
            found[day].in_play, found[day].liabilities = standing["in_play"], standing["liabilities"]
        for part in changes[day]:
            if day in found:
                found[day].add(part)
            _take_back(standing, part)
    return found


def _day(quarter: int) -> date:
    return datetime.fromtimestamp(quarter * 900, zone()).date()


def _take_back(standing: dict[str, int], moved: Mapping[str, Any]) -> None:
    """Afterwards it is what stood before that was moved."""
    for name in standing:
        standing[name] += (moved[f"{name}_out"] or 0) - (moved[f"{name}_in"] or 0)


def by_place(period: Period, currency: str, group: str = "table") -> list[PlaceTotals]:
    """Return the totals of each table, stake or book in the period, most fees first, by one query.

    Practice stands under `stake:0`, what was made at no known place under the reference of its match or seating.
    """
    there = transfers(period, currency).filter(_PAYS | _IS_PAID).order_by()
    lines = there.values(*(f"posting__{name}" for name in GROUPS[group]), account=_ACCOUNT, known=_KNOWN)
    found = [_place_totals(row, group) for row in lines.annotate(**_names(group), **_sums())]
    return sorted(found, key=lambda line: (-line.totals.fees, -line.totals.transfers, line.reference))


#: Whether it was said where a transfer was made, and where it was not, the account at a table that it counts for.
_KNOWN = Q(posting__at_table__isnull=False)
_ACCOUNT = Case(When(_KNOWN, then=Value("")), When(_PAYS, then=F("debit__reference")), default=F("credit__reference"))


def _names(group: str) -> dict[str, Any]:
    """One name of each sort for a line that several tables make up: those of a stake share theirs."""
    return {name: Min(f"posting__{name}") for name in ("at_title", "at_book", "at_stake") if name not in GROUPS[group]}


def _place_totals(row: Mapping[str, Any], group: str) -> PlaceTotals:
    at = {name.removeprefix("posting__"): value for name, value in row.items()}
    line = PlaceTotals(reference=row["account"], place=None)
    if row["known"]:
        line.reference = f"{group}:{at[f'at_{group}'] or 0}"
        line.place = PlayedAt(
            table=at.get("at_table"),
            title=at["at_title"],
            book=at["at_book"],
            stake=f"stake {at['at_stake']}" if at["at_stake"] else "",
        )
    line.totals.add(row)
    return line


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerFees:
    """What one player's winnings in deals paid: `player` is their id."""

    player: int
    name: str
    deals: int
    fees: int


def fees_by_player(period: Period, currency: str) -> list[PlayerFees]:
    """Whose winnings paid which fees in deals, most first."""
    paid = transfers(period, currency).filter(
        credit__kind=AccountKind.FEES, debit__kind=AccountKind.STACK, debit__owner__isnull=False
    )
    rows = paid.order_by().values_list("debit__owner", "debit__owner__username").annotate(Count("pk"), Sum("amount"))
    found = [PlayerFees(player=pk, name=name, deals=count, fees=amount) for pk, name, count, amount in rows]
    return sorted(found, key=lambda each: (-each.fees, each.name))


def entries(
    *,
    since: date | None = None,
    until: date | None = None,
    currency: str = "",
    what: str = "",
    reference: str = "",
    place: str = "",
    player: int | None = None,
    as_of: int | None = None,
) -> QuerySet[Transfer]:
    """The transfers that a figure is made of, newest first, to be paged by id; days are those of the report zone.

    `what` is one of FIGURES, or one of STANDING: what made it as large as it is. `reference` is that of an account
    (`user:1`, `seating:1`, `match:1`, `house`), `place` one of the lines of `by_place`, `player` the id of one, on
    whose accounts something moved; nothing is after the transfer `as_of`.
    """
    found = Transfer.objects.select_related("posting", "debit", "credit")
    if since:
        found = found.filter(posting__created_at__gte=midnight(since))
    if until:
        found = found.filter(posting__created_at__lt=midnight(until + timedelta(days=1)))
    if currency:
        found = found.filter(debit__currency=currency)
    if what:
        found = found.filter(FIGURES[what] if what in FIGURES else _changing(STANDING[what]))
    if reference:
        found = _of(found, list(accounts(reference).values_list("pk", flat=True)))
    if place:
        found = found.filter(_made_at(place))
    if player is not None:
        found = _of(found, Account.objects.filter(owner=player).values("pk"))
    if as_of is not None:
        found = found.filter(pk__lte=as_of)
    return found.order_by("-pk")


def come_to(found: QuerySet[Transfer], what: str = "") -> tuple[int, int]:
    """How many transfers of one currency these are, and what they make of the figure `what`: their sum, or a change."""
    if what in STANDING:
        up, down = (Sum("amount", filter=_on(side, STANDING[what]), default=0) for side in ("credit", "debit"))
        told = found.order_by().aggregate(count=Count("pk"), up=up, down=down)
        return told["count"], told["up"] - told["down"]
    told = found.order_by().aggregate(count=Count("pk"), sum=Sum("amount", default=0))
    return told["count"], told["sum"]


def _made_at(place: str) -> Q:
    """The transfers of `table:ID`, `stake:ID` (0: practice), `book:KEY`, or of the account `seating:ID`, `match:ID`."""
    kind, _, key = place.partition(":")
    if kind not in GROUPS:
        accounts = list(Account.objects.filter(kind__in=_TABLES, reference=place).values_list("pk", flat=True))
        return Q(_PAYS, debit_id__in=accounts) | Q(_IS_PAID, credit_id__in=accounts)
    if place == "stake:0":
        return _KNOWN & Q(posting__at_stake=None)
    return Q(**{f"posting__at_{kind}": key})


def _of(found: QuerySet[Transfer], ids: Any) -> QuerySet[Transfer]:
    return found.filter(Q(debit_id__in=ids) | Q(credit_id__in=ids))


def _changing(which: Q) -> Q:
    """The transfers by which the accounts of that sort, all together, came to hold more or less."""
    debit, credit = _on("debit", which), _on("credit", which)
    return (credit & ~debit) | (debit & ~credit)


def accounts(reference: str) -> QuerySet[Account]:
    """The accounts of that reference, found by the index of kinds and references."""
    return Account.objects.filter(kind__in=AccountKind.values, reference=reference)


def _standing(which: Q, currency: str) -> int:
    return Account.objects.filter(which, currency=currency).aggregate(total=Sum("balance", default=0))["total"] or 0


def _sums() -> dict[str, Any]:
    return {"transfers": Count("pk"), **{name: Sum("amount", filter=which) for name, which in FIGURES.items()}}


def _changes() -> dict[str, Any]:
    return {
        f"{name}_{word}": Sum("amount", filter=_on(side, which))
        for name, which in STANDING.items()
        for word, side in (("in", "credit"), ("out", "debit"))
    }


def _on(side: str, which: Q) -> Q:
    """The condition on accounts as one on that side of a transfer."""
    made = Q(_connector=which.connector, _negated=which.negated)
    for child in which.children:
        name, value = child if isinstance(child, tuple) else ("", child)
        made.children.append((f"{side}__{name}", value) if name else _on(side, value))
    return made
