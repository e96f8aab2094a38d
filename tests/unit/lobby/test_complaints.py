"""Complaints: anybody sends one and gets a number; the desk has two clocks; whoever complained reads the answer."""

import re
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client

from config.health import metrics
from lobby.account_data import closing
from lobby.accounts.mail import HOURS, MailRefused
from lobby.backoffice.work_queue import waiting_for
from lobby.models import Player, Report
from lobby.reports import services as reports
from lobby.tasks import forget_invitations
from tables.errors import TableError
from tests.support import mail as workers
from tests.support.players import signed_up
from tests.support.staff import act, browser_of, employ
from tests.support.takeouts import own_data
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor

pytestmark = pytest.mark.django_db
handed_over, work = workers.handed_over, workers.work

CAME = datetime(2026, 11, 20, 12, tzinfo=UTC)
FIELDS = {"about": "account", "text": "My chips are gone.\n<b>All</b> of them.", "email": ""}


@pytest.fixture(autouse=True)
def _fresh_counters() -> None:
    cache.clear()


def complain(browser: Client, **fields: str) -> Any:
    return browser.post("/complaints/", FIELDS | fields)


def titles(person: Player) -> dict[str, int]:
    return {item.title: item.count for item in waiting_for(person)}


@pytest.mark.databases
def test_a_player_gets_a_number_and_reads_the_answer(asha: Player, ravi: Player) -> None:
    browser, support = browser_of(asha), browser_of(employ("support"))
    answer = complain(browser)
    complaint = Report.objects.get()
    assert answer["Location"] == f"/complaints/{complaint.pk}/"
    page = browser.get(answer["Location"]).content.decode()
    assert f"Complaint no. {complaint.pk}" in page and "&lt;b&gt;All" in page and "at the latest" in page
    assert browser_of(ravi).get(answer["Location"]).status_code == 404
    assert Client().get(answer["Location"])["Location"].startswith("/login/")

    assert "complaint" in support.get("/admin/lobby/report/?kind=complaints").content.decode()
    act(support, "lobby_report_look", complaint.pk, reason="On it")
    act(support, "lobby_report_close", complaint.pk, reason="Nothing found")
    complaint.refresh_from_db()
    assert complaint.state == "looked_at", "a complaint is not closed without an answer"
    taken_up = complaint.acknowledged_at
    asked = support.get(f"/admin/lobby/report/answer/?ids={complaint.pk}").content.decode()
    assert "&lt;b&gt;All" in asked, "whoever answers reads what was asked"
    act(support, "lobby_report_answer", complaint.pk, reason="Your chips are back. " + "Sorry. " * 100)
    complaint.refresh_from_db()
    assert (complaint.state, complaint.acknowledged_at) == ("closed", taken_up)
    assert len(complaint.answer) > 500
    assert f"complaint no. {complaint.pk}" in browser.get("/").content.decode()
    page = browser.get("/complaints/").content.decode()
    assert "answered" in page
    assert browser.post(f"/complaints/{complaint.pk}/").status_code == 302
    assert "have answered your complaint" not in browser.get("/").content.decode()
    assert "Your chips are back" in browser.get(f"/complaints/{complaint.pk}/").content.decode()
    acts = AuditEntry.objects.filter(action__startswith="report.").order_by("pk")
    assert list(acts.values_list("action", flat=True)) == ["report.looked_at", "report.closed"]
    [row] = own_data(browser)["reports"]
    assert (row["deal_id"], row["text"], row["answer"]) == (None, complaint.text, complaint.answer)


