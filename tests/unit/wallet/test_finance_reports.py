"""Reports as files: complete, with names beside the ids, their sums the ledger's totals; and taxes on rupees."""

import csv
import io
import zipfile
from datetime import date
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.support import payments as cashiers
from tests.support.books import a_day_of_play
from tests.support.players import signed_up
from tests.support.stakes import StakeFactory
from tests.unit.wallet.test_finance import _days as asked
from tests.unit.wallet.test_finance import sign_in, today
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor
from wallet.base.places import PostingPlace
from wallet.finance.days import by_day
from wallet.finance.figures import FIGURES
from wallet.finance.periods import financial_year_of
from wallet.finance.reports import taxes
from wallet.finance.reports.sheets import REPORTS
from wallet.play_money import services as play_money

pytestmark = pytest.mark.django_db


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
            entry = AuditEntry.objects.filter(what="report.export").latest("pk")
            assert (entry.after or {})["digest"] == first["X-Content-SHA256"]


def test_the_sums_of_a_report_are_the_totals_of_the_ledger(finance: Client) -> None:
    (day,) = by_day(today(), "FUN").values()
    _head, *lines = take(finance, "days")
    totals = {line[1]: line[2] for line in lines if line[0] == "total"}
    assert {name: int(totals[f"sum of {name}"]) for name in FIGURES} == {name: getattr(day, name) for name in FIGURES}
    assert int(totals["rows"]) == len(lines) - len(totals) == 1
    sums = {line[1]: line[2] for line in take(finance, "accounts") if line[0] == "total"}
    assert sums["sum of opening"] == sums["sum of closing"] == "0"
    assert sums["sum of came"] == sums["sum of went"] != "0"


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


@pytest.mark.parametrize("wrongly", [{"report": "x"}, {"format": "pdf"}, {"from": "2026-02-30"}, {"currency": "EUR"}])
def test_a_report_asked_for_wrongly_is_none(finance: Client, wrongly: dict[str, str]) -> None:
    query = {"report": "days", "format": "csv", **asked(today()), **wrongly}
    answer = finance.post(reverse("finance:report_file"), query, follow=True)
    assert "message--error" in answer.content.decode()
    assert not AuditEntry.objects.filter(what="report.export").exists()


def test_rates_hold_from_their_day_on() -> None:
    days = (date(2017, 6, 30), date(2023, 9, 30), date(2023, 10, 1), date(2025, 9, 22))
    assert [taxes.rate_on("gst", day) for day in days] == [0, 18, 28, 40]


@pytest.mark.parametrize(
    ("fees", "rate", "gst"), [(118_00, 18, 18_00), (0, 28, 0), (1, 28, 0), (100, 40, 29), (5, 18, 1)]
)
def test_a_fee_holds_its_gst(fees: int, rate: int, gst: int) -> None:
    assert taxes.tax_within(fees, rate) == gst


def test_net_winnings_are_what_came_out_and_stands_less_what_went_in(settings: Any) -> None:
    cashiers.switch_on(settings)
    asha, bela = signed_up("asha"), signed_up("bela")
    staff = Actor("fina", signed_up("fina", is_staff=True))
    for player in (asha, bela):
        cashiers.make_eligible(player, staff)
        cashiers.pay_in(player, 50_000, f"for {player}")
    for seating, user in ((1, asha), (2, bela)):
        play_money.buy_in(seating=seating, user=user, currency="INR", amount=40_000)
    play_money.settle_deal(key="deal:1:settle", currency="INR", winner=1, losses={2: 20_000}, fee=2_000)
    play_money.cash_out(seating=1, amount=58_000, key="seating:1:out")
    year = financial_year_of(today().last)
    by_name = {each.name: each for each in taxes.players_with_tds(year)}
    won = by_name["asha"]
    assert (won.opening, won.paid_in, won.paid_out, won.closing, won.fees) == (0, 50_000, 0, 68_000, 2_000)
    assert (won.winnings, won.tds, by_name["bela"].winnings, by_name["bela"].tds) == (18_000, 5_400, 0, 0)
    (month,) = taxes.fees_with_gst(year)
    assert (month.fees, month.net + month.gst) == (2_000, 2_000)
