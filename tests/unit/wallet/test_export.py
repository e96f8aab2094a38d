"""The ledger as a file: complete, reproducible, with totals that agree, and without formulas."""

import csv
import errno
import gc
import io
import json
import os
import sys
import zipfile
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError
from django.db import connection, transaction

from tests.support.books import a_day_of_play
from tests.support.exports import CELL, in_workbook, write
from tests.support.players import signed_up
from wallet.base import triggers
from wallet.finance import exports, spreadsheets
from wallet.ledger.triggers import TRIGGERS
from wallet.models import ExportRecord, Posting, Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

PAYLOADS = [
    lead + start + "cmd|' /C calc'!A0"
    for lead in ("", " ", "\t", "\r", "\n", "\x00", "\ufeff", "\u00a0", "\x0b", "  ")
    for start in ("=", "+", "-", "@", "|", "%", "＝", "＋", "－", "＠", "=HYPERLINK(", "\t=", "\r\n@")
]


COLUMNS = [spreadsheets.Column("text"), spreadsheets.Column("figure")]


def in_csv(file: Path) -> list[list[str]]:
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.reader(lines))


def test_all_three_hold_every_transfer_and_agree_with_the_ledger(tmp_path: Path) -> None:
    a_day_of_play()
    for form in exports.FORMATS:
        told = json.loads(write(tmp_path / f"ledger.{form}", form))
        assert told["rows"] == Transfer.objects.count()
        assert told["as_of_transfer"] == Transfer.objects.latest("pk").pk
    amounts = list(Transfer.objects.order_by("pk").values_list("amount", flat=True))
    lines = in_csv(tmp_path / "ledger.csv")
    records = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    book = in_workbook(tmp_path / "ledger.xlsx", 1)
    place = lines[0].index("amount")
    for column in ("day", "time_utc", "key", "debit_owner"):
        at = lines[0].index(column)
        told = [record[column] for record in records[:-1]]
        assert [row[at] for row in book[1:]] == told
        assert [line[at] for line in lines[1 : len(amounts) + 1]] == [
            "" if each is None else f"{each}" for each in told
        ]
    assert [int(line[place]) for line in lines[1 : len(amounts) + 1]] == amounts
    assert [row[place] for row in book[1:]] == amounts
    assert [record["amount"] for record in records[:-1]] == amounts
    totals = dict(map(tuple, in_workbook(tmp_path / "ledger.xlsx", 2)))  # type: ignore[arg-type]
    assert totals == records[-1]["total"]
    assert (totals["rows"], totals["debits FUN"], totals["credits FUN"]) == (len(amounts), sum(amounts), sum(amounts))
    assert {line[1]: line[2] for line in lines if line[0] == "total"} == {n: str(t) for n, t in totals.items()}


@pytest.mark.parametrize("form", exports.FORMATS)
def test_the_same_period_twice_is_the_same_byte_for_byte(form: str, tmp_path: Path) -> None:
    a_day_of_play()
    for name in ("one", "two"):
        write(tmp_path / name, form)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert ExportRecord.objects.values("digest").distinct().count() == 1
    assert list(ExportRecord.objects.values_list("rows", "by")) == [(Transfer.objects.count(), None)] * 2


@pytest.mark.parametrize("form", exports.FORMATS)
def test_an_open_period_comes_out_as_of_a_transfer_as_it_did_then(form: str, tmp_path: Path) -> None:
    a_day_of_play()
    then = json.loads(write(tmp_path / "then", form))
    middle = json.loads(write(tmp_path / "middle", form, **{"as-of": f"{then['as_of_transfer'] - 3}"}))
    signed_up("later")
    assert json.loads(write(tmp_path / "now", form))["rows"] == then["rows"] + 1
    for name, told in (("then", then), ("middle", middle)):
        again = json.loads(write(tmp_path / "again", form, **{"as-of": f"{told['as_of_transfer']}"}))
        assert (again["rows"], again["sha256"]) == (told["rows"], told["sha256"])
        assert (tmp_path / "again").read_bytes() == (tmp_path / name).read_bytes()
    assert middle["rows"] == then["rows"] - 3
    assert ExportRecord.objects.filter(as_of=middle["as_of_transfer"], digest=middle["sha256"]).count() == 2


def test_nothing_is_exported_as_of_a_transfer_that_is_still_to_come(tmp_path: Path) -> None:
    a_day_of_play()
    beyond = Transfer.objects.latest("pk").pk + 1
    with pytest.raises(CommandError, match=f"ends at transfer {beyond - 1}"):
        write(tmp_path / "ledger", "csv", **{"as-of": f"{beyond}"})
    assert not ExportRecord.objects.exists()


@pytest.mark.parametrize("rows", [0, 1, 5, 6])
def test_whoever_waits_is_told_how_far_it_is_and_that_it_is_done(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "REPORT_EVERY", 5)
    for number in range(rows):
        signed_up(f"player{number}")
    reports: list[tuple[int, int]] = []
    period = exports.Period(first=date(2026, 1, 1), last=date(2099, 12, 31))
    with exports.export(
        period=period, format="csv", by=None, via="test", progress=lambda done, of: reports.append((done, of))
    ):
        pass
    assert reports == [*((done, rows) for done in range(0, rows, 5)), (rows, rows)]


