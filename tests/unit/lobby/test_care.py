"""Responsible gaming by page, API and admin: every way to a seat is checked, and nobody loosens a limit at once."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone
from django.utils.html import strip_tags

from lobby.backoffice.services import lock_player
from lobby.models import Player
from lobby.responsible_gaming import services as responsible_gaming
from lobby.stakes import open_tables, services as stakes
from tables import staff
from tables.models import Deal, DealSeat, Match, Seating, Series, Table
from tables.play import services as play
from tables.play.opening import open_table
from tests.support.database import rolled_back
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.staff import act, acts_of_staff, browser_of, employ
from tests.support.stakes import StakeFactory
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM
from wallet.ledger.selectors import spendable
from wallet.responsible_gaming.models import Limit

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

NOON = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture
def calendar() -> Any:
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


def limits_of(content: Any) -> dict[str, Any]:
    return {f"{limit['kind']}{limit['currency']}/{limit['period']}": limit for limit in content["limits"]}


def test_the_api_sets_raises_and_withdraws_a_limit(asha: Player, calendar: Any) -> None:
    api = Program(asha)
    limit = {"kind": "entries", "currency": "FUN", "period": "day", "amount": 500}
    status, content = api.post("me/care/limits/", limit)
    assert status == 200
    assert limits_of(content)["entriesFUN/day"] == {
        "kind": "entries", "currency": "FUN", "period": "day", "amount": 500, "used": 0, "left": 500,
        "resets_at": "2026-11-21T18:30:00Z", "pending": None,
    }  # fmt: skip
    status, content = api.post("me/care/limits/", {**limit, "amount": None})
    assert limits_of(content)["entriesFUN/day"]["pending"] == {"amount": None, "at": "2026-11-24T09:30:00Z"}
    status, content = api.post("me/care/limits/withdraw/", {"kind": "entries", "currency": "FUN", "period": "day"})
    assert (status, limits_of(content)["entriesFUN/day"]["pending"]) == (200, None)
    assert api.post("me/care/limits/withdraw/", {"kind": "entries", "currency": "FUN", "period": "day"}) == (
        409,
        {"code": "nothing_pending", "message": "No change of this limit is waiting."},
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"amount": -1}, {"amount": 2**63}, {"amount": 1.5}, {"amount": "NaN"}, {"amount": "1e3"}, {"period": "year"},
        {"kind": "wins"}, {"currency": "ABC"}, {"currency": ""}, {"kind": "time"},
    ],
)  # fmt: skip
def test_an_invalid_limit_is_refused(asha: Player, wrong: dict[str, Any]) -> None:
    api = Program(asha)
    limit = {"kind": "entries", "currency": "FUN", "period": "day", "amount": 500, **wrong}
    assert api.post("me/care/limits/", limit)[0] == 400
    assert not Limit.objects.exists()


WAYS: dict[str, Callable[[Program, Any], tuple[int, Any]]] = {
    "table": lambda api, stake: api.post(f"tables/{table_at(stake)}/seats/"),
    "quick seat": lambda api, stake: api.post(f"stakes/{stake.pk}/seats/"),
    "practice": lambda api, stake: api.post("practice/", {"book": "standard-points", "players": 2}),
    "another variant": lambda api, stake: api.post("practice/", {"book": "standard-pool-101", "players": 3}),
    "friends": lambda api, stake: api.post(f"private/{code_of(stake)}/seats/"),
    "own terms": lambda api, stake: opened_and_sat(api, {"book": stake.book}),
    "own table of a stake": lambda api, stake: opened_and_sat(api, {"stake": stake.pk}),
    "family": lambda api, stake: api.post(f"families/{stake.rule_book.family}/seats/"),
    "rematch": lambda api, stake: api.post(f"matches/{played_match(stake)}/rematch/"),
}  # fmt: skip


#: Ways to a table for practice chips.
PRACTISED = {"practice", "another variant"}


def played_match(stake: Any) -> int:
    """Play a match of asha's against somebody else at this stake."""
    asha, other = Player.objects.get(username="asha"), signed_up()
    table = open_table(terms=stake.terms(), title="Played", currency="FUN")
    Table.objects.filter(pk=table.pk).update(book="standard-pool-101", status="closed")
    match = Match.objects.create(table=table, book="x", book_version=1, status="settled", ended_at=timezone.now())
    deal = Deal.objects.create(match=match, number=1, book="x", book_version=1, commitment="", sealed_seed=b"")
    for seat, user in enumerate((asha, other)):
        stay = Seating.objects.create(table=table, seat=seat, user=other, name="x", left_at=match.ended_at)
        Seating.objects.filter(pk=stay.pk).update(freed_at=match.ended_at)
        DealSeat.objects.create(deal=deal, seating=stay, user=user, seat=seat)
    return match.pk


