"""A month is closed once, its sums are sealed, and the audit compares the ledger with them."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import Permission
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from lobby.backoffice.services import add_note
from lobby.models import Note, Player
from tests.support.books import a_day_of_play, seat
from tests.support.database import rolled_back
from tests.support.findings import found_by
from tests.support.players import signed_up
from tests.support.staff import browser_of, employ
from wallet.audit.audit import audit
from wallet.audit.nightly import run_nightly
from wallet.audit.requests import grant, request_acknowledgement
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM, Actor
from wallet.base import triggers
from wallet.base.errors import WalletError
from wallet.finance.months import services as months
from wallet.finance.months.kinds import by_kind
from wallet.finance.months.models import TRIGGERS, ClosedMonth
from wallet.finance.periods import Period, financial_year_of, month_of, period_before, presets
from wallet.finance.totals import by_day
from wallet.ledger.triggers import CLOSINGS, TRIGGERS as LEDGER_TRIGGERS
from wallet.models import Account, Posting
from wallet.play_money import services as play_money

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

#: In October and in November, as they are counted in India; of a year to come, since the trail begins today.
OCTOBER, NOVEMBER = datetime(2030, 10, 31, 18, 20, tzinfo=UTC), datetime(2030, 10, 31, 18, 40, tzinfo=UTC)


@pytest.fixture
def clock() -> Iterator[Any]:
    with time_machine.travel(OCTOBER, tick=True) as traveller:
        yield traveller


@pytest.fixture
def fina(clock: Any) -> Actor:
    """Play in October and a little in November; it is the second of November, and finance is at work."""
    a_day_of_play()
    clock.move_to(NOVEMBER)
    seat(20, signed_up("late"), 500)
    clock.move_to(NOVEMBER + timedelta(days=1))
    person = employ("finance")
    return Actor(person.username, person)


def close(by: Actor, month: date = date(2030, 10, 1)) -> ClosedMonth:
    return months.close_month(month=month, actor=by)


def test_opening_and_movements_make_the_closing_of_every_kind(fina: Actor) -> None:
    november = Period(first=date(2030, 11, 1), last=date(2030, 11, 30))
    lines = by_kind(november, "FUN")
    october = {line.kind: line for line in by_kind(month_of(date(2030, 10, 1)), "FUN")}
    for line in lines:
        total = sum(Account.objects.filter(kind=line.kind, currency="FUN").values_list("balance", flat=True))
        assert line.closing == line.opening + line.credits - line.debits == total
        assert october[line.kind].closing == line.opening
    assert [sum(getattr(line, name) for line in lines) for name in ("opening", "closing")] == [0, 0]
    assert (
        october["fees"].movements["deal"].credits + october["fees"].movements["prize"].credits
        == october["fees"].closing
    )
    run_nightly()
    assert by_kind(november, "FUN") == lines


def test_a_closed_month_is_signed_with_what_the_ledger_makes_of_it(fina: Actor) -> None:
    run_nightly()
    closed = close(fina)
    day = by_day(month_of(closed.month), "FUN")[date(2030, 10, 31)]
    assert closed.sums["FUN"]["closing"]["fees"] == day.fees
    assert sum(count for *_, count, _ in closed.sums["FUN"]["moved"]) == day.transfers
    assert (closed.closed_by, closed.audit.differences) == (fina.user, 0)
    assert audit().differences == []


def test_months_are_closed_in_order_once_over_and_audited(fina: Actor, clock: Any) -> None:
    for month, code in (
        (date(2030, 9, 1), "not_next"),
        (date(2030, 11, 1), "not_next"),
        (date(2030, 10, 1), "not_yet"),
    ):
        with pytest.raises(WalletError) as refused:
            close(fina, month)
        assert refused.value.code == code
    run_nightly()
    close(fina)
    for month, code in ((date(2030, 10, 1), "not_next"), (date(2030, 11, 1), "not_yet")):
        with pytest.raises(WalletError) as refused:
            close(fina, month)
        assert refused.value.code == code
    clock.move_to(datetime(2030, 11, 30, 20, tzinfo=UTC))
    run_nightly()
    close(fina, date(2030, 11, 1))
    assert audit().differences == []


def test_no_month_is_closed_on_books_that_the_audit_calls_wrong(fina: Actor) -> None:
    """Neither lifting the freeze nor one person alone makes them right: two acknowledge, or they are put right."""
    note = add_note(signed_up("nora"), "Calls often", PLATFORM)
    triggers.remove(connection, triggers.append_only("lobby_note"))
    Note.objects.filter(pk=note.pk).update(text="Never calls")
    triggers.install(connection, triggers.append_only("lobby_note"))
    [found] = run_nightly().findings
    with pytest.raises(WalletError, match="1 differences that nobody has acknowledged"):
        close(fina)
    finding = {name: found[name] for name in ("check", "subject", "message")}
    asked = request_acknowledgement(**finding, reason="It was I", actor=fina)
    second = employ("finance", "second")
    grant(asked, "So it is", Actor("second", second))
    run_nightly()
    assert close(fina).audit.differences == 1


def test_nothing_is_posted_into_a_closed_month(fina: Actor, clock: Any) -> None:
    run_nightly()
    close(fina)
    there, late = Posting.objects.count(), Player.objects.get(username="late")
    clock.move_to(OCTOBER + timedelta(minutes=5))
    with pytest.raises(IntegrityError, match="nothing is posted into a closed month"), transaction.atomic():
        play_money.add_chips(seating=20, user=late, currency="FUN", amount=1, key="seating:20:add:1")
    assert Posting.objects.count() == there
    clock.move_to(NOVEMBER)
    signed_up("in_november")
    assert Posting.objects.count() > there


PLANTED = {
    "UPDATE months_closedmonth SET note = 'x'": "of it and the months before it; found: ",
    "UPDATE months_closedmonth SET closed_by_id = (SELECT MIN(id) FROM lobby_player)": "closed by ",
    "DELETE FROM months_closedmonth": "the month that the trail tells to be closed",
    "UPDATE wallet_posting SET created_at = '2030-11-01 10:00:00+00:00' WHERE id ="
    " (SELECT MIN(id) FROM wallet_posting WHERE reason = 'refund')": " by the ledger",
}


def test_the_audit_names_what_was_changed(fina: Actor) -> None:
    run_nightly()
    close(fina)
    triggers.remove(connection, [*TRIGGERS, *LEDGER_TRIGGERS])
    for statement, named in PLANTED.items():
        with rolled_back(), connection.cursor() as cursor:
            if "wallet_posting" in statement:
                for table in CLOSINGS[::-1]:
                    cursor.execute(f"DELETE FROM {table}")
            cursor.execute(statement)
            findings = [each.message for each in found_by(["closed_months"]) if each.check == "closed month"]
            assert any(named in message for message in findings), findings


def test_the_trail_names_who_closed_it(fina: Actor) -> None:
    run_nightly()
    closed = close(fina)
    act = AuditEntry.objects.get(action="month.close")
    assert (act.user, act.after and act.after["digest"]) == (fina.user, closed.digest)


def test_periods_by_name_and_the_one_before() -> None:
    today = date(2026, 2, 14)
    named = {title: (f"{each.first}", f"{each.last}") for title, each in presets(today)}
    assert named == {
        "This month": ("2026-02-01", "2026-02-28"), "Last month": ("2026-01-01", "2026-01-31"),
        "This quarter": ("2026-01-01", "2026-03-31"), "Last quarter": ("2025-10-01", "2025-12-31"),
        "This financial year": ("2025-04-01", "2026-03-31"),
    }  # fmt: skip
    for period, before in (
        (month_of(today), ("2026-01-01", "2026-01-31")),
        (financial_year_of(today), ("2024-04-01", "2025-03-31")),
        (Period(first=date(2026, 3, 3), last=date(2026, 3, 9)), ("2026-02-24", "2026-03-02")),
    ):
        previous = period_before(period)
        assert (f"{previous.first}", f"{previous.last}") == before


def test_the_page_closes_a_month_only_where_it_is_typed(fina: Actor) -> None:
    run_nightly()
    assert fina.user is not None
    browser, address = browser_of(fina.user), reverse("finance:close_month")
    assert "type 2030-10 to confirm" in browser.get(reverse("finance:months")).content.decode()
    for typed in ({}, {"typed": ""}, {"typed": "2030-11"}, {"typed": "October"}):
        page = browser.post(address, {"month": "2030-10-01", **typed}, follow=True).content.decode()
        assert "Type 2030-10 to close October 2030" in page and not ClosedMonth.objects.exists()
    long = {"month": "2030-10-01", "typed": "2030-10", "note": "x" * 301}
    page = browser.post(address, long, follow=True).content.decode()
    assert "At most 300 characters, and not 301." in page and not ClosedMonth.objects.exists()
    assert browser.post(address, {"typed": "2030-10"}, follow=True).status_code == 200
    page = browser.post(address, {"month": "2030-10-01", "typed": " 2030-10"}, follow=True).content.decode()
    assert "October 2030 is closed and signed" in page and ClosedMonth.objects.get().closed_by == fina.user


def test_programs_list_and_close_months(fina: Actor) -> None:
    assert fina.user is not None
    browser, address = browser_of(fina.user), reverse("api-finance-months")
    before = browser.get(address).json()
    assert before["months"] == [] and before["next"]["month"] == "2030-10-01" and before["next"]["why_not"]
    early = browser.post(address, {"month": "2030-10-01"}, content_type="application/json")
    assert (early.status_code, early.json()["code"]) == (409, "not_yet")
    run_nightly()
    assert browser.post(address, {}, content_type="application/json").json()["code"] == "invalid"
    closed = browser.post(address, {"month": "2030-10-01", "note": "checked"}, content_type="application/json")
    assert (closed.status_code, closed.json()["note"]) == (201, "checked")
    assert browser.get(address).json()["months"] == [closed.json()]
    assert closed.json()["signature"] == AuditEntry.objects.get(action="month.close").hash
    reader = employ("finance", "reader")
    reader.groups.clear()
    reader.user_permissions.set(Permission.objects.filter(codename="view_finance"))
    refused = browser_of(reader).post(address, {"month": "2030-11-01"}, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "permission_denied")
