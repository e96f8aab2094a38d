"""Writing tables row by row, as CSV, JSON lines or a workbook, in constant memory.

The same rows always make the same bytes: no file says when or by whom it was made.
"""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import IO, Any, Protocol, TypeAlias
from xml.sax.saxutils import escape


class MoneyCell(int):
    """An amount in smallest units, shown in groups of digits."""


#: A number, a moment or a day is one in a workbook as well; a moment has a zone.
Cell: TypeAlias = str | int | date | datetime | None
#: Names and figures for the end of the file, or its last sheet.
FooterLines: TypeAlias = Sequence[tuple[str, Cell]]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `width` in characters, for formats that have widths; `figures` are aligned to the right."""

    name: str
    width: int = 12
    figures: bool = False


#: Characters that a spreadsheet ignores: blanks, controls, and characters without width.
_INVISIBLE = (
    r"[\s\x00-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e"
    r"\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb]"
)
#: Characters that begin a formula, in every width, or an old macro.
_SIGN = r"[=+\-@|%⁺⁻⁼₊₋₌−﹢﹣﹦﹪﹫％＋－＝＠｜]"
#: Where a formula would begin: at the start of the text, or after what ends a cell or a line where semicolons or tabs
#: separate cells, as in much of Europe. A comma ends none: texts with one are quoted, and only commas heed the quotes.
_FORMULA = re.compile(
    rf"\A(?={_INVISIBLE}*{_SIGN}|[\x00-\x1f\x7f-\x9f])|(?<=[;\"\x00-\x1f\x85\u2028\u2029])(?={_INVISIBLE}*{_SIGN})"
)
#: A text that a spreadsheet takes for a number, a date or a time; and one that looks the same afterwards.
_FIGURES = re.compile(r"\.?\d[\d.,:/+\-eE ]*")
_SAME_NUMBER = re.compile(r"0|[1-9][0-9]{0,14}")
#: A spreadsheet computes with 15 digits: a longer number is written as text, which keeps all of them.
_MOST_EXACT = 10**15
#: A quick test that nearly every text passes: a word without any character that ends a cell.
_WORD = re.compile(r"[^\W_][\w:.\-]*\Z")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: XML parsers turn a bare carriage return into a newline.
_ESCAPES = {"\r": "&#13;"}
#: A sheet holds 1,048,576 rows at most.
ROWS_ON_A_SHEET = 1_000_000


class Sheet(Protocol):
    """A sheet to write: rows first, then `close` once."""

    def row(self, cells: Sequence[Cell]) -> None: ...

    def close(self, totals: FooterLines) -> None: ...


def plain_value(cell: Cell) -> str | int | None:
    """Return the cell as text or number: days, and moments in UTC, in ISO 8601."""
    if isinstance(cell, datetime):
        return cell.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return cell.isoformat() if isinstance(cell, date) else cell


def escape_formula(text: str) -> str:
    """Return the text, quoted where a spreadsheet would read it as a formula."""
    return text if _WORD.match(text) else _FORMULA.sub("'", text)


def as_text(text: str) -> str:
    """Return the text, quoted where a spreadsheet would read it as a formula or as another number: `000123`, `5.00`."""
    if _FIGURES.fullmatch(text):
        return text if _SAME_NUMBER.fullmatch(text) else f"'{text}"
    return escape_formula(text)


class CsvSheet:
    """CSV in UTF-8 with a header; numbers bare, texts as `as_text`; the totals are the last lines, after `total`."""

    encoding = "utf-8"

    def __init__(self, out: IO[bytes], columns: Sequence[Column]) -> None:
        self._text = io.TextIOWrapper(out, encoding=self.encoding, newline="", write_through=False)
        self._lines = csv.writer(self._text)
        self._lines.writerow([column.name for column in columns])

    def row(self, cells: Sequence[Cell]) -> None:
        self._lines.writerow([as_text(cell) if isinstance(cell, str) else plain_value(cell) for cell in cells])

    def close(self, totals: FooterLines) -> None:
        for name, figure in totals:
            self.row(["total", name, figure])
        self._text.flush()
        self._text.detach()


class ExcelCsv(CsvSheet):
    """CSV that begins with the mark by which Excel knows UTF-8: without it a double click shows no Hindi."""

    encoding = "utf-8-sig"


class JsonLines:
    """JSON Lines: one object a line; the last is `{"total": {…}}`."""

    def __init__(self, out: IO[bytes], columns: Sequence[Column]) -> None:
        self._out, self._names = out, [column.name for column in columns]

    def row(self, cells: Sequence[Cell]) -> None:
        self._line(dict(zip(self._names, map(plain_value, cells), strict=True)))

    def close(self, totals: FooterLines) -> None:
        self._line({"total": {name: plain_value(figure) for name, figure in totals}})

    def _line(self, content: object) -> None:
        self._out.write(json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")


class _Package(zipfile.ZipFile):
    def __del__(self) -> None:
        """Do nothing: one that could not be ended is thrown away, and so was its file, which it would write to."""


class Workbook:
    """An Office Open XML workbook: rows on one sheet or more, totals on the last. Cells with text have a text type."""

    def __init__(self, out: IO[bytes], columns: Sequence[Column], title: str = "Ledger") -> None:
        self._title = title
        self._zip = _Package(out, "w", zipfile.ZIP_DEFLATED)
        self._columns = columns
        self._names: list[str] = []
        self._rows = 0
        self._part: IO[bytes] | None = None

    def row(self, cells: Sequence[Cell]) -> None:
        if self._part is None or self._rows == ROWS_ON_A_SHEET:
            self._next_sheet()
        self._write(cells)
        self._rows += 1

    def close(self, totals: FooterLines) -> None:
        if not self._names:
            self._next_sheet()
        self._end(_filter(self._columns, self._rows))
        self._begin("FooterLines", _TOTALS)
        for name, figure in totals:
            self._write([name, figure])
        self._end()
        for entry, content in _parts(self._names):
            self._zip.writestr(_entry(entry), content)
        self._zip.close()

    def _next_sheet(self) -> None:
        self._end(_filter(self._columns, self._rows))
        name = f"{self._title} {len(self._names) + 1}" if self._names else self._title
        self._begin(name, self._columns, _FROZEN_HEADER)
        styles = (_FIGURES_HEADER if column.figures else _HEADER for column in self._columns)
        names = (column.name for column in self._columns)
        self._part_row("".join(f'<c s="{style}" {_text(name)}' for style, name in zip(styles, names, strict=True)))
        self._rows = 0

    def _begin(self, name: str, columns: Sequence[Column], view: str = "") -> None:
        self._names.append(name)
        self._part = self._zip.open(_entry(f"xl/worksheets/sheet{len(self._names)}.xml"), "w", force_zip64=True)
        widths = "".join(
            f'<col min="{n}" max="{n}" width="{column.width}" customWidth="1"/>'
            for n, column in enumerate(columns, start=1)
        )
        self._part.write(
            f'{_XML}<worksheet xmlns="{_MAIN}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>{view}'
            f"<cols>{widths}</cols><sheetData>".encode()
        )

    def _end(self, footer: str = "") -> None:
        if self._part is not None:
            self._part.write(f"</sheetData>{footer}{_PAGE_SETUP}</worksheet>".encode())
            self._part.close()

    def _write(self, cells: Sequence[Cell]) -> None:
        self._part_row("".join([_CELLS[type(cell)](cell) for cell in cells]))

    def _part_row(self, cells: str) -> None:
        assert self._part is not None
        self._part.write(f"<row>{cells}</row>".encode())


_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_SCHEMAS = "http://schemas.openxmlformats.org"
_MAIN = f"{_SCHEMAS}/spreadsheetml/2006/main"
_OFFICE = f"{_SCHEMAS}/officeDocument/2006/relationships"
_PACKAGE = f"{_SCHEMAS}/package/2006"
_SHEETS = "application/vnd.openxmlformats-officedocument.spreadsheetml"


#: Styles of cells, by their positions in `styles.xml`.
_HEADER, _FIGURES_HEADER, _DAY, _MOMENT, _NUMBER, _AMOUNT = range(1, 7)
_LEFT, _RIGHT = '<alignment horizontal="left"/>', '<alignment horizontal="right" indent="1"/>'
_STYLES = (
    f'{_XML}<styleSheet xmlns="{_MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts>'
    '<fonts count="2"><font><sz val="10"/><name val="Arial"/></font>'
    '<font><b/><sz val="10"/><color rgb="FFFFFFFF"/><name val="Arial"/></font></fonts>'
    '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '<fill><patternFill patternType="solid"><fgColor rgb="FF1F5A46"/></patternFill></fill></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="7"><xf/>'
    + "".join(
        f'<xf fontId="1" fillId="2" applyFont="1" applyFill="1" applyAlignment="1">{side}</xf>'
        for side in (_LEFT, _RIGHT)
    )
    + "".join(
        f'<xf numFmtId="{form}" applyNumberFormat="1" applyAlignment="1">{side}</xf>'
        for form, side in ((164, _LEFT), (165, _LEFT), (1, _RIGHT), (3, _RIGHT))
    )
    + "</cellXfs></styleSheet>"
)
_TOTALS = (Column("total", 20), Column("figure", 26))
_FROZEN_HEADER = (
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft"'
    ' state="frozen"/></sheetView></sheetViews>'
)
_PAGE_SETUP = '<pageSetup paperSize="9" orientation="landscape" fitToHeight="0"/>'
#: Day 0 of a workbook, and a day in microseconds.
_DAY_ZERO, _DAY_MICROSECONDS = date(1899, 12, 30).toordinal(), 86_400_000_000


def _filter(columns: Sequence[Column], rows: int) -> str:
    return f'<autoFilter ref="A1:{chr(64 + len(columns))}{rows + 1}"/>'


def _text(cell: str) -> str:
    """Return the XML of a cell with this text, without its beginning."""
    plain = cell if _WORD.match(cell) else escape(_NOT_XML.sub("�", cell), _ESCAPES)
    return f't="inlineStr"><is><t xml:space="preserve">{plain}</t></is></c>'


def _number(cell: int, style: int) -> str:
    """Return the cell of a number; as text where a spreadsheet would round it."""
    return f'<c s="{style}"><v>{cell}</v></c>' if abs(cell) < _MOST_EXACT else f'<c s="{style}" {_text(str(int(cell)))}'


def _moment(cell: datetime) -> str:
    """Return the cell of a moment in days, to 12 decimals, which distinguish microseconds."""
    moment = cell.astimezone(UTC)
    microseconds = ((moment.hour * 60 + moment.minute) * 60 + moment.second) * 1_000_000 + moment.microsecond
    days = moment.toordinal() - _DAY_ZERO
    return f'<c s="{_MOMENT}"><v>{days}.{microseconds * 10**12 // _DAY_MICROSECONDS:012d}</v></c>'


_CELLS: Mapping[type, Callable[[Any], str]] = {
    type(None): lambda cell: "<c/>",
    str: lambda cell: f"<c {_text(cell)}",
    int: lambda cell: _number(cell, _NUMBER),
    MoneyCell: lambda cell: _number(cell, _AMOUNT),
    date: lambda cell: f'<c s="{_DAY}"><v>{cell.toordinal() - _DAY_ZERO}</v></c>',
    datetime: _moment,
}


def _entry(name: str) -> zipfile.ZipInfo:
    """Return a ZIP entry with a fixed time and machine, so that the same rows make the same bytes."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o600 << 16
    return entry