def code_of(stake: Any) -> str:
    return stakes.open_private(stake_id=stake.pk, user=signed_up())


def opened_and_sat(api: Program, terms: dict[str, Any]) -> tuple[int, Any]:
    status, content = api.post("private/", terms)
    return api.post(f"private/{content['code']}/seats/") if status == 201 else (status, content)


def table_at(stake: Any) -> int:
    stakes.ensure_table(stake.pk)
    return int(open_tables.all_tables(stake.pk)[0].pk)


@pytest.mark.parametrize("barrier", ["limit_reached", "self_excluded", "time_limit_reached"])
def test_every_way_to_a_seat_checks_limits(asha: Player, barrier: str) -> None:
    match barrier:
        case "limit_reached":
            responsible_gaming.set_limit(player=asha, kind="entries", currency="FUN", period="week", amount=79)
        case "self_excluded":
            responsible_gaming.exclude_oneself(player=asha, period="month")
        case _:
            responsible_gaming.set_limit(player=asha, kind="time", period="day", amount=0)
    for way, take in WAYS.items():
        with rolled_back():
            status, content = take(Program(asha), StakeFactory())
            if barrier == "limit_reached" and way in PRACTISED:
                assert status == 200, f"{way}: nothing is put into play"
            else:
                assert (status, content["code"]) == (409, barrier), way
                assert not Seating.objects.filter(user=asha).exists(), way


@pytest.mark.usefixtures("noon")
@pytest.mark.parametrize("barrier", ["self_excluded", "time_limit_reached"])
def test_who_may_not_play_opens_no_table_and_no_match_for_others_either(asha: Player, barrier: str) -> None:
    stake = StakeFactory()
    if barrier == "self_excluded":
        responsible_gaming.exclude_oneself(player=asha, period="month")
    else:
        responsible_gaming.set_limit(player=asha, kind="time", period="day", amount=0)
    api, browser = Program(asha), browser_of(asha)
    refused = api.post(f"stakes/{stake.pk}/seats/")
    assert (refused[0], refused[1]["code"]) == (409, barrier)
    tables = Table.objects.count()
    for way, body in (("private/", {"stake": stake.pk}), ("private/", {"book": stake.book}), ("duplicate/", {})):
        assert api.post(way, body) == refused, "in the words of a seat"
    for page in ("/private/new/", "/private/", "/duplicate/"):
        browser.post(page, {"stake": stake.pk, "book": stake.book})
    assert (Table.objects.count(), Series.objects.filter(made_by=asha).count()) == (tables, 0)


@pytest.mark.parametrize("form", ["sit", "practice"])
def test_pages_show_the_reason_and_the_start(asha: Player, calendar: Any, form: str) -> None:
    responsible_gaming.exclude_oneself(player=asha, period="week")
    browser, stake = browser_of(asha), StakeFactory()
    if form == "sit":
        answer = browser.post(f"/sit/{stake.pk}/", {"buy_in": 100}, follow=True)
    else:
        answer = browser.post("/practice/", {"book": "standard-points", "players": 2}, follow=True)
    assert "You have excluded yourself from play until 28 Nov 2026, 15:00" in answer.content.decode()
    assert not Seating.objects.exists()


def test_setting_limits_on_the_page(asha: Player, calendar: Any) -> None:
    browser = browser_of(asha)
    sent = {"act": "limits", "of": "FUN", "FUN-day": "1000", "FUN-week": "", "FUN-month": "9000"}
    assert browser.post("/account/care/", sent).status_code == 302
    page = browser.get("/account/care/").content.decode()
    assert "1,000 chips left" in page and "9,000 chips left" in page
    browser.post("/account/care/", {**sent, "FUN-day": "5000"})
    page = browser.get("/account/care/").content.decode()
    assert "24 Nov 2026, 15:00 IST" in page and "5,000 chips" in page and "1,000 chips left" in page
    browser.post("/account/care/", {**sent, "FUN-day": "1000", "FUN-week": "3000"})
    assert "24 Nov 2026, 15:00 IST" in browser.get("/account/care/").content.decode(), "not touched, it waits"
    browser.post("/account/care/", {"act": "withdraw", "withdraw": "FUN:day"})
    assert "Take it back" not in browser.get("/account/care/").content.decode()


