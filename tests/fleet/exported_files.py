"""Readers of exported files, independent of the writers, and a spreadsheet program as one more if there is one."""

import csv
import json
import shutil
import subprocess
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

from wallet.finance.exports import FORMATS, export
from wallet.finance.periods import Period

_CELL = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ZERO = date(1899, 12, 30)
OFFICE = shutil.which("soffice")


@dataclass(slots=True)
class FileContent:
    """The content of a file: rows, the sum of the amounts by currency, the totals at its end."""

    rows: int = 0
    sums: Counter[str] = field(default_factory=Counter)
    formulas: int = 0
    totals: dict[str, str] = field(default_factory=dict)


def differences(period: Period, due: Counter[str], rows: int) -> list[str]:
    """Return where the exports of the period, in all formats, differ from `due`, the amounts by currency."""
    wrong = []
    with TemporaryDirectory() as folder:
        for form in FORMATS:
            out = Path(folder) / f"ledger.{form}"
            digest, as_of = _export(period, form, out)
            again, _ = _export(period, form, Path(folder) / "again")
            repeated, _ = _export(period, form, Path(folder) / "again", as_of)
            if len({digest, again, repeated}) != 1:
                wrong.append(f"{form}: not the same bytes three times")
            wrong += [f"{form}: {each}" for each in _mismatches(READERS[form](out), due, rows)]
            if OFFICE and form != "jsonl":
                wrong += [f"{form} in a spreadsheet: {each}" for each in _mismatches(read_with_office(out), due, rows)]
    return wrong


def _export(period: Period, form: str, out: Path, as_of: int | None = None) -> tuple[str, int]:
    with export(period=period, format=form, as_of=as_of, by=None, via="month", folder=out.parent) as (path, record):
        path.replace(out)
    return record.digest, record.as_of


def _mismatches(content: FileContent, due: Counter[str], rows: int) -> Iterator[str]:
    if content.rows != rows:
        yield f"{content.rows} rows, {rows} in the ledger"
    if content.sums != due:
        yield f"amounts {dict(content.sums)}, {dict(due)} in the ledger"
    if content.formulas:
        yield f"{content.formulas} formulas"
    totals = {"rows": f"{rows}"} | {
        f"{side} {code}": f"{sum_}" for side in ("debits", "credits") for code, sum_ in due.items()
    }
    for name, figure in totals.items():
        if content.totals.get(name) != figure:
            yield f"the total {name} is {content.totals.get(name)}, {figure} in the ledger"


def read_csv(file: Path, *, has_header: bool = True) -> FileContent:
    """Return the rows under their header, and the totals."""
    content, columns = FileContent(), []
    with file.open(newline="", encoding="utf-8-sig") as text:
        for line in csv.reader(text):
            if not has_header:
                content.totals[line[0]] = line[1]
            elif not columns:
                columns = line
            elif line[0] == "total":
                content.totals[line[1]] = line[2]
            else:
                _add(content, dict(zip(columns, line, strict=True)))
    return content


def read_json_lines(file: Path) -> FileContent:
    content = FileContent()
    with file.open(encoding="utf-8") as text:
        for line in text:
            record = json.loads(line)
            if set(record) == {"total"}:
                content.totals = {name: f"{figure}" for name, figure in record["total"].items()}
            else:
                _add(content, record)
    return content


def read_workbook(file: Path) -> FileContent:
    content = FileContent()
    with zipfile.ZipFile(file) as book:
        sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/")]
        for number in range(1, len(sheets) + 1):
            columns: list[Any] = []
            for cells in _rows(book, number, content):
                if number == len(sheets):
                    content.totals[str(cells[0])] = str(cells[1])
                elif not columns:
                    columns = cells
                else:
                    row = dict(zip(columns, cells, strict=True))
                    _add(content, {**row, "day": f"{_ZERO + timedelta(days=int(row['day']))}"})
    return content


def _rows(book: zipfile.ZipFile, number: int, read: FileContent) -> Iterator[list[Any]]:
    with book.open(f"xl/worksheets/sheet{number}.xml") as file:
        for _, element in ElementTree.iterparse(file):
            if element.tag == f"{_CELL}f":
                read.formulas += 1
            if element.tag == f"{_CELL}row":
                yield ["".join(cell.itertext()) for cell in element]
                element.clear()


def read_with_office(file: Path) -> FileContent:
    """Return the file's content as a spreadsheet program shows it, with the number of its formulas."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        content = FileContent()
        sheets = _convert(file, "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1", home)
        for sheet in sheets:
            part = read_csv(sheet, has_header=not sheet.stem.endswith("-Totals"))
            content.rows, content.sums = content.rows + part.rows, content.sums + part.sums
            content.totals |= part.totals
        (whole,) = _convert(file, "ods", home / "whole")
        with zipfile.ZipFile(whole) as book:
            content.formulas = book.read("content.xml").count(b"table:formula=")
    return content


def _convert(file: Path, to: str, home: Path) -> list[Path]:
    assert OFFICE is not None
    out = home / "out"
    command = [OFFICE, f"-env:UserInstallation=file://{home}/profile", "--headless", "--convert-to", to]
    # The separators and the quotes of a CSV, in UTF-8; whatever looks like a formula is calculated.
    options = (
        ["--infilter=CSV:44,34,76,1,,0,false,true,false,false,false,0,true"]
        if file.suffix in (".csv", ".excel")
        else []
    )
    convert = [*command, *options, "--outdir", str(out), str(file)]
    subprocess.run(convert, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return sorted(out.iterdir())


def _add(content: FileContent, row: dict[str, Any]) -> None:
    date.fromisoformat(row["day"])
    content.rows += 1
    content.sums[row["currency"]] += int(row["amount"])


READERS = {"csv": read_csv, "excel": read_csv, "jsonl": read_json_lines, "xlsx": read_workbook}
