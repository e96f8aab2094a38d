"""The totals of every table, stake or book. The wallet knows no tables: each posting of play says where it was made."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db.models import Case, F, Min, Q, Value, When

from wallet.finance.exports import Period, transfers
from wallet.finance.figures import AT_TABLES, IS_PAID, PAYS, Totals, sums
from wallet.models import Account

#: What the totals of places can be put together by, and what the lines then have of their own.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "table": ("at_table", "at_title", "at_book", "at_stake"),
    "stake": ("at_stake",),
    "book": ("at_book",),
}
#: Whether it was said where a transfer was made.
_IS_KNOWN = Q(posting__at_table__isnull=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedAt:
    """Where the transfers of a line were made; `stake` is empty for practice, `table` None for a line of several."""

    table: int | None
    title: str
    book: str
    stake: str = ""
    stake_id: int | None = None


@dataclass(slots=True, kw_only=True)
class PlaceTotals:
    """The totals of one table, stake or book, or of one account of which nobody said where it is played with."""

    reference: str
    place: PlayedAt | None
    totals: Totals = field(default_factory=Totals)

    def as_dict(self) -> dict[str, Any]:
        place = asdict(self.place) if self.place else {"table": None, "title": "", "book": "", "stake": ""}
        place.pop("stake_id", None)
        return {"reference": self.reference, **place, **asdict(self.totals)}


def by_place(period: Period, currency: str, group: str = "table") -> list[PlaceTotals]:
    """Return the totals of each table, stake or book in the period, most fees first, by one query.

    Practice stands under `stake:0`, what was made at no known place under the reference of its match or seating.
    """
    there = transfers(period, currency).filter(PAYS | IS_PAID).order_by()
    lines = there.values(*(f"posting__{name}" for name in GROUPS[group]), account=_ACCOUNT, known=_IS_KNOWN)
    found = [_place_totals(row, group) for row in lines.annotate(**_names(group), **sums())]
    return sorted(found, key=lambda line: (-line.totals.fees, -line.totals.transfers, line.reference))


#: Where it was not said, the account at a table that a transfer counts for.
_ACCOUNT = Case(When(_IS_KNOWN, then=Value("")), When(PAYS, then=F("debit__reference")), default=F("credit__reference"))


def _names(group: str) -> dict[str, Any]:
    """Return one name of each sort for a line that several tables make up: those of a stake share theirs."""
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
            stake_id=at["at_stake"],
        )
    line.totals.add(row)
    return line


def made_at(place: str) -> Q:
    """Return what selects the transfers of `table:ID`, `stake:ID` (0: practice), `book:KEY`, or of the account
    `seating:ID` or `match:ID`."""
    kind, _, key = place.partition(":")
    if kind not in GROUPS:
        accounts = list(Account.objects.filter(kind__in=AT_TABLES, reference=place).values_list("pk", flat=True))
        return Q(PAYS, debit_id__in=accounts) | Q(IS_PAID, credit_id__in=accounts)
    if place == "stake:0":
        return _IS_KNOWN & Q(posting__at_stake=None)
    return Q(**{f"posting__at_{kind}": key})
