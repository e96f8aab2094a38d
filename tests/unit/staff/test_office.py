"""What waits for each role, an answer that reaches the player, and one zone for all moments."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse

from lobby.backoffice.waiting import waiting_for
from lobby.models import Player, Report
from lobby.reports import services as reports
from tables.models import Deal, Table
from tests.support.staff import act, browser_of, employ
from tests.support.tables import Client as AtTable
from wallet.adjustments import services as adjustments
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def reported(duel: tuple[AtTable, AtTable]) -> Report:
    first, _ = duel
    first.send("drop")
    deal = Deal.objects.get(status=Deal.Status.OVER)
    return reports.send_report(reporter=first.user, deal_id=deal.pk, about="other", seat=None, text="Odd")


def titles(person: Player) -> dict[str, int]:
    return {each.title: each.count for each in waiting_for(person)}


def test_each_role_sees_what_it_may_look_after(reported: Report) -> None:
    Table.objects.filter(pk=reported.deal.match.table_id).update(status=Table.Status.FROZEN)
    asker, other = employ("finance", "fina"), employ("finance", "fred")
    adjustments.ask(
        request="one",
        player=reported.reporter,
        currency="FUN",
        amount=50_000,
        reason="A fault",
        actor=Actor("fina", asker),
    )
    assert titles(employ("support")) == {"Reports of players that nobody has looked at": 1}
    assert titles(employ("operations")) == {"Tables that stand still": 1}
    assert titles(asker) == {}, "nobody decides what they asked for themselves"
    assert titles(other) == {"Adjustments for a second person": 1}


def test_the_first_page_and_every_header_tell_how_much_waits(reported: Report) -> None:
    browser = browser_of(employ("support"))
    page = browser.get(reverse("admin:index")).content.decode()
    assert "Waiting: 1" in page
    assert f"{reverse('admin:lobby_report_changelist')}?state__exact=open" in page
    assert '<span class="count">' in browser.get(reverse("lobby:lobby")).content.decode()
    for each in waiting_for(Player.objects.get(username="the_support")):
        assert browser.get(each.href).status_code == 200


def test_an_answer_reaches_the_player_until_they_have_read_it(reported: Report) -> None:
    player = browser_of(reported.reporter)
    news, answer = reverse("lobby:news"), "All hands were dealt as the proof says"
    assert "have answered" not in player.get(news).content.decode()
    act(browser_of(employ("support")), "lobby_report_answer", reported.pk, reason=answer)
    assert "have answered" in player.get(news).content.decode()
    page = player.post(reverse("lobby:report_read", args=[reported.deal_id]), follow=True).content.decode()
    assert answer in page
    assert "have answered" not in player.get(news).content.decode()
    reported.refresh_from_db()
    assert (reported.state, reported.answer_read_at is not None) == (Report.State.CLOSED, True)


def test_a_note_of_staff_is_no_answer(reported: Report) -> None:
    act(browser_of(employ("support")), "lobby_report_close", reported.pk, reason="Seen before")
    player = browser_of(reported.reporter)
    page = player.get(reverse("lobby:report", args=[reported.deal_id])).content.decode()
    assert "Seen before" not in page
    assert "have answered" not in page


def test_staff_read_every_moment_in_the_report_zone_and_in_utc(browser: Callable[[str], Client]) -> None:
    asha = employ("support", "asha")
    AuditEntry.objects.create(at=datetime(2030, 1, 1, 20, 0, 5, tzinfo=UTC), name="x", what="x", kind="x", shown="x")
    staff = browser("superuser")
    listed = staff.get(reverse("admin:trail_auditentry_changelist")).content.decode()
    assert 'title="2030-01-01 20:00:05 UTC">2 Jan 2030, 01:30:05</time>' in listed
    single = reverse("admin:trail_auditentry_change", args=[AuditEntry.objects.get(name="x").pk])
    assert "Jan. 2, 2030, 1:30 a.m." in staff.get(single).content.decode()
    assert staff.get(reverse("admin:lobby_player_change", args=[asha.pk])).status_code == 200
