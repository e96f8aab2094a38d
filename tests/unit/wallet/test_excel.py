"""What a person finds who opens a file by a double click: Hindi, numbers as numbers, texts as they were."""

import csv
import io
import json
import zipfile
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.support.finance import body
from wallet.finance.exports import FORMATS
from wallet.finance.own_data import FILE_FORMATS, takeout
from wallet.finance.reports import TYPES
from wallet.finance.spreadsheets import Column, MoneyCell, as_text

MARK = "\N{ZERO WIDTH NO-BREAK SPACE}".encode()
#: What was written, and what stands in a CSV: an apostrophe before what would be calculated or become another number.
TEXTS = {
    "आशा": "आशा",
    "=1+1": "'=1+1",
    "a,-b": "a,-b",
    "a;-b": "a;'-b",
    "-5.00": "'-5.00",
    "5.00": "'5.00",
    "000123456789012345": "'000123456789012345",
    "123456789012345678": "'123456789012345678",
    "3E5": "'3E5",
    "1/2": "'1/2",
    "12:30": "'12:30",
    ".5": "'.5",
    "first line\nsecond, with a comma": "first line\nsecond, with a comma",
    "42": "42",
    "0": "0",
    "123456789012345": "123456789012345",
    "deal:12:settle": "deal:12:settle",
    "2025-10-31T18:29:59Z": "2025-10-31T18:29:59Z",
    "10 Downing Street": "10 Downing Street",
}
ROWS: list[Sequence[Any]] = [(text, MoneyCell(-1250), datetime(2025, 10, 31, 18, 30, tzinfo=UTC)) for text in TEXTS]
_CELL = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def written(form: str) -> bytes:
    out = io.BytesIO()
    sheet = FORMATS[form].make(out, [Column(name) for name in ("name", "amount", "at")])
    for row in ROWS:
        sheet.row(row)
    sheet.close([("rows", len(ROWS)), ("debits FUN", MoneyCell(1250 * len(ROWS)))])
    return out.getvalue()


def in_a_sheet(number: int) -> list[list[tuple[str | None, str]]]:
    """Return type and text of each cell of the workbook's sheet."""
    with zipfile.ZipFile(io.BytesIO(written("xlsx"))) as book:
        tree = ElementTree.fromstring(book.read(f"xl/worksheets/sheet{number}.xml"))
    return [[(cell.get("t"), "".join(cell.itertext())) for cell in row] for row in tree.iter(f"{_CELL}row")]


@pytest.mark.parametrize(("text", "stands"), TEXTS.items())
def test_a_text_is_the_same_or_has_an_apostrophe(text: str, stands: str) -> None:
    assert as_text(text) == stands


def test_csv_for_excel_is_csv_with_the_mark_of_utf_8() -> None:
    plain, excel = written("csv"), written("excel")
    assert excel == MARK + plain
    assert not plain.startswith(MARK), "programs would find it in the name of the first column"


@pytest.mark.parametrize("form", ["csv", "excel"])
def test_every_row_comes_out_of_both_with_numbers_as_numbers(form: str) -> None:
    text = written(form).decode("utf-8-sig" if form == "excel" else "utf-8")
    head, *lines = csv.reader(io.StringIO(text, newline=""))
    rows, totals = lines[: len(ROWS)], lines[len(ROWS) :]
    assert head == ["name", "amount", "at"]
    assert [row[0] for row in rows] == list(TEXTS.values())
    assert {row[1] for row in rows} == {"-1250"} and ",-1250," in text
    assert totals == [["total", "rows", str(len(ROWS))], ["total", "debits FUN", str(1250 * len(ROWS))]]


def test_a_workbook_has_the_very_texts_and_no_formula() -> None:
    _, *rows = in_a_sheet(1)
    assert [row[0] for row in rows] == [("inlineStr", text) for text in TEXTS]
    assert {row[1] for row in rows} == {(None, "-1250")}
    with zipfile.ZipFile(io.BytesIO(written("xlsx"))) as book:
        assert b"<f" not in book.read("xl/worksheets/sheet1.xml").replace(b"<f>", b"<f")
    assert in_a_sheet(2) == [
        [("inlineStr", "rows"), (None, str(len(ROWS)))],
        [("inlineStr", "debits FUN"), (None, str(1250 * len(ROWS)))],
    ]


def test_a_number_that_a_spreadsheet_would_round_is_whole_in_a_workbook() -> None:
    out = io.BytesIO()
    sheet = FORMATS["xlsx"].make(out, [Column("amount")])
    for number in (10**15 - 1, MoneyCell(10**15), -(10**17) - 1):
        sheet.row([number])
    sheet.close([])
    with zipfile.ZipFile(out) as book:
        tree = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    cells = [(cell.get("t"), "".join(cell.itertext())) for cell in tree.iter(f"{_CELL}c")][1:]
    assert cells == [(None, "999999999999999"), ("inlineStr", "1000000000000000"), ("inlineStr", "-100000000000000001")]


def test_lines_of_json_are_the_very_texts() -> None:
    *lines, total = [json.loads(line) for line in written("jsonl").decode().splitlines()]
    assert [line["name"] for line in lines] == list(TEXTS)
    assert {line["amount"] for line in lines} == {-1250}
    assert total == {"total": {"rows": len(ROWS), "debits FUN": 1250 * len(ROWS)}}


@pytest.mark.django_db
def test_what_players_take_goes_the_same_way() -> None:
    rows = [[text, -1250, date(2025, 11, 1)] for text in TEXTS]
    answer = takeout(name="statement", format="excel", columns=("name", "amount", "day"), rows=rows)
    content = body(answer)
    assert content.startswith(MARK)
    assert answer["Content-Disposition"] == 'attachment; filename="statement.csv"'
    lines = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))[1 : len(rows) + 1]
    assert lines == [[stands, "-1250", "2025-11-01"] for stands in TEXTS.values()]
    assert set(FILE_FORMATS) | set(TYPES) == set(FORMATS)
