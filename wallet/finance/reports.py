"""The reports of finance as tables of figures and as files: every row, names beside ids, and sums of the columns.

The wallet itself knows tables, stakes and books only by number or key.
"""

import hashlib
import io
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpResponseBase
from django.utils.module_loading import import_string

from wallet.audit_log.services import Actor, record
from wallet.base.api import attachment
from wallet.base.money import unit
from wallet.base.report_zone import zone
from wallet.finance.exports import FORMATS
from wallet.finance.months.kinds import by_kind
from wallet.finance.periods import Period
from wallet.finance.spreadsheets import Cell, Column, FooterLines, MoneyCell, Sheet, Workbook
from wallet.finance.totals import FEE_RULE, FIGURES, PlaceTotals, by_day, by_place, fees_by_player

#: The columns that hold no amounts, with their widths in characters.
_TEXTS = {
    "day": 11, "title": 34, "name": 34, "book_title": 28, "stake_name": 44, "book": 20, "player_name": 22,
    "reference": 18, "kind": 14, "account": 24, "reason": 28,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlaceNames:
    """The names of stakes by id, and the titles of rule books by key."""

    stakes: dict[int, str]
    books: dict[str, str]

    def stake(self, stake: int | None) -> str:
        """Return the name of the stake; practice, tables of friends and of tournaments have none."""
        return self.stakes.get(stake, f"Stake no. {stake}") if stake else "Without a stake"

    def book(self, key: str) -> str:
        """Return the title of the book, empty without one."""
        return self.books.get(key, key)


def place_names_of(stakes: Collection[int], books: Collection[str]) -> PlaceNames:
    """Return their names from the function in PLACE_NAMES, as `str`: workbooks cannot write lazy translations."""
    stake_names, book_titles = import_string(settings.PLACE_NAMES)(stakes, books)
    return PlaceNames(
        {stake: str(name) for stake, name in stake_names.items()},
        {key: str(title) for key, title in book_titles.items()},
    )


def names_for(lines: Iterable[PlaceTotals]) -> PlaceNames:
    """Return the names of the stakes and books in the lines."""
    places = [line.place for line in lines if line.place]
    return place_names_of({place.stake_id for place in places if place.stake_id}, {place.book for place in places})


def line_name(line: PlaceTotals, names: PlaceNames, group: str) -> str:
    """Return the name of the line of a table, stake or book, or of a tournament, whose pot lies at no table."""
    if line.place is None:
        kind, _, number = line.reference.partition(":")
        return f"{kind.capitalize()} {number}" + ("" if kind == "tournament" else ", at an unknown table")
    if group == "table":
        return line.place.title
    return names.stake(line.place.stake_id) if group == "stake" else names.book(line.place.book)


def place_in_words(place: str) -> str:
    """Return `table:7`, `stake:3`, `book:standard-points`, `match:5` or `seating:9` in words."""
    kind, _, key = place.partition(":")
    if kind == "stake":
        return place_names_of([int(key)], []).stake(int(key))
    return place_names_of([], [key]).book(key) if kind == "book" else f"{kind} {key}"


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A report as a table; the columns of `summed` are added up at its end, and the `rule` behind it stated."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    summed: Sequence[str]
    rule: str = ""

    def totals(self, period: Period, code: str) -> FooterLines:
        """Return the lines below the rows: the period, zone and currency, and the sums of the columns."""
        names = [column.name for column in self.columns]
        sums = {name: sum(int(row[names.index(name)] or 0) for row in self.rows) for name in self.summed}
        return [
            ("from", period.first), ("to", period.last), ("zone", zone().key), ("currency", code),
            ("amounts in", unit(code)), ("rows", len(self.rows)),
            *((f"sum of {name}", MoneyCell(figure)) for name, figure in sums.items()),
            *([("rule", self.rule)] if self.rule else []),
        ]  # fmt: skip


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]], summed: Sequence[str]) -> FigureTable:
    typed = [Column(name, _TEXTS.get(name, 14), name not in _TEXTS) for name in columns]
    return FigureTable(typed, list(rows), summed)


def days(period: Period, code: str) -> FigureTable:
    """Return every day with its figures and the balances at its end, the oldest first."""
    rows = (
        [day, totals.transfers, *(MoneyCell(getattr(totals, name)) for name in (*FIGURES, "in_play", "liabilities"))]
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
        figures = [MoneyCell(getattr(line.totals, name)) for name in FIGURES]
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
    rows = ([line.player, line.name, line.times, MoneyCell(line.fees)] for line in fees_by_player(period, code))
    return replace(_table(("player", "player_name", "times", "fees"), rows, ("fees",)), rule=FEE_RULE)


def accounts(period: Period, code: str) -> FigureTable:
    """Return every kind of account: opening balance, amounts in and out for each reason, closing balance."""
    rows: list[list[Cell]] = []
    for line in by_kind(period, code):
        moved = [
            [None, MoneyCell(each.credits), MoneyCell(each.debits), None, each.title]
            for _, each in sorted(line.movements.items())
        ]
        ends = [
            [MoneyCell(line.opening), None, None, None, "Opening"],
            [None, None, None, MoneyCell(line.closing), "Closing"],
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
#: The formats of a report: those of an export that are tables.
TYPES = ("xlsx", "excel", "csv")


def download_report(*, report: str, period: Period, currency: str, format: str, actor: Actor) -> HttpResponseBase:
    """Return the whole report, one of REPORTS, as a file; record in the trail who downloaded it.

    The same report of the same books makes the same bytes.
    """
    title, make_table = REPORTS[report]
    table, out = make_table(period, currency), io.BytesIO()
    form = FORMATS[format]
    is_workbook = form.make is Workbook
    sheet: Sheet = Workbook(out, table.columns, title) if is_workbook else form.make(out, table.columns)
    for row in table.rows:
        sheet.row(row)
    sheet.close(table.totals(period, currency))
    content = out.getvalue()
    digest = hashlib.sha256(content).hexdigest()
    assert isinstance(actor.user, AbstractBaseUser)
    after = {
        "report": report,
        "first_day": period.first,
        "last_day": period.last,
        "currency": currency,
        "format": format,
    }
    record(actor, "report.export", actor.user, after={**after, "rows": len(table.rows), "digest": digest})
    name = f"{report}_{period.first}_{period.last}_{currency}.{form.ending}"
    return attachment(name, content, form.type, digest)