def _parts(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the parts that make a workbook of the sheets: name and content."""
    numbers = range(1, len(names) + 1)
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_SHEETS}.worksheet+xml"/>' for n in numbers
    )
    sheets = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(names, start=1))
    links = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
    )
    styles = f'<Relationship Id="rId{len(names) + 1}" Type="{_OFFICE}/styles" Target="styles.xml"/>'
    # The header is printed on every page of a sheet of rows.
    print_titles = "".join(
        f'<definedName name="_xlnm.Print_Titles" localSheetId="{n}">\'{name}\'!$1:$1</definedName>'
        for n, name in enumerate(names[:-1])
    )
    return [
        (
            "[Content_Types].xml",
            f'{_XML}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels"'
            ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEETS}.sheet.main+xml"/>'
            f'<Override PartName="/xl/styles.xml" ContentType="{_SHEETS}.styles+xml"/>{overrides}</Types>',
        ),
        (
            "_rels/.rels",
            f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1"'
            f' Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        ),
        (
            "xl/workbook.xml",
            f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><bookViews><workbookView/></bookViews>'
            f"<sheets>{sheets}</sheets><definedNames>{print_titles}</definedNames></workbook>",
        ),
        ("xl/styles.xml", _STYLES),
        (
            "xl/_rels/workbook.xml.rels",
            f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">{links}{styles}</Relationships>',
        ),
    ]
