"""What the ledger comes to: totals by day, by table or match, and fees; for staff of finance.

The wallet knows no tables. Who does (see `register_places`) says where a seating or a match was played.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import BigIntegerField, Count, F, Func, Q, QuerySet, Sum

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
    """Where a seating or a match was played; `stake` is empty for practice."""

    table: int
    title: str
    book: str
    stake: str = ""


Places = Callable[[Collection[str]], Mapping[str, PlayedAt]]
_places: list[Places] = []
References = Callable[[str], Iterable[str]]
_references: list[References] = []
#: What the totals of places can be put together by.
GROUPS = ("table", "stake", "book")


@dataclass(slots=True, kw_only=True)
class PlaceTotals:
    """The totals of one table, or of one reference of which nobody knows the table."""

    reference: str
    place: PlayedAt | None
    totals: Totals = field(default_factory=Totals)

    def as_dict(self) -> dict[str, Any]:
        place = asdict(self.place) if self.place else {"table": None, "title": "", "book": "", "stake": ""}
        return {"reference": self.reference, **place, **asdict(self.totals)}


def register_places(find: Places) -> Places:
    """Afterwards reports ask `find` where references (`seating:ID`, `match:ID`) were played. Also a decorator."""
    if find not in _places:
        _places.append(find)
    return find


def register_references(find: References) -> References:
    """Afterwards `find` is asked for the references of what was played at `table:ID`, `stake:ID` or `book:KEY`."""
    if find not in _references:
        _references.append(find)
    return find


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
    """The totals of each table, stake or book in the period, most fees first.

    What was played nobody knows where, or at no stake, stands under the match or seating, or under `stake:0`.
    """
    sums: dict[str, Totals] = {}
    for side, counts in (("debit", _PAYS), ("credit", _IS_PAID)):
        found_there = transfers(period, currency).filter(counts)
        for row in found_there.order_by().values(reference=F(f"{side}__reference")).annotate(**_sums()):
            sums.setdefault(row["reference"], Totals()).add(row)
    known = places(sums)
    found: dict[str, PlaceTotals] = {}
    for reference, totals in sums.items():
        place = known.get(reference)
        name = _line(place, group) if place else reference
        line = found.setdefault(name, PlaceTotals(reference=name, place=place))
        line.totals.add({"transfers": totals.transfers, **{figure: getattr(totals, figure) for figure in FIGURES}})
    return sorted(found.values(), key=lambda line: (-line.totals.fees, -line.totals.transfers, line.reference))


def _line(place: PlayedAt, group: str) -> str:
    names = {"stake": place.stake.removeprefix("stake ") or "0", "book": place.book}
    return f"{group}:{names.get(group, place.table)}"


def places(references: Iterable[str]) -> dict[str, PlayedAt]:
    """Where each reference was played, as far as anybody knows."""
    asked = list(references)
    return {reference: place for find in _places for reference, place in find(asked).items()}


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
        names = [place] if place.startswith(("seating:", "match:")) else _played_at(place)
        at_place = list(Account.objects.filter(kind__in=_TABLES, reference__in=names).values_list("pk", flat=True))
        found = found.filter(Q(_PAYS, debit_id__in=at_place) | Q(_IS_PAID, credit_id__in=at_place))
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


def _played_at(place: str) -> list[str]:
    return [name for find in _references for name in find(place)]


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
