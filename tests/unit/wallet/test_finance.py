"""What staff of finance can see, and nobody else."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.db.models import Sum
from django.test import Client
from django.urls import reverse

from tests.support.books import a_day_of_play, account
from tests.support.database import rolled_back
from tests.support.finance import API, PAGES, body, dated, sign_in, today
from tests.support.players import signed_up
from tests.support.sampling import one_of_each
from wallet.base import triggers
from wallet.base.places import PostingPlace
from wallet.finance.periods import Period
from wallet.finance.totals import FIGURES, by_day
from wallet.ledger.triggers import TRIGGERS
from wallet.models import Account, AccountKind, AuditRun, ExportRecord, Posting, Transfer
from wallet.play_money import services as play_money

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon", "bare_heads")]

#: What is asked for by POST: files, and acts.
POSTS = ["finance:export_file", "finance:report_file", "finance:close_month", "finance:audit_now"]


@pytest.fixture
def finance(django_user_model: Any) -> Client:
    a_day_of_play()
    return sign_in(django_user_model, "fina", "view_finance")


def test_no_page_of_another_site_makes_an_export(finance: Client) -> None:
    for headers, status in (
        ({}, 200),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site", "referer": "http://testserver/finance/"}, 403),
        ({"referer": "http://testserver/finance/"}, 200),
        ({"referer": "http://evil.test/"}, 403),
    ):
        with rolled_back():
            answer = finance.get("/api/finance/export/", {"from": "2026-01-01", "to": "2099-12-31"}, headers=headers)
            assert answer.status_code == status, headers
            assert ExportRecord.objects.count() == (1 if status == 200 else 0), headers


def take(client: Client, address: str, query: dict[str, str], **named: Any) -> Any:
    """Request an export: by POST as the page does, or by GET as programs were promised."""
    return (client.post if address == "finance:export_file" else client.get)(reverse(address), query, **named)


@pytest.mark.parametrize("name", one_of_each(PAGES))
@pytest.mark.parametrize(("permissions", "staff"), [((), True), (("view_finance",), False), (("view_transfer",), True)])
def test_a_page_is_for_staff_with_the_permission(
    name: str, permissions: tuple[str, ...], staff: bool, django_user_model: Any
) -> None:
    assert sign_in(django_user_model, "asha", *permissions, staff=staff).get(reverse(name)).status_code == 403
    assert Client().get(reverse(name)).status_code == 302


@pytest.mark.parametrize(("permissions", "staff"), [((), True), (("view_finance", "close_month"), False)])
def test_files_and_acts_are_asked_for_by_post_by_staff_with_the_permission(
    permissions: tuple[str, ...], staff: bool, django_user_model: Any
) -> None:
    asha = sign_in(django_user_model, "asha", *permissions, staff=staff)
    for name in POSTS:
        assert (asha.get(reverse(name)).status_code, asha.post(reverse(name)).status_code) == (405, 403)
        assert Client().post(reverse(name)).status_code == 302
    assert not ExportRecord.objects.exists() and not AuditRun.objects.exists()


@pytest.mark.parametrize("name", one_of_each(API))
@pytest.mark.parametrize(("permissions", "staff"), [((), True), (("view_finance",), False)])
def test_the_api_refuses_everybody_else(
    name: str, permissions: tuple[str, ...], staff: bool, django_user_model: Any
) -> None:
    answer = sign_in(django_user_model, "asha", *permissions, staff=staff).get(reverse(name))
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    assert set(answer.json()) == {"code", "message"}
    assert Client().get(reverse(name)).status_code in (401, 403)


@pytest.mark.databases
def test_finance_reads_every_page_and_odd_questions_are_harmless(finance: Client) -> None:
    for name in PAGES[:-1]:
        for query in (
            {},
            {"currency": "TST"},
            {"from": "x"},
            {"from": "2026-02-30", "currency": "<b>"},
            {"to": "0001-01-01"},
            {"from": "0001-01-01T00:00:00+05:30"},
            {"to": "9999-12-31T23:00:00-05:30"},
            {"from": "2026-11-30T00:00:00+23:59", "to": "2026-11-30T00:00:00-16:00"},
            {"from": "1971-01-01", "to": "1971-01-01"},
            {"from": "9990-01-01", "to": "9990-01-01"},
        ):
            assert finance.get(reverse(name), query).status_code == 200, (name, query)
        assert finance.post(reverse(name)).status_code == 405, name


@pytest.mark.databases
def test_the_totals_of_the_day_are_those_of_the_ledger(finance: Client) -> None:
    (day,) = finance.get(reverse("api-finance-days"), dated(today())).json()["days"]
    sums = dict(Transfer.objects.values_list("posting__reason").annotate(Sum("amount")))
    assert day["transfers"] == Transfer.objects.count()
    assert day["entries"] == sums["entry"] + sums["rejoin"]
    assert day["refunds"] == sums["refund"]
    assert day["fees"] == account(AccountKind.FEES).balance
    assert day["prizes"] == sums["prize"] - 200
    assert day["won"] == 400
    assert day["in_play"] == _sum_of_balances(AccountKind.STACK) + _sum_of_balances(AccountKind.POT)
    computers = sum(Account.objects.filter(kind=AccountKind.STACK, owner=None).values_list("balance", flat=True))
    assert day["liabilities"] == _sum_of_balances(AccountKind.PLAYER) + day["in_play"] - computers


@pytest.mark.databases
def test_yesterdays_closing_is_computed_backwards_from_now(finance: Client) -> None:
    now = today()
    before = Period(first=now.first - timedelta(days=2), last=now.first - timedelta(days=1))
    days = by_day(before, "FUN")
    assert list(days) == [before.last, before.first]
    assert {(totals.in_play, totals.liabilities, totals.transfers) for totals in days.values()} == {(0, 0, 0)}


#: The zone of the house, one that changes its clocks, and others.
ZONES = ["Asia/Kolkata", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"]


@pytest.mark.databases
@pytest.mark.parametrize("place", one_of_each(ZONES, lambda zone: zone == "America/New_York"))
def test_a_report_counts_every_moment_on_the_day_that_it_is_in_the_zone(place: str, settings: Any) -> None:
    settings.REPORT_ZONE = place
    signed_up("asha")
    triggers.remove(connection, TRIGGERS)
    around = Period(first=date(2026, 10, 28), last=date(2026, 11, 4))
    # The clocks go back in New York on the first of November.
    midnights = [datetime(2026, 10, 30, tzinfo=ZoneInfo(place)) + timedelta(days=number) for number in range(1, 4)]
    edges = [each.astimezone(UTC) for each in midnights]
    hours = [datetime(2026, 10, 31, tzinfo=UTC) + timedelta(hours=number) for number in range(0, 60, 3)]
    for moment in [*hours, *edges, *(each - timedelta(microseconds=1) for each in edges)]:
        Posting.objects.update(created_at=moment)
        days = {day for day, totals in by_day(around, "FUN").items() if totals.granted}
        assert days == {moment.astimezone(ZoneInfo(place)).date()}, moment


@pytest.mark.databases
def test_every_figure_leads_to_the_entries_that_make_it(finance: Client) -> None:
    day = by_day(today(), "FUN")[today().first]
    for name in FIGURES:
        if name.startswith("adjusted"):
            continue
        query = {"what": name, "currency": "FUN", "from": f"{today().first}", "to": f"{today().last}"}
        amount = sum(transfer["amount"] for transfer in _all(finance, query))
        assert amount == getattr(day, name)
        assert (amount == 0) == (name == "forfeited")


@pytest.mark.databases
def test_the_ledger_is_paged_whole_and_in_order(finance: Client) -> None:
    numbers = [transfer["id"] for transfer in _all(finance, {})]
    assert numbers == list(Transfer.objects.order_by("-pk").values_list("pk", flat=True))


@pytest.mark.databases
def test_the_statement_of_any_account_is_one_filter_away(finance: Client) -> None:
    entries = _all(finance, {"reference": "match:1"})
    assert len(entries) == 7
    assert all("match:1" in (each["debit"]["reference"], each["credit"]["reference"]) for each in entries)
    assert (
        "match:1</strong> holds 0 chips"
        in finance.get(reverse("finance:entries") + "?reference=match:1").content.decode()
    )


@pytest.mark.databases
def test_every_table_has_a_line_with_its_names_and_what_was_made_nowhere_one_by_account(finance: Client) -> None:
    place = PostingPlace(table=7, title="Points 2", book="standard-points", stake=3)
    for seating in (71, 72):
        play_money.buy_in(seating=seating, user=None, currency="FUN", amount=800, place=place)
    settled = replace(place, match=5, deal=6)
    play_money.settle_deal(key="d6", currency="FUN", winner=71, losses={72: 400}, fee=40, place=settled)
    places = finance.get(reverse("api-finance-places"), dated(today())).json()["places"]
    whole = {name: sum(place[name] for place in places) for name in ("fees", "entries", "prizes", "refunds", "won")}
    day = by_day(today(), "FUN")[today().first]
    assert whole == {name: getattr(day, name) for name in whole}
    table = next(place for place in places if place["reference"] == "table:7")
    assert (table["title"], table["book"], table["stake"]) == ("Points 2", "standard-points", "stake 3")
    assert (table["fees"], table["won"], table["bought_in"], table["transfers"]) == (40, 400, 1_600, 4)
    assert {"match:1", "match:2", "seating:9"} <= {place["reference"] for place in places}


@pytest.mark.databases
@pytest.mark.parametrize("address", ["api-finance-export", "finance:export_file"])
def test_an_export_is_streamed_never_kept_and_recorded(finance: Client, address: str) -> None:
    query = {"format": "jsonl", **dated(today())}
    query.pop("currency")
    answer = take(finance, address, query)
    lines = body(answer).decode().splitlines()
    assert answer["Cache-Control"] == "no-store, private"
    assert "attachment" in answer["Content-Disposition"]
    assert json.loads(lines[-1])["total"]["rows"] == len(lines) - 1 == Transfer.objects.count()
    record = ExportRecord.objects.get()
    assert record.by is not None
    assert (record.by.get_username(), record.rows) == ("fina", Transfer.objects.count())


@pytest.mark.databases
@pytest.mark.parametrize("address", ["api-finance-export", "finance:export_file"])
def test_an_export_as_of_a_transfer_stays_the_same(finance: Client, address: str, django_user_model: Any) -> None:
    query = {"format": "csv", **dated(today())}
    then = take(finance, address, query)
    as_of = {"as_of": f"{ExportRecord.objects.get().as_of}"}
    play_money.open_wallet(django_user_model.objects.get(username="fina"))
    assert take(finance, address, query)["X-Content-SHA256"] != then["X-Content-SHA256"]
    again = take(finance, address, {**query, **as_of})
    assert (again["X-Content-SHA256"], body(again)) == (then["X-Content-SHA256"], body(then))


def test_a_page_is_told_how_far_its_own_export_is(finance: Client, django_user_model: Any) -> None:
    ticket = {"ticket": "0123456789abcdef"}
    address = reverse("finance:export_progress")
    assert finance.get(address, ticket).json() == {}
    finance.post(reverse("finance:export_file"), {"format": "csv", **dated(today()), **ticket})
    rows = Transfer.objects.count()
    assert finance.get(address, ticket).json() == {"rows": rows, "of": rows}
    for nothing in ({}, {"ticket": "0123456789abcdee"}, {"ticket": "x"}, {"ticket": "../../etc/passwd"}):
        assert finance.get(address, nothing).json() == {}
    assert sign_in(django_user_model, "other", "view_finance").get(address, ticket).json() == {}


@pytest.mark.databases
def test_an_export_beyond_the_end_of_the_ledger_is_refused(finance: Client) -> None:
    query = {"as_of": f"{Transfer.objects.latest('pk').pk + 1}"}
    answer = finance.get(reverse("api-finance-export"), query)
    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_as_of")
    page = finance.post(reverse("finance:export_file"), query, follow=True)
    assert "The ledger ends at transfer" in page.content.decode()
    assert not ExportRecord.objects.exists()


def test_an_export_asked_for_wrongly_is_none(finance: Client) -> None:
    for query in (
        {"format": "pdf"}, {"from": "2026-02-02", "to": "2026-02-01"}, {"currency": "EUR"},
        {"as_of": "x"}, {"as_of": "-1"},
    ):  # fmt: skip
        answer = finance.get(reverse("api-finance-export"), query)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
        assert finance.post(reverse("finance:export_file"), query).status_code == 302
    assert not ExportRecord.objects.exists()


def _sum_of_balances(kind: AccountKind) -> int:
    return sum(Account.objects.filter(kind=kind).values_list("balance", flat=True))


def _all(client: Client, query: dict[str, str]) -> list[dict[str, Any]]:
    answer = client.get(reverse("api-finance-ledger"), query).json()
    results: list[dict[str, Any]] = answer["results"]
    while answer["next"]:
        answer = client.get(answer["next"]).json()
        results += answer["results"]
    return results


def test_days_of_a_report_are_bounded(finance: Client) -> None:
    far = {"from": f"{date(2020, 1, 1)}", "to": f"{date(2026, 1, 1)}"}
    assert finance.get(reverse("api-finance-days"), far).status_code == 400
    for day in ("1970-12-31", "9990-01-02"):
        answer = finance.get(reverse("api-finance-days"), {"from": day, "to": day})
        assert (answer.status_code, "not in any ledger" in answer.content.decode()) == (400, True), day
