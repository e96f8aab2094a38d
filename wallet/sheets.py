"""Tables of figures written row by row, as CSV, JSON lines or a workbook, in memory that does not grow.

The same rows always make the same bytes: no file tells when or by whom it was made.
"""

import csv
import io
import json
import re
import zipfile
from collections.abc import Sequence
from typing import IO, Protocol, TypeAlias
from xml.sax.saxutils import escape

Cell: TypeAlias = str | int | None
Totals: TypeAlias = Sequence[tuple[str, Cell]]
"""Names and figures that stand at the end of the file, or on its last sheet."""

#: What a spreadsheet looks past: blanks, controls, and characters without width.
_UNSEEN = (
    r"[\s\x00-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e"
    r"\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb]"
)
#: What begins a formula, in every width, or a macro of old.
_SIGN = r"[=+\-@|%⁺⁻⁼₊₋₌−﹢﹣﹦﹪﹫％＋－＝＠｜]"
#: Where a formula would begin: first in the text, or after what a reader may take for the end of a cell or a line.
_FORMULA = re.compile(
    rf"\A(?={_UNSEEN}*{_SIGN}|[\x00-\x1f\x7f-\x9f])|(?<=[,;\"\x00-\x1f\x85\u2028\u2029])(?={_UNSEEN}*{_SIGN})"
)
#: Nearly every text, seen at a glance: a word, with nothing in it that ends a cell.
_WORD = re.compile(r"[^\W_][\w:.\-]*\Z")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: A reader of XML takes a bare carriage return for the end of a line.
_KEPT = {"\r": "&#13;"}
#: A sheet holds 1,048,576 rows at most.
ROWS_ON_A_SHEET = 1_000_000


class Sheet(Protocol):
    """Rows first, then `close` once."""

    def row(self, cells: Sequence[Cell]) -> None: ...

    def close(self, totals: Totals) -> None: ...


def harmless(text: str) -> str:
    """The text, with a quote wherever a spreadsheet would begin to calculate with it."""
    return text if _WORD.match(text) else _FORMULA.sub("'", text)


class CsvSheet:
    """UTF-8 with a header; numbers bare, texts never a formula; the totals are the last lines, after `total`."""

    def __init__(self, out: IO[bytes], columns: Sequence[str]) -> None:
        self._text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=False)
        self._lines = csv.writer(self._text)
        self._lines.writerow(columns)

    def row(self, cells: Sequence[Cell]) -> None:
        self._lines.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in cells])

    def close(self, totals: Totals) -> None:
        for name, figure in totals:
            self.row(["total", name, figure])
        self._text.flush()
        self._text.detach()


class JsonLines:
    """One object a line; the last is `{"total": {…}}`."""

    def __init__(self, out: IO[bytes], columns: Sequence[str]) -> None:
        self._out, self._columns = out, columns

    def row(self, cells: Sequence[Cell]) -> None:
        self._line(dict(zip(self._columns, cells, strict=True)))

    def close(self, totals: Totals) -> None:
        self._line({"total": dict(totals)})

    def _line(self, content: object) -> None:
        self._out.write(json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")


class Workbook:
    """An Office Open XML workbook: the rows on one sheet or more, the totals on the last. Texts are typed as texts."""

    def __init__(self, out: IO[bytes], columns: Sequence[str]) -> None:
        self._zip = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED)
        self._columns = columns
        self._names: list[str] = []
        self._left = 0
        self._part: IO[bytes] | None = None

    def row(self, cells: Sequence[Cell]) -> None:
        if not self._left:
            self._begin("Ledger" if not self._names else f"Ledger {len(self._names) + 1}")
            self._write(self._columns)
            self._left = ROWS_ON_A_SHEET
        self._write(cells)
        self._left -= 1

    def close(self, totals: Totals) -> None:
        if not self._names:
            self._begin("Ledger")
            self._write(self._columns)
        self._begin("Totals")
        for name, figure in totals:
            self._write([name, figure])
        self._end()
        for name, content in _parts(self._names):
            self._zip.writestr(_entry(name), content)
        self._zip.close()

    def _begin(self, name: str) -> None:
        self._end()
        self._names.append(name)
        self._part = self._zip.open(_entry(f"xl/worksheets/sheet{len(self._names)}.xml"), "w", force_zip64=True)
        self._part.write(f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())

    def _end(self) -> None:
        if self._part is not None:
            self._part.write(b"</sheetData></worksheet>")
            self._part.close()

    def _write(self, cells: Sequence[Cell]) -> None:
        assert self._part is not None
        self._part.write(f"<row>{''.join(map(_cell, cells))}</row>".encode())


_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_SCHEMAS = "http://schemas.openxmlformats.org"
_MAIN = f"{_SCHEMAS}/spreadsheetml/2006/main"
_OFFICE = f"{_SCHEMAS}/officeDocument/2006/relationships"
_PACKAGE = f"{_SCHEMAS}/package/2006"
_SHEETS = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def _cell(cell: Cell) -> str:
    if cell is None:
        return "<c/>"
    if isinstance(cell, int):
        return f"<c><v>{cell}</v></c>"
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(_NOT_XML.sub("�", cell), _KEPT)}</t></is></c>'


def _entry(name: str) -> zipfile.ZipInfo:
    """An entry of no particular time or machine."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o600 << 16
    return entry


def _parts(names: Sequence[str]) -> list[tuple[str, str]]:
    """What makes a workbook of the sheets."""
    numbers = range(1, len(names) + 1)
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_SHEETS}.worksheet+xml"/>' for n in numbers
    )
    sheets = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(names, start=1))
    links = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
    )
    return [
        (
            "[Content_Types].xml",
            f'{_XML}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels"'
            ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEETS}.sheet.main+xml"/>{overrides}</Types>',
        ),
        (
            "_rels/.rels",
            f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1"'
            f' Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        ),
        (
            "xl/workbook.xml",
            f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{sheets}</sheets></workbook>',
        ),
        (
            "xl/_rels/workbook.xml.rels",
            f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">{links}</Relationships>',
        ),
    ]