def test_the_page_of_an_answer_puts_its_notice_away_by_a_post_of_its_own(asha: Player, ravi: Player) -> None:
    browser = browser_of(asha)
    page = complain(browser)["Location"]
    complaint = Report.objects.get()
    link = f"/complaints/{reports.link_token(complaint)}/"
    put_away = f'<form method="post" data-read\n  action="{page}">'
    assert put_away not in browser.get(page).content.decode(), "there is no answer yet"
    reports.answer_report(complaint, "We are sorry.", Actor("support", employ("support")))
    for address in (page, link):
        read = browser.get(address).content.decode()
        assert put_away in read and "I have read it" in read
        assert "have answered your complaint" not in read, "it stands on this very page"
        assert put_away not in browser_of(ravi).get(address).content.decode()
    assert put_away not in Client().get(link).content.decode()
    assert "have answered your complaint" in browser.get("/").content.decode(), "a GET has put nothing away"
    browser.post(page)
    assert "have answered your complaint" not in browser.get("/").content.decode()
    assert put_away not in browser.get(page).content.decode()


def test_somebody_without_an_account_keeps_a_secret_link(client: Client) -> None:
    link = complain(client)["Location"]
    complaint = Report.objects.get()
    assert re.fullmatch(rf"/complaints/{complaint.pk}:[\w-]{{43}}/", link)
    assert "My chips are gone" in Client().get(link).content.decode()
    assert Client().get(f"/complaints/{complaint.pk}/")["Location"].startswith("/login/")
    assert Client().get(link[:-2] + ("A/" if link[-2] != "A" else "B/")).status_code == 404
    assert Client().get(f"/complaints/{complaint.pk + 1}:{link.partition(':')[2]}").status_code == 404
    reports.answer_report(complaint, "We are sorry.", Actor("support", employ("support")))
    assert "We are sorry." in Client().get(link).content.decode()


def test_the_number_and_the_answer_go_by_mail_and_the_address_is_forgotten(
    client: Client, work: Any, django_capture_on_commit_callbacks: Any
) -> None:
    link = complain(client, email="asha@example.com")["Location"]
    [received] = work()
    complaint = Report.objects.get()
    assert received.to == ["asha@example.com"]
    assert f"http://testserver{link}" in received.body and "Online Gaming Authority" in received.body
    assert "gone" not in received.body, "nobody has us mail their own words to others"
    with django_capture_on_commit_callbacks(execute=True):
        reports.answer_report(complaint, "We are sorry.", Actor("support", employ("support")))
    [answered] = work()
    assert "We are sorry." in answered.body
    complaint.refresh_from_db()
    assert complaint.email == ""


@pytest.mark.databases
def test_both_clocks_run_and_what_is_late_is_marked_counted_and_alarmed(asha: Player) -> None:
    helper = employ("support")
    with time_machine.travel(CAME, tick=False) as clock:
        complain(browser_of(asha))
        complaint = Report.objects.get()
        assert (complaint.acknowledge_by, complaint.answer_by) == (
            CAME + timedelta(hours=24),
            CAME + timedelta(days=15),
        )

        def late(moment: datetime) -> bool:
            clock.move_to(moment)
            metrics.refresh()
            fresh = Report.objects.get()
            counted = titles(helper).get("Reports and complaints past their time", 0)
            assert counted == reports.count_overdue() == metrics.REPORTS._value.get() == int(fresh.is_overdue)
            return fresh.is_overdue

        assert not late(CAME + timedelta(hours=24))
        assert late(CAME + timedelta(hours=24, seconds=1))
        support = browser_of(helper)
        assert "past its time: take up by" in support.get("/admin/lobby/report/?times=overdue").content.decode()
        reports.look_at(complaint, "On it", Actor("support", helper))
        assert not late(CAME + timedelta(days=15))
        assert late(CAME + timedelta(days=15, seconds=1))
        assert "We are late" in browser_of(asha).get(f"/complaints/{complaint.pk}/").content.decode()
        reports.answer_report(complaint, "Sorry, late", Actor("support", helper))
        assert not late(CAME + timedelta(days=40))