@pytest.mark.databases
@pytest.mark.parametrize("named", ["", "FUN", "FUN:year", "ABC:day", "time:\0", "FUN:\0", "\0:day"])
def test_a_limit_that_there_is_not_has_no_change_to_take_back(asha: Player, named: str) -> None:
    answer = browser_of(asha).post("/account/care/", {"act": "withdraw", "withdraw": named}, follow=True)
    assert [message.level_tag for message in answer.context["messages"]] == ["error"]


@pytest.mark.parametrize("typed", ["-1", "1.5", "NaN", "1e400", "lots", "9" * 40])
def test_a_limit_that_is_no_number_is_reported_at_its_field(asha: Player, typed: str) -> None:
    answer = browser_of(asha).post("/account/care/", {"act": "limits", "of": "FUN", "FUN-day": typed})
    assert answer.status_code == 400
    assert "field-error" in answer.content.decode()
    assert not Limit.objects.exists()


def test_a_break_needs_confirmation_and_frees_idle_seats(asha: Player, calendar: Any) -> None:
    browser, stake = browser_of(asha), StakeFactory()
    stakes.quick_seat(stake_id=stake.pk, user=asha, amount=100)
    assert browser.post("/account/care/", {"act": "exclude", "period": "week"}).status_code == 400
    assert Seating.objects.filter(user=asha, left_at=None).exists()
    browser.post("/account/care/", {"act": "exclude", "period": "week", "sure": "on"})
    assert not Seating.objects.filter(user=asha, left_at=None).exists()
    page = browser.get("/account/care/").content.decode()
    assert "You are taking a break until" in page
    shorter = browser.post("/account/care/", {"act": "exclude", "period": "day", "sure": "on"}, follow=True)
    assert "An exclusion holds already until 28 Nov 2026" in shorter.content.decode()


def test_reminders_over_the_api(asha: Player) -> None:
    api = Program(asha)
    assert api.get("me/care/now/") == (200, {"every_minutes": 60, "due": False, "today": None})
    assert api.post("me/care/reminder/", {"minutes": 15})[1]["reminder"] == {"every_minutes": 15, "due": False}
    assert api.post("me/care/reminder/", {"minutes": 7})[0] == 400
    assert api.post("me/care/seen/")[0] == 200


def test_visitors_are_redirected_to_sign_in() -> None:
    assert Client().get("/account/care/").status_code == 302
    assert Program().get("me/care/")[0] == 401


def test_support_excludes_with_a_reason_and_lifting_waits(asha: Player, calendar: Any) -> None:
    support = browser_of(employ("support"))
    act(support, "lobby_player_exclude_month", asha.pk, reason="Their family asked")
    exclusion = responsible_gaming.overview(asha)["exclusion"]
    assert (exclusion["until"], exclusion["by_staff"]) == (NOON + timedelta(days=30), True)
    act(support, "lobby_player_lift_exclusion", asha.pk, reason="A mistake")
    assert responsible_gaming.overview(asha)["exclusion"]["until"] == NOON + timedelta(hours=72)
    assert list(acts_of_staff().filter(action__startswith="player.").values_list("action", "reason")) == [
        ("player.exclude", "Their family asked"),
        ("player.lift_exclusion", "A mistake"),
    ]
    page = support.get(f"/admin/lobby/player/{asha.pk}/change/").content.decode()
    assert "Excluded by staff until 24 Nov 2026, 15:00:00 IST" in strip_tags(page)


