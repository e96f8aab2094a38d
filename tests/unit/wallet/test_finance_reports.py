"""Reports as files: complete, with names beside the ids, their sums the ledger's totals."""

import csv
import io
import zipfile
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.support.books import a_day_of_play
from tests.support.finance import dated as asked, sign_in, today
from tests.support.players import signed_up
from tests.support.stakes import StakeFactory
from wallet.audit_log.models import AuditEntry
from wallet.base.places import PostingPlace
from wallet.finance.reports import REPORTS
from wallet.finance.totals import FIGURES, GROUPS, by_day
from wallet.play_money import services as play_money, tournaments

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


@pytest.fixture
def finance(django_user_model: Any) -> Client:
    a_day_of_play()
    return sign_in(django_user_model, "fina", "view_finance")


def take(client: Client, report: str, format: str = "csv") -> list[list[str]]:
    answer = client.post(reverse("finance:report_file"), {"report": report, "format": format, **asked(today())})
    return list(csv.reader(io.StringIO(answer.content.decode())))


def test_every_report_comes_as_csv_and_xlsx_and_stands_in_the_trail(finance: Client) -> None:
    for report in REPORTS:
        for format, begins in (("csv", b""), ("xlsx", b"PK")):
            query = {"report": report, "format": format, **asked(today())}
            first, again = (finance.post(reverse("finance:report_file"), query) for _ in range(2))
            assert (first.status_code, first.content) == (200, again.content)
            assert first.content.startswith(begins)
            entry = AuditEntry.objects.filter(action="report.export").latest("pk")
            assert (entry.after or {})["digest"] == first["X-Content-SHA256"]


def test_the_sums_of_a_report_are_the_totals_of_the_ledger(finance: Client) -> None:
    (day,) = by_day(today(), "FUN").values()
    _head, *lines = take(finance, "days")
    totals = {line[1]: line[2] for line in lines if line[0] == "total"}
    assert {name: int(totals[f"sum of {name}"]) for name in FIGURES} == {name: getattr(day, name) for name in FIGURES}
    assert int(totals["rows"]) == len(lines) - len(totals) == 1
    sums = {line[1]: line[2] for line in take(finance, "accounts") if line[0] == "total"}
    assert sums["sum of opening"] == sums["sum of closing"] == "0"
    assert sums["sum of credits"] == sums["sum of debits"] != "0"


def test_places_have_their_names_beside_their_numbers(finance: Client) -> None:
    stake = StakeFactory(title="Evening table")
    place = PostingPlace(table=7, title="Evening table 2", book=stake.book, stake=stake.pk)
    play_money.buy_in(seating=71, user=None, currency="FUN", amount=800, place=place)
    for report, names in (
        ("tables", {"Evening table 2", stake.rule_book.title}),
        ("stakes", {f"{stake.pk}", stake.rule_book.title}),
        ("books", {stake.book, stake.rule_book.title}),
    ):
        assert any(names <= set(line) for line in take(finance, report)), report
        query = {"report": report, "format": "xlsx", **asked(today())}
        book = zipfile.ZipFile(io.BytesIO(finance.post(reverse("finance:report_file"), query).content))
        assert stake.rule_book.title in book.read("xl/worksheets/sheet1.xml").decode(), report
    page = finance.get(reverse("finance:fees"), {"group": "stake"}).content.decode()
    assert f"Evening table, {stake.seats} seats" in page
    assert ">stake:" not in page
    entries = finance.get(reverse("finance:entries"), {"place": f"stake:{stake.pk}"}).content.decode()
    assert "What was played at <strong>Evening table" in entries


def test_a_line_of_several_tables_is_told_as_none_of_them(finance: Client) -> None:
    """Tables of friends, and those of tournaments, have no stake either: such a line is not practice alone."""
    of_friends = [
        PostingPlace(table=table, title=f"For friends {table}", book=book)
        for table, book in ((7, "standard-points"), (8, "classic-points"), (9, "standard-points"))
    ]
    at_stake = PostingPlace(table=5, title="Evening", book="standard-points", stake=3)
    for seating, place in enumerate([*of_friends, at_stake], start=71):
        play_money.buy_in(seating=seating, user=None, currency="FUN", amount=800, place=place)
    told = {}
    for group in GROUPS:
        places = finance.get(reverse("api-finance-places"), {**asked(today()), "group": group}).json()["places"]
        told |= {each["reference"]: (each["table"], each["title"], each["book"], each["stake"]) for each in places}
    told = {reference: names for reference, names in told.items() if reference.partition(":")[0] in GROUPS}
    assert told == {
        "table:7": (7, "For friends 7", "standard-points", ""),
        "table:8": (8, "For friends 8", "classic-points", ""),
        "table:9": (9, "For friends 9", "standard-points", ""),
        "table:5": (5, "Evening", "standard-points", "stake 3"),
        "stake:0": (None, "", "", ""),
        "stake:3": (None, "", "standard-points", "stake 3"),
        "book:standard-points": (None, "", "standard-points", ""),
        "book:classic-points": (None, "", "classic-points", ""),
    }
    assert ["stake:0", "", "Without a stake", "", ""] in [line[:5] for line in take(finance, "stakes")]


def test_the_pot_of_a_tournament_is_named_by_it_and_not_by_a_table_that_nobody_knows(finance: Client) -> None:
    tournaments.take_tournament_entry(tournament=7, entrant=1, user=signed_up(), amount=100)
    for group in GROUPS:
        page = finance.get(reverse("finance:fees"), {"group": group}).content.decode()
        assert "Tournament 7" in page and "Tournament 7, at an unknown table" not in page, group


@pytest.mark.parametrize("wrongly", [{"report": "x"}, {"format": "pdf"}, {"from": "2026-02-30"}, {"currency": "EUR"}])
def test_a_report_asked_for_wrongly_is_none(finance: Client, wrongly: dict[str, str]) -> None:
    query = {"report": "days", "format": "csv", **asked(today()), **wrongly}
    answer = finance.post(reverse("finance:report_file"), query, follow=True)
    assert "message--error" in answer.content.decode()
    assert not AuditEntry.objects.filter(action="report.export").exists()