def test_what_a_player_sends_again_by_going_back_stays_one_complaint(asha: Player) -> None:
    browser, helper = browser_of(asha), employ("support")
    first, again = complain(browser)["Location"], complain(browser)["Location"]
    assert first == again
    assert complain(browser, text="And this")["Location"] != first
    assert complain(Client())["Location"] != complain(Client())["Location"], "nobody sees what a stranger has sent"
    reports.look_at(Report.objects.get(reporter=asha, text=FIELDS["text"]), "On it", Actor("support", helper))
    assert complain(browser)["Location"] != first, "once it is taken up it may be sent again"


def test_complaints_are_limited_by_account_and_by_address(asha: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reports.OF_AN_ADDRESS.tries == 30
    monkeypatch.setattr(reports, "OF_AN_ADDRESS", replace(reports.OF_AN_ADDRESS, tries=10))
    browser = browser_of(asha)
    texts = map(str, range(reports.OF_A_PLAYER.tries + 1))
    assert [complain(browser, text=text).status_code for text in texts] == [302] * 5 + [429]
    assert complain(Client()).status_code == 302, "others may still complain from there"
    assert {complain(browser).status_code for _ in range(reports.OF_AN_ADDRESS.tries)} == {429}
    left = reports.OF_AN_ADDRESS.tries - reports.OF_A_PLAYER.tries - 1
    assert {complain(Client()).status_code for _ in range(left)} == {302}
    assert complain(Client()).status_code == 429


def test_complaints_of_strangers_are_limited_over_all_addresses_and_players_still_complain(
    asha: Player, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.OPERATOR = {"email": "hello@rummy.test"}
    assert reports.OF_STRANGERS.tries == 60
    monkeypatch.setattr(reports, "OF_STRANGERS", replace(reports.OF_STRANGERS, tries=8))
    strangers = [Client(REMOTE_ADDR=f"10.1.{number}.7") for number in range(reports.OF_STRANGERS.tries + 1)]
    answers = [complain(browser) for browser in strangers]
    assert [answer.status_code for answer in answers] == [302] * reports.OF_STRANGERS.tries + [429]
    page = answers[-1].content.decode()
    assert "Sign in and send it here, or write to hello@rummy.test." in page and FIELDS["text"][:10] in page
    assert complain(browser_of(asha)).status_code == 302


def test_nobody_floods_the_mailbox_of_another_and_complaints_come_in_all_the_same(work: Any) -> None:
    for number in range(reports.MAILS.tries + 1):
        browser = Client(REMOTE_ADDR=f"10.1.0.{number}")
        assert complain(browser, email=("asha@example.com", "ASHA@example.com")[number % 2]).status_code == 302
    assert complain(Client(), email="ravi@example.com").status_code == 302
    assert len([mail for mail in work() if "asha" in mail.to[0].lower()]) == reports.MAILS.tries
    assert Report.objects.count() == reports.MAILS.tries + 2


@pytest.mark.parametrize(
    "fields",
    [
        {"about": "together"}, {"about": ""}, {"text": " "}, {"text": "\u200b\u2060 \u3164\ufe0f"},
        {"text": "x" * 4_001}, {"email": "nobody"},
    ],
)  # fmt: skip
def test_a_complaint_needs_a_matter_and_words(client: Client, fields: dict[str, str]) -> None:
    assert complain(client, **fields).status_code == 400
    assert not Report.objects.exists()


def test_a_picture_that_is_newer_than_this_python_is_seen(client: Client) -> None:
    newer = next(each for each in map(chr, range(0x1FA00, 0x1FB00)) if unicodedata.category(each) == "Cn")
    assert complain(client, text=newer).status_code == 302


def test_an_answer_that_nobody_can_see_closes_no_complaint(asha: Player) -> None:
    complain(browser_of(asha))
    support, complaint = browser_of(employ("support")), Report.objects.get()
    for unseen in (
        "\u200b" * 5,
        "\u2800\u3164\uffa0",
        "\u0301\u0301\u0301",
        "\u2066 \u00ad \u2069",
        "\u2065\U000e0fff\uffff",
    ):
        assert act(support, "lobby_report_answer", complaint.pk, reason=unseen).status_code == 400, ascii(unseen)
    complaint.refresh_from_db()
    assert complaint.state == "open"
    assert act(support, "lobby_report_answer", complaint.pk, reason="क्षमा करें 🙏").status_code == 302


def test_an_address_to_which_no_answer_could_go_is_forgotten(
    asha: Player, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    def away(*_: Any) -> None:
        raise MailRefused("no_mail", "No broker.")

    for email in ("asha@example.com", "tara@example.com"):
        complain(Client(), email=email)
    monkeypatch.setattr(reports, "queue_mail", away)
    with django_capture_on_commit_callbacks(execute=True):
        reports.answer_report(Report.objects.earliest("pk"), "We are sorry.", Actor("support", employ("support")))
    addresses = Report.objects.order_by("pk").values_list("email", flat=True)
    for hours, kept in ((HOURS - 1, "asha@example.com"), (HOURS + 1, "")):
        with time_machine.travel(datetime.now(UTC) + timedelta(hours=hours)):
            forget_invitations()
        assert list(addresses.all()) == [kept, "tara@example.com"], "one that waits for its answer is kept"


def test_the_desk_takes_no_report_of_a_deal_without_a_player_and_no_matter_of_another_kind(asha: Player) -> None:
    with pytest.raises(TableError) as refusal:
        reports.send_complaint(reporter=asha, address=None, about="together", text="x", language="en")
    assert refusal.value.code == "bad_report"


def test_closing_an_account_takes_the_address_away(rf: Any) -> None:
    asha = signed_up("asha2")
    complain(browser_of(asha), email="asha@example.com")
    request = rf.post("/account/close/")
    closing.close_account(asha, request)
    assert Report.objects.get().email == ""


def test_every_footer_says_who_runs_the_place_and_how_to_complain(settings: Any, asha: Player) -> None:
    support, finance = browser_of(employ("support")), browser_of(employ("finance"))
    pages = (("/", Client()), ("/wallet/", browser_of(asha)), ("/admin/", support), ("/finance/", finance))
    for address, browser in (*pages, ("/nowhere/", Client())):
        page = browser.get(address).content.decode()
        assert all(f'href="/{name}/"' in page for name in ("about", "complaints", "safety", "terms")), address
        assert "No money can be staked or won here" in page, address


def test_the_pages_tell_what_the_settings_tell(settings: Any, client: Client) -> None:
    assert "trial installation" in client.get("/about/").content.decode()
    settings.OPERATOR = {
        "name": "Thirteen <Games>", "address": "13 MG Road", "email": "hello@rummy.test", "officer": "Asha Rao",
        "officer_address": "14 MG Road", "officer_contact": "080 1234", "certificate": "OGA/17",
    }  # fmt: skip
    settings.MINIMUM_AGE = 21
    about, complaints = (client.get(f"/{page}/").content.decode() for page in ("about", "complaints"))
    assert "trial installation" not in about + complaints
    assert all(text in about for text in ("Thirteen &lt;Games&gt;", "13 MG Road", "hello@rummy.test", "OGA/17", "21"))
    assert all(text in complaints for text in ("Asha Rao", "14 MG Road", "080 1234", "Online Gaming Authority"))
    assert "Certificate OGA/17" in client.get("/").content.decode()
    assert "21 or older" in client.get("/signup/").content.decode()
    settings.OPERATOR |= {"next_instance": "The Board"}
    assert "The Board" in client.get("/complaints/").content.decode()


def test_every_link_of_the_safety_page_leads_somewhere(asha: Player) -> None:
    browser = browser_of(asha)
    links = set(re.findall(r'href="(/[^"#]*)', browser.get("/safety/").content.decode()))
    assert len(links) > 20
    assert [link for link in links if not link.startswith("/static/") and browser.get(link).status_code != 200] == []
