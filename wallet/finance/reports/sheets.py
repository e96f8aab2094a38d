"""The reports of finance as tables of figures: every row, with names beside ids, and the sums of the columns."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wallet.base.money import currency
from wallet.base.report_zone import zone
from wallet.finance.days import by_day
from wallet.finance.exports import Period
from wallet.finance.fees import RULE, fees_by_player
from wallet.finance.figures import FIGURES
from wallet.finance.months.kinds import by_kind
from wallet.finance.places import by_place
from wallet.finance.reports.names import line_name, names_for
from wallet.finance.spreadsheets import Amount, Cell, Column, Totals


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A report as a table; the columns of `summed` are added up at its end, and the `rule` behind it stated."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    summed: Sequence[str]
    rule: str = ""

    def totals(self, period: Period, code: str) -> Totals:
        """Return the lines below the rows: the period, zone and currency, and the sums of the columns."""
        names = [column.name for column in self.columns]
        sums = {name: sum(int(row[names.index(name)] or 0) for row in self.rows) for name in self.summed}
        unit = f"{currency(code).title}, smallest unit" if currency(code).decimals else str(currency(code).title)
        return [
            ("from", period.first), ("to", period.last), ("zone", zone().key), ("currency", code), ("amounts in", unit),
            ("rows", len(self.rows)), *((f"sum of {name}", Amount(figure)) for name, figure in sums.items()),
            *([("rule", self.rule)] if self.rule else []),
        ]  # fmt: skip


#: The columns that hold no amounts, with their widths in characters.
_TEXTS = {
    "day": 11, "title": 34, "name": 34, "book_title": 28, "stake_name": 44, "book": 20, "player_name": 22,
    "reference": 18, "kind": 14, "account": 24, "reason": 28,
}  # fmt: skip


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]], summed: Sequence[str]) -> FigureTable:
    typed = [Column(name, _TEXTS.get(name, 14), name not in _TEXTS) for name in columns]
    return FigureTable(typed, list(rows), summed)


def days(period: Period, code: str) -> FigureTable:
    """Return every day with its figures and the balances at its end, the oldest first."""
    rows = (
        [day, totals.transfers, *(Amount(getattr(totals, name)) for name in (*FIGURES, "in_play", "liabilities"))]
        for day, totals in sorted(by_day(period, code).items())
    )
    return _table(("day", "transfers", *FIGURES, "in_play", "liabilities"), rows, ("transfers", *FIGURES))


def _places(period: Period, code: str, group: str, columns: Mapping[str, str]) -> FigureTable:
    """Return a line for each table, stake or book; the keys of `own` are the columns for its place."""
    lines = by_place(period, code, group)
    names = names_for(lines)
    rows: list[list[Cell]] = []
    for line in lines:
        place = line.place
        cells: dict[str, Cell] = {"reference": line.reference, "name": line_name(line, names, group)}
        if place is not None:
            cells |= {"table": place.table, "title": place.title, "stake": place.stake_id, "book": place.book}
            cells |= {"stake_name": names.stake(place.stake_id), "book_title": names.book(place.book)}
        figures = [Amount(getattr(line.totals, name)) for name in FIGURES]
        rows.append([*(cells.get(name) for name in columns), line.totals.transfers, *figures])
    return _table((*columns, "transfers", *FIGURES), rows, ("transfers", *FIGURES))


def every_table(period: Period, code: str) -> FigureTable:
    """Return every table with its title, stake and book, most fees first."""
    columns = ("reference", "table", "title", "stake", "stake_name", "book", "book_title")
    return _places(period, code, "table", dict.fromkeys(columns, ""))


def stakes(period: Period, code: str) -> FigureTable:
    """Return every stake with its name and book, most fees first."""
    return _places(period, code, "stake", dict.fromkeys(("reference", "stake", "name", "book", "book_title"), ""))


def books(period: Period, code: str) -> FigureTable:
    """Return every rule book with its title, most fees first."""
    return _places(period, code, "book", dict.fromkeys(("reference", "book", "name"), ""))


def players(period: Period, code: str) -> FigureTable:
    """Return every player who bears fees, highest fees first."""
    rows = ([line.player, line.name, line.times, Amount(line.fees)] for line in fees_by_player(period, code))
    return replace(_table(("player", "player_name", "times", "fees"), rows, ("fees",)), rule=RULE)


def accounts(period: Period, code: str) -> FigureTable:
    """Return every kind of account: opening balance, amounts in and out for each reason, closing balance."""
    rows: list[list[Cell]] = []
    for line in by_kind(period, code):
        moved = [
            [None, Amount(each.credits), Amount(each.debits), None, each.title]
            for _, each in sorted(line.movements.items())
        ]
        ends = [
            [Amount(line.opening), None, None, None, "Opening"],
            [None, None, None, Amount(line.closing), "Closing"],
        ]
        rows += [[line.kind, line.title, each[4], *each[:4]] for each in (ends[0], *moved, ends[1])]
    columns = ("kind", "account", "reason", "opening", "credits", "debits", "closing")
    return _table(columns, rows, ("opening", "credits", "debits", "closing"))


REPORTS: Mapping[str, tuple[str, Callable[[Period, str], FigureTable]]] = {
    "days": ("Days", days),
    "tables": ("Tables", every_table),
    "stakes": ("Stakes", stakes),
    "books": ("Rule books", books),
    "players": ("Fees by player", players),
    "accounts": ("Accounts", accounts),
}
