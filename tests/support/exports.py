"""Exports, written and read back."""

import io
import zipfile
from datetime import date, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

from django.core.management import call_command

CELL = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def write(out: Path, form: str, **options: str) -> str:
    output = io.StringIO()
    days = {"first": "2026-01-01", "last": "2099-12-31", **options}
    call_command(
        "export_ledger",
        *(f"--{name}={text}" for name, text in (("from", days.pop("first")), ("to", days.pop("last")))),
        f"--format={form}",
        f"--out={out}",
        *(f"--{name}={text}" for name, text in days.items()),
        "--json",
        stdout=output,
    )
    return output.getvalue()


def in_workbook(file: Path, sheet: int) -> list[list[str | int | None]]:
    with zipfile.ZipFile(file) as book:
        tree = ElementTree.fromstring(book.read(f"xl/worksheets/sheet{sheet}.xml"))
    assert not list(tree.iter(f"{CELL}f"))
    return [[_cell(cell) for cell in row] for row in tree.iter(f"{CELL}row")]


def _cell(cell: ElementTree.Element) -> str | int | None:
    number, text = cell.find(f"{CELL}v"), cell.find(f"{CELL}is/{CELL}t")
    if number is not None:
        return _number(number.text or "", cell.get("s"))
    return None if text is None else text.text or ""


def _number(text: str, look: str | None) -> str | int:
    """Return a day or a moment as the other formats write it."""
    if look not in ("3", "4"):
        return int(text)
    day = date(1899, 12, 30) + timedelta(days=int(float(text)))
    if look == "3":
        return day.isoformat()
    # What is left of the fraction in the double that a spreadsheet makes of it.
    moment = datetime.combine(day, datetime.min.time()) + timedelta(
        microseconds=round((float(text) % 1) * 86_400_000_000)
    )
    return f"{moment.isoformat(timespec='microseconds')}Z"
