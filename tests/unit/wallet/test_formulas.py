"""No user name or reason becomes a formula in an exported file, and no figure suffers from the protection."""

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import Sum
from django.utils import timezone

from tables.history.selectors import FILE_FIELDS as HISTORY
from tests.support.exports import in_workbook, write
from tests.support.finance import body
from tests.unit.wallet.formulas import PAYLOADS, PLAIN, calculates
from wallet.base import triggers
from wallet.finance import exports
from wallet.finance.own_data import takeout
from wallet.finance.spreadsheets import Column, escape_formula
from wallet.ledger.statements import STATEMENT_COLUMNS
from wallet.ledger.triggers import TRIGGERS
from wallet.models import LONGEST_KEY, Account, AccountKind, Posting, Transfer

pytestmark = pytest.mark.django_db

FIGURES = {
    "transfer", "line", "debit_owner", "credit_owner", "amount", "debit_balance", "credit_balance",
    "balance", "deal", "match", "table", "number", "seat", "points", "total",
}  # fmt: skip
LEDGER = tuple(column.name for column in exports.COLUMNS)
COLUMNS = {"ledger": LEDGER, "statement": STATEMENT_COLUMNS, "history": tuple(HISTORY)}
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def rows_for(columns: Sequence[str]) -> list[list[str | int]]:
    """Return rows with every payload in every text column, and figures, below zero as well, in the others."""
    texts = [*PAYLOADS, *PLAIN]
    return [
        [
            (-1) ** at * at if name in FIGURES else texts[(at + 97 * place) % len(texts)]
            for place, name in enumerate(columns)
        ]
        for at in range(len(texts))
    ]


def plain_text(cell: str) -> str:
    """Return the text without the quotes that keep it from being calculated."""
    return cell.replace("'", "")


def check_csv(text: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Check that no cell calculates, wherever a reader splits cells and lines, and that texts and figures are
    unchanged."""
    for delimiter in (",", ";", "\t"):
        readable = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        assert not [cell for line in readable for cell in line if calculates(cell)]
    assert not [line for line in text.splitlines() if calculates(line)]
    read = list(csv.reader(io.StringIO(text, newline="")))[1 : len(rows) + 1]
    for name, place in zip(columns, range(len(columns)), strict=True):
        if name in FIGURES:
            assert [int(line[place]) for line in read] == [row[place] for row in rows]
        else:
            assert [plain_text(line[place]) for line in read] == [plain_text(str(row[place])) for row in rows]


def test_the_corpus_is_large_and_the_eye_sees_every_formula_at_its_beginning() -> None:
    assert len(PAYLOADS) >= 500
    assert all(calculates(payload) for payload in ("=1", " \u200b＋1", "\x00-1+1", "@A1", "−1", "-1;2"))
    assert not any(calculates(text) for text in (*PLAIN, "-5", "5", "", " ", "'=1"))


@pytest.mark.parametrize("text", PLAIN)
def test_harmless_texts_stay_as_they_are(text: str) -> None:
    assert escape_formula(text) == text


@pytest.mark.parametrize("what", COLUMNS)
def test_every_text_in_every_column_of_a_comma_separated_file(what: str) -> None:
    rows = rows_for(COLUMNS[what])
    answer = takeout(name=what, format="csv", columns=COLUMNS[what], rows=rows)
    check_csv(body(answer).decode(), COLUMNS[what], rows)


@pytest.mark.parametrize("what", COLUMNS)
def test_every_text_in_every_column_of_lines_of_json_is_the_very_text(what: str) -> None:
    rows = rows_for(COLUMNS[what])
    answer = takeout(name=what, format="jsonl", columns=COLUMNS[what], rows=rows)
    *lines, total, rest = body(answer).decode().split("\n")
    assert [list(json.loads(line).values()) for line in lines] == rows
    assert (json.loads(total), rest) == ({"total": {"rows": len(rows)}}, "")


@pytest.mark.parametrize("what", COLUMNS)
def test_every_text_in_every_column_of_a_workbook_is_typed_as_text(what: str, tmp_path: Path) -> None:
    rows = rows_for(COLUMNS[what])
    with (tmp_path / "book").open("wb") as out:
        book = exports.FORMATS["xlsx"][0](out, [Column(name) for name in COLUMNS[what]])
        for row in rows:
            book.row(row)
        book.close([("=1+1", "=2+2")])
    cells = [[NOT_XML.sub("�", cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    assert in_workbook(tmp_path / "book", 1)[1:] == cells
    assert in_workbook(tmp_path / "book", 2) == [["=1+1", "=2+2"]]


def test_a_ledger_full_of_formulas_leaves_the_house_as_texts_and_sums(tmp_path: Path) -> None:
    triggers.remove(connection, TRIGGERS)
    texts = [f"{payload[:30]}#{at}" for at, payload in enumerate(PAYLOADS) if "\x00" not in payload]
    pots = Account.objects.bulk_create(Account(kind=AccountKind.POT, reference=text, currency="FUN") for text in texts)
    postings = Posting.objects.bulk_create(
        Posting(key=text[:LONGEST_KEY], reason="deal", created_at=timezone.now()) for text in texts
    )
    Transfer.objects.bulk_create(
        Transfer(posting=each, line=0, debit=pots[at - 1], credit=pots[at], amount=at + 1, debit_balance=0,
                 credit_balance=at + 1)
        for at, each in enumerate(postings)
    )  # fmt: skip
    for form in exports.FORMATS:
        write(tmp_path / f"ledger.{form}", form)
    booked = Transfer.objects.aggregate(Sum("amount"))["amount__sum"]
    fields = ("posting__key", "debit__reference", "credit__reference", "amount")
    transfers = list(Transfer.objects.order_by("pk").values_list(*fields))
    places = [LEDGER.index(name) for name in ("key", "debit_reference", "credit_reference", "amount")]
    text = (tmp_path / "ledger.csv").read_bytes().decode()
    read = list(csv.reader(io.StringIO(text, newline="")))[1 : len(transfers) + 1]
    assert not [cell for line in read for cell in line if calculates(cell)]
    assert [[plain_text(line[place]) for place in places] for line in read] == [
        [plain_text(str(cell)) for cell in row] for row in transfers
    ]
    *lines, total = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_bytes().split(b"\n")[:-1]]
    assert [tuple(list(line.values())[place] for place in places) for line in lines] == transfers
    book = in_workbook(tmp_path / "ledger.xlsx", 1)[1:]
    assert [NOT_XML.sub("�", str(row[0])) for row in transfers] == [row[places[0]] for row in book]
    sums = [sum(int(str(row[places[3]])) for row in rows) for rows in (read, book)]
    assert [*sums, total["total"]["debits FUN"], total["total"]["credits FUN"]] == [booked] * 4
