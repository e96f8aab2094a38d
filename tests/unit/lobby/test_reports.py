"""A player reports a deal; staff find it in their queue with the deal attached, and close it with a note."""

from typing import Any

import pytest
from django.urls import reverse

from lobby.models import Player, Report
from lobby.reports import services as reports
from tables.errors import TableError
from tables.models import Deal
from tests.support.players import signed_up
from tests.support.staff import act, browser_of, employ
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor
from wallet.base.errors import WalletError

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


@pytest.fixture
def deal(duel: Any) -> Deal:
    """Play a deal between the two at the table."""
    duel[0].send("drop")
    return Deal.objects.get(status=Deal.Status.OVER)


@pytest.fixture
def asha(deal: Deal, duel: Any) -> Player:
    return Player.objects.get(pk=duel[0].user.pk)


def post_report(browser: Any, deal: Deal, **fields: Any) -> Any:
    return browser.post(f"/report/{deal.pk}/", {"about": "together", "seat": "", "text": "", **fields})


def test_nobody_of_the_staff_handles_a_report_of_a_deal_that_they_played(deal: Deal, asha: Player) -> None:
    [(seat, _)] = reports.others_in_deal(deal, asha)
    report = reports.send_report(reporter=asha, deal_id=deal.pk, about="together", seat=seat, text="")
    reported = deal.seats.exclude(user=asha).get().user
    for person in (asha, reported):
        with pytest.raises(WalletError, match="concerns you"):
            reports.close_report(report, "Nothing was found", Actor(str(person), person))
    complaint = reports.send_complaint(reporter=asha, address=None, about="rules", text="Slow", language="en")
    with pytest.raises(WalletError, match="concerns you"):
        reports.answer_report(complaint, "We are sorry.", Actor(str(asha), asha))
    assert set(Report.objects.values_list("state", flat=True)) == {"open"}


def test_a_report_goes_from_the_deals_page_to_the_queue_and_back(deal: Deal, asha: Player) -> None:
    browser, support = browser_of(asha), browser_of(employ("support"))
    address = reverse("lobby:report", args=[deal.pk])
    assert f'href="{address}"' in browser.get(f"/history/{deal.pk}/").content.decode()
    [(seat, other)] = reports.others_in_deal(deal, asha)
    assert other in browser.get(address).content.decode()
    answer = post_report(browser, deal, seat=seat, text="They <b>always</b> drop for each other.")
    assert (answer.status_code, answer["Location"]) == (302, address)
    assert "waits for our staff" in browser.get(address).content.decode()

    queue = support.get("/admin/lobby/report/").content.decode()
    report = Report.objects.get()
    replay = reverse("admin:tables_deal_replay", args=[deal.pk])
    assert f'href="{replay}"' in queue and other in queue
    assert support.get(replay).status_code == 200
    page = support.get(f"/admin/lobby/report/{report.pk}/change/").content.decode()
    assert "&lt;b&gt;always&lt;/b&gt;" in page and "<b>always" not in page

    act(support, "lobby_report_look", report.pk, reason="On it")
    assert "Our staff are looking at it" in browser.get(address).content.decode()
    act(support, "lobby_report_close", report.pk, reason="Chance, over 40 deals")
    report.refresh_from_db()
    assert (report.state, report.note, report.handled_by.username) == ("closed", "Chance, over 40 deals", "the_support")
    page = browser.get(address).content.decode()
    assert "closed the report" in page and "Chance" not in page
    trail = AuditEntry.objects.filter(action__startswith="report.").order_by("id")
    assert [(entry.action, entry.before["state"], entry.reason) for entry in trail] == [
        ("report.looked_at", "open", "On it"),
        ("report.closed", "looked_at", "Chance, over 40 deals"),
    ]


def test_only_own_finished_deals_can_be_reported_once_each(deal: Deal, asha: Player) -> None:
    stranger = signed_up()
    assert post_report(browser_of(stranger), deal).status_code == 404
    running = Deal.objects.exclude(pk=deal.pk).filter(ended_at=None).first()
    assert running is not None
    assert post_report(browser_of(asha), running).status_code == 404
    browser = browser_of(asha)
    assert post_report(browser, deal).status_code == 302
    again = post_report(browser, deal, text="again")
    assert again.status_code == 400
    assert Report.objects.count() == 1


@pytest.mark.parametrize(
    "fields", [{"about": "nonsense"}, {"about": ""}, {"seat": "5"}, {"seat": "-1"}, {"text": "x" * 1_001}]
)
def test_a_report_needs_a_matter_and_a_seat_of_the_deal(deal: Deal, asha: Player, fields: dict[str, str]) -> None:
    assert post_report(browser_of(asha), deal, **fields).status_code == 400
    assert not Report.objects.exists()


def test_reports_are_limited(deal: Deal, asha: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST_A_DAY", 0)
    with pytest.raises(TableError) as refusal:
        reports.send_report(reporter=asha, deal_id=deal.pk, about="other", seat=None, text="")
    assert refusal.value.code == "rate_limited"


def test_a_closed_report_stays_closed_and_handling_needs_the_right(deal: Deal, asha: Player) -> None:
    report = reports.send_report(reporter=asha, deal_id=deal.pk, about="other", seat=None, text="")
    operations, support = browser_of(employ("operations")), browser_of(employ("support"))
    assert act(operations, "lobby_report_close", report.pk).status_code == 403
    act(support, "lobby_report_close", report.pk, reason="Seen")
    act(support, "lobby_report_look", report.pk, reason="Again")
    report.refresh_from_db()
    assert (report.state, report.note) == ("closed", "Seen")
    assert support.post(f"/admin/lobby/report/{report.pk}/change/", {"state": "open"}).status_code == 403
