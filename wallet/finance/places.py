"""Totals for each table, stake or book. The wallet knows no tables, so each posting of play names its place."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db.models import Min, Q

from wallet.finance.exports import Period
from wallet.finance.figures import Totals, sums
from wallet.ledger.snapshots import snapshot
from wallet.ledger.sums import AT_TABLES, IS_KNOWN, IS_PAID, PAYS, PLACES, added_up
from wallet.models import Account

#: The groups of totals, each with the columns that identify a line.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "table": ("at_table", "at_title", "at_book", "at_stake"),
    "stake": ("at_stake",),
    "book": ("at_book",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedAt:
    """The place of a line's transfers; `stake` is empty for practice, `table` None for a line of several tables."""

    table: int | None
    title: str
    book: str
    stake: str = ""
    stake_id: int | None = None


@dataclass(slots=True, kw_only=True)
class PlaceTotals:
    """The totals of one table, stake or book, or of one account whose place is not recorded."""

    reference: str
    place: PlayedAt | None
    totals: Totals = field(default_factory=Totals)

    def as_dict(self) -> dict[str, Any]:
        place = asdict(self.place) if self.place else {"table": None, "title": "", "book": "", "stake": ""}
        place.pop("stake_id", None)
        return {"reference": self.reference, **place, **asdict(self.totals)}


def by_place(period: Period, currency: str, group: str = "table") -> list[PlaceTotals]:
    """Return the totals of each table, stake or book in the period, highest fees first.

    They come from the stored sums of places, and the transfers since. The reference of practice is `stake:0`; transfers
    without a recorded place have the reference of their match or seating.
    """
    lines: dict[tuple[Any, ...], PlaceTotals] = {}
    columns = ("account", *GROUPS[group])
    # One value of what lines are not grouped by; the tables of a stake share their book.
    others = {f"any_{name}": Min(name) for name in ("at_title", "at_book", "at_stake") if name not in columns}
    with snapshot():
        for row in added_up(PLACES, currency, *columns, first=period.first, last=period.last, **others, **sums()):
            key = tuple(row[name] for name in columns)
            if key not in lines:
                lines[key] = _place_totals(row, group)
            lines[key].totals.add(row)
    return sorted(lines.values(), key=lambda line: (-line.totals.fees, -line.totals.transfers, line.reference))


def _place_totals(row: Mapping[str, Any], group: str) -> PlaceTotals:
    values = {name.removeprefix("any_"): value for name, value in row.items()}
    line = PlaceTotals(reference=values["account"], place=None)
    if not line.reference:
        line.reference = f"{group}:{values[f'at_{group}'] or 0}"
        line.place = PlayedAt(
            table=values.get("at_table"),
            title=values["at_title"],
            book=values["at_book"],
            stake=f"stake {values['at_stake']}" if values["at_stake"] else "",
            stake_id=values["at_stake"],
        )
    return line


def transfers_at(place: str) -> Q:
    """Return the condition for transfers at a place: `table:ID`, `stake:ID` (0: practice) or `book:KEY`.

    `seating:ID` and `match:ID` select the transfers of that account.
    """
    kind, _, key = place.partition(":")
    if kind not in GROUPS:
        accounts = list(Account.objects.filter(kind__in=AT_TABLES, reference=place).values_list("pk", flat=True))
        return Q(PAYS, debit_id__in=accounts) | Q(IS_PAID, credit_id__in=accounts)
    if place == "stake:0":
        return IS_KNOWN & Q(posting__at_stake=None)
    return Q(**{f"posting__at_{kind}": key})
