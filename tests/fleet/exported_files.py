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

from wallet.finance.exports import FORMATS, Period, export

_CELL = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ZERO = date(1899, 12, 30)
OFFICE = shutil.which("soffice")


@dataclass(slots=True)
class Read:
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
            digest, as_of = _take(period, form, out)
            again, _ = _take(period, form, Path(folder) / "again")
            repeated, _ = _take(period, form, Path(folder) / "again", as_of)
            if len({digest, again, repeated}) != 1:
                wrong.append(f"{form}: not the same bytes three times")
            wrong += [f"{form}: {each}" for each in _unlike(READERS[form](out), due, rows)]
            if OFFICE and form != "jsonl":
                wrong += [f"{form} in a spreadsheet: {each}" for each in _unlike(in_office(out), due, rows)]
    return wrong


def _take(period: Period, form: str, out: Path, as_of: int | None = None) -> tuple[str, int]:
    with export(period=period, format=form, as_of=as_of, by=None, via="month", folder=out.parent) as (path, record):
        path.replace(out)
    return record.digest, record.as_of


def _unlike(read: Read, due: Counter[str], rows: int) -> Iterator[str]:
    if read.rows != rows:
        yield f"{read.rows} rows, {rows} in the ledger"
    if read.sums != due:
        yield f"amounts {dict(read.sums)}, {dict(due)} in the ledger"
    if read.formulas:
        yield f"{read.formulas} formulas"
    told = {"rows": f"{rows}"} | {
        f"{side} {code}": f"{sum_}" for side in ("debits", "credits") for code, sum_ in due.items()
    }
    for name, figure in told.items():
        if read.totals.get(name) != figure:
            yield f"the total {name} is {read.totals.get(name)}, {figure} in the ledger"


def in_csv(file: Path, *, headed: bool = True) -> Read:
    """Return the rows under their header, and the totals."""
    read, columns = Read(), []
    with file.open(newline="", encoding="utf-8") as text:
        for line in csv.reader(text):
            if not headed:
                read.totals[line[0]] = line[1]
            elif not columns:
                columns = line
            elif line[0] == "total":
                read.totals[line[1]] = line[2]
            else:
                _add(read, dict(zip(columns, line, strict=True)))
    return read


def in_json(file: Path) -> Read:
    read = Read()
    with file.open(encoding="utf-8") as text:
        for line in text:
            told = json.loads(line)
            if set(told) == {"total"}:
                read.totals = {name: f"{figure}" for name, figure in told["total"].items()}
            else:
                _add(read, told)
    return read


def in_workbook(file: Path) -> Read:
    read = Read()
    with zipfile.ZipFile(file) as book:
        sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/")]
        for number in range(1, len(sheets) + 1):
            columns: list[Any] = []
            for cells in _rows(book, number, read):
                if number == len(sheets):
                    read.totals[str(cells[0])] = str(cells[1])
                elif not columns:
                    columns = cells
                else:
                    row = dict(zip(columns, cells, strict=True))
                    _add(read, {**row, "day": f"{_ZERO + timedelta(days=int(row['day']))}"})
    return read


def _rows(book: zipfile.ZipFile, number: int, read: Read) -> Iterator[list[Any]]:
    with book.open(f"xl/worksheets/sheet{number}.xml") as content:
        for _, element in ElementTree.iterparse(content):
            if element.tag == f"{_CELL}f":
                read.formulas += 1
            if element.tag == f"{_CELL}row":
                yield ["".join(cell.itertext()) for cell in element]
                element.clear()


def in_office(file: Path) -> Read:
    """Return the file's content as a spreadsheet program shows it, with the number of its formulas."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        read = Read()
        sheets = _converted(file, "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1", home)
        for sheet in sheets:
            part = in_csv(sheet, headed=not sheet.stem.endswith("-Totals"))
            read.rows, read.sums = read.rows + part.rows, read.sums + part.sums
            read.totals |= part.totals
        (whole,) = _converted(file, "ods", home / "whole")
        with zipfile.ZipFile(whole) as book:
            read.formulas = book.read("content.xml").count(b"table:formula=")
    return read


def _converted(file: Path, to: str, home: Path) -> list[Path]:
    assert OFFICE is not None
    out = home / "out"
    command = [OFFICE, f"-env:UserInstallation=file://{home}/profile", "--headless", "--convert-to", to]
    # The separators and the quotes of a CSV, in UTF-8; whatever looks like a formula is calculated.
    reading = ["--infilter=CSV:44,34,76,1,,0,false,true,false,false,false,0,true"] if file.suffix == ".csv" else []
    done = [*command, *reading, "--outdir", str(out), str(file)]
    subprocess.run(done, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return sorted(out.iterdir())


def _add(read: Read, row: dict[str, Any]) -> None:
    date.fromisoformat(row["day"])
    read.rows += 1
    read.sums[row["currency"]] += int(row["amount"])


READERS = {"csv": in_csv, "jsonl": in_json, "xlsx": in_workbook}