def test_no_text_becomes_a_formula_and_every_number_stays_one() -> None:
    for payload in PAYLOADS:
        plain, book = io.BytesIO(), io.BytesIO()
        for sheet in (spreadsheets.CsvSheet(plain, COLUMNS), spreadsheets.Workbook(book, COLUMNS)):
            sheet.row([payload, -5])
            sheet.close([("rows", 1)])
        _, row, _ = csv.reader(io.StringIO(plain.getvalue().decode(), newline=""))
        assert (row[0][0], row[1]) == ("'", "-5"), payload
        with zipfile.ZipFile(book) as parts:
            xml = parts.read("xl/worksheets/sheet1.xml").decode()
        cells = [cell.get("t") for cell in ElementTree.fromstring(xml).iter(f"{CELL}c")]
        assert "<f" not in xml and cells == ["inlineStr", "inlineStr", "inlineStr", None], payload


def test_ordinary_texts_stay_as_they_are() -> None:
    assert [spreadsheets.escape_formula(text) for text in ("deal:1:settle", "FUN", "", "a=b")] == [
        "deal:1:settle",
        "FUN",
        "",
        "a=b",
    ]


def test_a_sheet_that_is_full_is_followed_by_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(spreadsheets, "ROWS_ON_A_SHEET", 10)
    a_day_of_play()
    write(tmp_path / "ledger", "xlsx")
    with zipfile.ZipFile(tmp_path / "ledger") as book:
        full = -(-Transfer.objects.count() // 10)
        names = ElementTree.fromstring(book.read("xl/workbook.xml")).iter(f"{CELL}sheet")
        assert [sheet.get("name") for sheet in names][:2] == ["Ledger", "Ledger 2"]
    counts = [len(in_workbook(tmp_path / "ledger", sheet)) - 1 for sheet in range(1, full + 1)]
    assert sum(counts) == Transfer.objects.count()
    assert max(counts) == 10


def test_every_moment_falls_in_exactly_one_day_of_the_report_zone() -> None:
    signed_up("asha")
    triggers.remove(connection, TRIGGERS)
    first = date(2026, 3, 1)
    counts: Counter[datetime] = Counter()
    moments = [datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=minutes) for minutes in range(0, 2880, 45)]
    for moment in [*moments, datetime(2026, 3, 1, 18, 29, 59, 999999, UTC), datetime(2026, 3, 1, 18, 30, tzinfo=UTC)]:
        Posting.objects.update(created_at=moment)
        for day in range(-1, 4):
            today = first + timedelta(days=day)
            counts[moment] += exports.transfers(exports.Period(first=today, last=today)).count()
    assert set(counts.values()) == {1}


def test_only_the_currency_and_the_days_asked_for(tmp_path: Path, marks: None) -> None:
    a_day_of_play()
    assert json.loads(write(tmp_path / "marks", "csv", currency="TST"))["rows"] == 0
    assert json.loads(write(tmp_path / "chips", "csv", currency="FUN"))["rows"] == Transfer.objects.count()
    assert json.loads(write(tmp_path / "long ago", "csv", last="2026-01-02"))["rows"] == 0
    assert in_csv(tmp_path / "long ago")[0] == [column.name for column in exports.COLUMNS]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"first": "2026-02-30"}, "is no day"),
        ({"first": "yesterday"}, "is no day"),
        ({"first": "2026-02-02", "last": "2026-02-01"}, "not after its last"),
        ({"first": "0001-01-01"}, "not in any ledger"),
        ({"last": "9999-12-31"}, "not in any ledger"),
        ({"currency": "EUR"}, "no currency EUR"),
        ({"as-of": "-1"}, "ledger ends at transfer 0"),
        ({"as-of": "1"}, "ledger ends at transfer 0"),
        ({"as-of": "x"}, "invalid int"),
        ({"form": "pdf"}, "csv, xlsx, jsonl"),
        ({"out": "no/such/folder/file"}, "Nothing was written"),
        ({"out": "."}, "is a folder"),
    ],
)
def test_an_invalid_request_changes_nothing(options: dict[str, str], why: str, tmp_path: Path) -> None:
    form, out = options.pop("form", "csv"), options.pop("out", "ledger")
    with pytest.raises(CommandError, match=why) as refusal:
        write(tmp_path / out, form, **options)
    assert refusal.value.returncode == 2
    assert "\n" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == []
    assert not ExportRecord.objects.exists()


class FullDisk(io.BytesIO):
    """A file on a disk that has room for the beginning alone."""

    def write(self, content: Any) -> int:
        if self.tell() > 100:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(content)


def test_a_workbook_for_which_there_is_no_room_leaves_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", left.append)
    with pytest.raises(OSError, match="No space"), FullDisk() as out:
        spreadsheets.Workbook(out, exports.COLUMNS).close([])
    gc.collect()
    assert not left


def test_an_export_replaces_no_device_but_the_file_that_a_link_leads_to(tmp_path: Path) -> None:
    pipe, link, file = (tmp_path / name for name in ("pipe", "link", "file"))
    os.mkfifo(pipe)
    link.symlink_to(file)
    with pytest.raises(CommandError, match="is no file"):
        write(pipe, "csv")
    assert pipe.is_fifo()
    write(link, "csv")
    assert link.is_symlink() and in_csv(file)


def test_the_record_of_an_export_neither_changes_nor_vanishes(tmp_path: Path) -> None:
    a_day_of_play()
    write(tmp_path / "ledger", "csv")
    for change in (ExportRecord.objects.all().delete, lambda: ExportRecord.objects.update(rows=1)):
        with pytest.raises(Exception, match="records are only added"):
            _alone(change)
    assert ExportRecord.objects.get().rows == Transfer.objects.count()


def _alone(change: object) -> None:
    with transaction.atomic():
        change()  # type: ignore[operator]
