"""The tasks of each role, an answer that reaches the player, and one zone for all times."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from lobby.backoffice import services as backoffice, timeline
from lobby.backoffice.work_queue import waiting_for
from lobby.collusion.models import Case
from lobby.models import Player, Report
from lobby.reports import services as reports
from tables.models import Deal, Entrant, Seating, Table, Tournament
from tests.support.players import signed_up
from tests.support.staff import act, browser_of, employ
from tests.support.tables import Client as AtTable
from wallet import adjustments
from wallet.audit import requests
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM, Actor, record
from wallet.ledger.selectors import balances
from wallet.models import Freeze

pytestmark = pytest.mark.django_db


@pytest.fixture
def reported(duel: tuple[AtTable, AtTable]) -> Report:
    first, _ = duel
    first.send("drop")
    deal = Deal.objects.get(status=Deal.Status.OVER)
    return reports.send_report(reporter=first.user, deal_id=deal.pk, about="other", seat=None, text="Odd")


def titles(person: Player) -> dict[str, int]:
    return {item.title: item.count for item in waiting_for(person)}


def test_each_role_sees_its_work(reported: Report) -> None:
    Table.objects.filter(pk=reported.deal.match.table_id).update(status=Table.Status.FROZEN)
    asker, other = employ("finance", "fina"), employ("finance", "fred")
    adjustments.ask(
        request_id="one",
        player=reported.reporter,
        currency="FUN",
        amount=50_000,
        reason="A fault",
        actor=Actor("fina", asker),
    )
    assert titles(employ("support")) == {"Reports and complaints that nobody has taken up": 1}
    assert titles(employ("operations")) == {"Tables that stand still": 1}
    assert titles(asker) == {}, "nobody decides what they asked for themselves"
    assert titles(other) == {"Adjustments for a second person": 1}


def test_nobody_is_told_of_work_that_only_others_may_do(reported: Report) -> None:
    players = [Player.objects.get(pk=seat.user_id) for seat in reported.deal.seats.order_by("user")]
    boss, other = employ("superuser"), employ("superuser", "another")
    Player.objects.filter(pk__in=[player.pk for player in players]).update(is_staff=True, is_superuser=True)
    Table.objects.update(status=Table.Status.FROZEN)
    Report.objects.update(at=timezone.now() - timedelta(days=2))
    now = timezone.now()
    Case.objects.create(one=players[0], other=players[1], evidence=9, deals=50, counted_at=now)
    kept = {"title": "Evening", "kind": "arena", "book": "standard-points", "opens_ms": 0, "status": "running"}
    entered = Tournament.objects.create(**kept, paused_ms=5)
    for player in players:
        Entrant.objects.create(tournament=entered, user=player, name=player.username)
    Freeze.objects.create(reason="Differences", since=now, asked_by=boss)
    requests.request_acknowledgement(
        check="balance", subject="account 1", message="differs", reason="Known", actor=Actor("b", boss)
    )
    both = {"Settlement is frozen": 1, "Acknowledgements for a second person": 1}
    at_play = {
        "Reports and complaints that nobody has taken up": 1,
        "Reports and complaints past their time": 1,
        "Pairs who may play together": 1,
        "Tables that stand still": 1,
        "Tournaments that stand still": 1,
    }
    assert titles(boss) == at_play
    assert [titles(Player.objects.get(pk=player.pk)) for player in players] == [both, both]
    assert titles(other) == at_play | both
    record(Actor("b", boss), "player.password", other)
    assert titles(other) == at_play, "their right comes from who asked"


def test_the_first_page_and_every_header_count_waiting_work(reported: Report) -> None:
    browser = browser_of(employ("support"))
    page = " ".join(browser.get(reverse("admin:index")).content.decode().split())
    assert re.search(r"Waiting: ?(<[^>]+>)? ?1", page)
    assert f"{reverse('admin:lobby_report_changelist')}?state__exact=open" in page
    assert '<span class="count">' in browser.get(reverse("lobby:lobby")).content.decode()
    for item in waiting_for(Player.objects.get(username="the_support")):
        assert browser.get(item.href).status_code == 200


def test_an_answer_reaches_the_player_until_they_have_read_it(reported: Report) -> None:
    player = browser_of(reported.reporter)
    news, answer = reverse("lobby:news"), "All hands were dealt as the proof says"
    assert "have answered" not in player.get(news).content.decode()
    act(browser_of(employ("support")), "lobby_report_answer", reported.pk, reason=answer)
    assert "have answered" in player.get(news).content.decode()
    report = player.get(reverse("lobby:report", args=[reported.deal_id])).content.decode()
    assert "data-read" in report and answer in report and "have answered" not in report
    page = player.post(reverse("lobby:report_read", args=[reported.deal_id]), follow=True).content.decode()
    assert answer in page and "data-read" not in page
    assert "have answered" not in player.get(news).content.decode()
    reported.refresh_from_db()
    assert (reported.state, reported.answer_read_at is not None) == (Report.State.CLOSED, True)


def test_a_note_is_not_shown_as_an_answer(reported: Report) -> None:
    act(browser_of(employ("support")), "lobby_report_close", reported.pk, reason="Seen before")
    player = browser_of(reported.reporter)
    page = player.get(reverse("lobby:report", args=[reported.deal_id])).content.decode()
    assert "Seen before" not in page
    assert "have answered" not in page


def test_staff_read_every_moment_in_the_report_zone_and_in_utc(browser: Callable[[str], Client]) -> None:
    asha = employ("support", "asha")
    AuditEntry.objects.create(
        at=datetime(2030, 1, 1, 20, 0, 5, tzinfo=UTC), actor_name="x", action="x", target_type="x", target_label="x"
    )
    staff = browser("superuser")
    single = reverse("admin:audit_log_auditentry_change", args=[AuditEntry.objects.get(actor_name="x").pk])
    for page in (reverse("admin:audit_log_auditentry_changelist"), single):
        content = staff.get(page).content.decode()
        assert 'title="2030-01-01 20:00:05 UTC">2 Jan 2030, 01:30:05</time>' in content, page
    assert staff.get(reverse("admin:lobby_player_change", args=[asha.pk])).status_code == 200


def test_the_timeline_finds_an_amount(reported: Report) -> None:
    staff, asha = browser_of(employ("superuser")), reported.reporter
    for number, amount in enumerate((-20, 35)):
        clerk = Actor("s", employ("finance", f"clerk{number}"))
        adjustments.ask(request_id=f"{number}", player=asha, currency="FUN", amount=amount, reason="x", actor=clerk)
    address = reverse("admin:lobby_player_timeline", args=[asha.pk])
    content = staff.get(address).content.decode()
    for text in ("Took seat", "Welcome chips", f"Deal {reported.deal_id} at", f"Reported deal {reported.deal_id}"):
        assert text in content
    entries = staff.get(address, {"amount": "20"}).context["found"]
    line = f"Deal {reported.deal_id} at {reported.deal.match.table.title}: dropped, 20 points"
    assert {(entry.text, entry.amount) for entry, _ in entries} == {("Adjusted by our staff", -20), (line, -20)}
    assert "Nothing of that sort" in staff.get(address, {"until": "2020-01-01"}).content.decode()


def test_staff_count_seats_from_one_as_people_do(reported: Report) -> None:
    staff, seating = browser_of(employ("superuser")), Seating.objects.get(seat=0)
    assert str(seating).endswith(f"on seat 1 of table {seating.table_id}")
    for address in (
        reverse("admin:tables_seating_changelist"),
        reverse("admin:tables_seating_change", args=[seating.pk]),
        reverse("admin:tables_table_change", args=[seating.table_id]),
        reverse("admin:lobby_player_change", args=[seating.user_id]),
    ):
        text = staff.get(address).content.decode()
        cells = re.findall(r'(?:field-(?:seat|number)">|class="readonly">|<tr><td>|</a></td><td>)([0-9])</', text)
        assert "1" in cells and "0" not in cells, address
    timeline_page = staff.get(reverse("admin:lobby_player_timeline", args=[seating.user_id])).content.decode()
    assert "Took seat 1 at" in timeline_page


def test_the_timeline_refuses_days_beyond_the_calendar_in_words() -> None:
    staff, asha = browser_of(employ("superuser")), signed_up("asha")
    address = reverse("admin:lobby_player_timeline", args=[asha.pk])
    for field in ("since", "until"):
        for day in ("0001-01-01", "9999-12-31", "x"):
            answer = staff.get(address, {field: day})
            assert answer.status_code == 400 and answer.context["form"].errors[field], (field, day)
    for before in ("0001-01-01T00:00:00+05:30", "2026-11-30T00:00:00+23:59"):
        assert staff.get(address, {"before": before}).status_code == 200


def test_pages_of_the_timeline_are_complete_and_sums_cover_all(reported: Report, monkeypatch: Any) -> None:
    asha, staff = reported.reporter, browser_of(employ("superuser"))
    for number in range(4):
        backoffice.add_note(asha, f"Calls {number}", PLATFORM)
    address = reverse("admin:lobby_player_timeline", args=[asha.pk])
    entries = [entry for entry, _ in staff.get(address).context["found"]]
    assert {"Changed: password", "—: Calls 3"} <= {entry.text for entry in entries}
    monkeypatch.setattr(timeline, "MOST", 3)
    pages, older = [], address
    while older:
        context = staff.get(older).context
        pages.append([entry for entry, _ in context["found"]])
        older = context["older"]
    assert [entry for page in pages for entry in page] == entries
    assert all(len(page) >= 3 for page in pages[:-1]) and len(pages) > 3
    sums = {
        entry.title: entry.credits - entry.debits for _, entry in staff.get(address, {"sort": "money"}).context["sums"]
    }
    assert sum(sums.values()) == sum(entry["free"] for entry in balances(asha))
    assert sums["Welcome chips"] == 10_000
    assert staff.get(address, {"before": "yesterday"}).status_code == 200


def test_the_timeline_respects_rights(reported: Report) -> None:
    page = browser_of(employ("finance")).get(reverse("admin:lobby_player_timeline", args=[reported.reporter_id]))
    assert {title for _, title in page.context["found"]} == {"Chips"}


def test_a_player_is_found_by_a_part_of_either_name(reported: Report) -> None:
    Player.objects.filter(pk=reported.reporter_id).update(display_name="Moonlight")
    names, staff = reverse("admin:lobby_player_names"), browser_of(employ("support"))
    for typed, count in (("onli", 1), ("SH", 1), ("o", 0), ("nobody here", 0)):
        assert len(staff.get(names, {"q": typed}).json()["players"]) == count, typed


def test_an_adjustment_shows_balances_before_and_after(reported: Report) -> None:
    name, staff = reported.reporter.username, browser_of(employ("finance"))
    preview, add = reverse("admin:wallet_adjustment_preview"), reverse("admin:wallet_adjustment_add")

    def preview_of(amount: int | str) -> dict[str, str]:
        answer: dict[str, str] = staff.get(preview, {"name": name, "currency": "FUN", "amount": f"{amount}"}).json()
        return answer

    assert preview_of(20)["state"] == "posted"
    assert preview_of(50_000)["state"] == "waits"
    assert preview_of(-(10**9))["state"] == "refused"
    assert preview_of(0)["state"] == preview_of("")["state"] == "balance"
    assert preview_of("1_000")["state"] == preview_of("२०")["state"] == "", "as the form reads it"
    assert staff.get(preview, {"name": f"{name}\0", "currency": "FUN", "amount": "20"}).json()["state"] == "posted"
    form = {"name": name, "currency": "FUN", "reason": "Lost to a fault", "request_id": "r1"}
    assert "cannot be taken" in staff.post(add, {**form, "amount": f"-{10**9}"}).content.decode()
    assert "Posted: +20 chips" in staff.post(add, {**form, "amount": "20"}, follow=True).content.decode()
    waits = staff.post(add, {**form, "amount": "50000", "request_id": "r2"}, follow=True).content.decode()
    assert "Not posted yet: +50,000 chips" in waits