def test_nobody_of_the_staff_lifts_their_own_exclusion(calendar: Any) -> None:
    person = employ("support")
    browser, colleague = browser_of(person), browser_of(employ("support", "another"))
    act(colleague, "lobby_player_exclude_month", person.pk)
    assert "Only a superuser acts on an account of the staff." in colleague.get("/admin/").content.decode()
    assert responsible_gaming.overview(person)["exclusion"] is None
    act(browser_of(employ("superuser")), "lobby_player_exclude_month", person.pk)
    act(browser, "lobby_player_lift_exclusion", person.pk)
    assert "This is your own account" in browser.get("/admin/").content.decode()
    assert responsible_gaming.overview(person)["exclusion"]["until"] == NOON + timedelta(days=30)


def test_staff_do_not_shorten_what_the_player_set(asha: Player, calendar: Any) -> None:
    support = browser_of(employ("support"))
    responsible_gaming.exclude_oneself(player=asha, period="year")
    act(support, "lobby_player_lift_exclusion", asha.pk)
    assert responsible_gaming.overview(asha)["exclusion"]["until"] == NOON + timedelta(days=365)
    assert not AuditEntry.objects.filter(action="player.lift_exclusion").exists()


def test_staff_read_limits_on_the_players_page(asha: Player, calendar: Any) -> None:
    responsible_gaming.set_limit(player=asha, kind="entries", currency="FUN", period="day", amount=500)
    responsible_gaming.set_limit(player=asha, kind="entries", currency="FUN", period="day", amount=900)
    responsible_gaming.set_limit(player=asha, kind="time", period="week", amount=120)
    page = browser_of(employ("support")).get(f"/admin/lobby/player/{asha.pk}/change/").content.decode()
    for text in ("500 chips", "900 chips from 24 Nov 2026, 15:00:00 IST", "120 min"):
        assert text in strip_tags(page)
    assert "120 min" not in browser_of(employ("finance")).get(f"/admin/lobby/player/{asha.pk}/change/").content.decode()


def test_an_excluded_player_leaves_a_frozen_table_when_it_resumes(asha: Player, ravi: Player, clock: Any) -> None:
    stake = StakeFactory()
    seatings = [stakes.quick_seat(stake_id=stake.pk, user=player, amount=100) for player in (asha, ravi)]
    table = seatings[0].table_id
    staff.freeze_table(table_id=table, reason="Looked at", actor=PLATFORM)
    responsible_gaming.exclude_oneself(player=asha, period="day")
    assert Seating.objects.filter(user=asha, left_at=None).exists()
    staff.resume_table(table_id=table, reason="Done", actor=PLATFORM)
    clock.wait(12)
    play.tick(table_id=table)
    assert not Seating.objects.filter(user=asha, left_at=None).exists()


def test_a_locked_account_holds_no_idle_seat(asha: Player, django_capture_on_commit_callbacks: Any) -> None:
    stakes.quick_seat(stake_id=StakeFactory().pk, user=asha, amount=100)
    with django_capture_on_commit_callbacks(execute=True):
        lock_player(asha, "asked for", PLATFORM)
    assert not Seating.objects.filter(user=asha, left_at=None).exists()
    assert spendable(asha.pk, "FUN") == 10_000


def test_the_buy_in_stays_within_ones_limit(asha: Player) -> None:
    browser, stake = browser_of(asha), StakeFactory()
    assert 'max="10000"' in browser.get(f"/sit/{stake.pk}/").content.decode()
    responsible_gaming.set_limit(player=asha, kind="entries", currency="FUN", period="day", amount=200)
    assert 'max="200"' in browser.get(f"/sit/{stake.pk}/").content.decode()
    responsible_gaming.set_limit(player=asha, kind="entries", currency="FUN", period="day", amount=50)
    page = browser.get(f"/sit/{stake.pk}/").content.decode()
    assert "Your own limit leaves 50 chips" in page and "buy-in-amount" not in page


def test_the_schema_names_every_call(asha: Player) -> None:
    paths = Program().client.get("/api/schema/", headers={"accept": "application/vnd.oai.openapi+json"}).json()["paths"]
    operations = {path.removeprefix("/api/"): sorted(calls) for path, calls in paths.items()}
    for path, method in {
        "me/care/": "get", "me/care/now/": "get", "me/care/limits/": "post", "me/care/limits/withdraw/": "post",
        "me/care/exclusion/": "post", "me/care/reminder/": "post", "me/care/seen/": "post", "wallet/refill/": "post",
        "wallet/statement/download/": "get", "history/download/": "get",
    }.items():  # fmt: skip
        assert method in operations[path], path
