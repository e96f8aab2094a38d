"""Closing an account: what is deleted, what stays, and that it stays closed."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client as Browser, RequestFactory
from django.utils import timezone
from rest_framework.authtoken.models import Token

from lobby.account_data import closing
from lobby.accounts import names, sign_in
from lobby.accounts.forms import DisplayNameForm
from lobby.accounts.recovery import codes
from lobby.daily import services as daily
from lobby.friends import friends
from lobby.friends.models import Block, Friendship
from lobby.models import PasswordCode, Player
from lobby.stakes import services as stakes
from lobby.two_factor import services as two_factor
from tables.history.replay import replay
from tables.models import Deal, Entrant, Seating, Series, Table, Tournament
from tables.tournaments.services import enter
from tests.support import tournaments
from tests.support.clock import Clock
from tests.support.database import rolled_back
from tests.support.players import PASSWORD, signed_up
from tests.support.program import Program
from tests.support.staff import act, browser_of, employ, enrol
from tests.support.stakes import StakeFactory
from wallet import adjustments
from wallet.audit import audit
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor
from wallet.base.errors import Refusal
from wallet.base.report_zone import zone
from wallet.finance.periods import Period
from wallet.finance.totals import by_day
from wallet.ledger import selectors as ledger
from wallet.models import Posting
from wallet.play_money import refills
from wallet.responsible_gaming import selectors as care, services as responsible_gaming

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

SURE = {"password": PASSWORD, "sure": "on"}


def closed(person: Player) -> Player:
    """Close the account by the page, and return it as it is then."""
    answer = browser_of(person).post("/account/close/", SURE)
    assert answer.status_code == 302, answer.context["form"].errors
    return Player.objects.get(pk=person.pk)


def audit_findings() -> list[tuple[str, str]]:
    return [(finding.check, finding.subject) for finding in audit.audit().differences]


@pytest.mark.usefixtures("noon")
@pytest.mark.databases
def test_nothing_opens_a_closed_account_and_nothing_in_it_tells_who_it_was() -> None:
    asha, ravi = signed_up("asha", display_name="Asha of Goa", email="asha@example.com"), signed_up("ravi")
    Friendship.objects.create(asker=asha, asked=ravi, status=Friendship.Status.ACCEPTED)
    recovery_codes = codes.new_codes(asha)
    Token.objects.create(user=asha)
    elsewhere = browser_of(asha)
    closed_account = closed(asha)
    assert "sha" not in str([getattr(closed_account, field.attname) for field in Player._meta.concrete_fields])
    assert (closed_account.is_active, closed_account.shown_name, ledger.balances(closed_account)[0]["free"]) == (
        False,
        "Closed account",
        0,
    )
    assert not any(rows.objects.exists() for rows in (Friendship, PasswordCode, Token))
    assert elsewhere.get("/account/").status_code == 302
    for name in ("asha", closed_account.username):
        with pytest.raises(sign_in.SignInRefused):
            sign_in.authenticate_player(None, username=name, password=PASSWORD)
    tried = {"username": closed_account.username, "code": recovery_codes[0], "password": "fourteen louder cards"}
    assert Browser().post("/login/forgotten/", tried).status_code == 400
    entry = AuditEntry.objects.get(action="player.close")
    assert (entry.actor_name, entry.after["chips"]) == (closed_account.username, 10_000)  # type: ignore[index]
    today = timezone.now().astimezone(zone()).date()
    totals = by_day(Period(first=today, last=today), "FUN")[today]
    assert (totals.granted, totals.forfeited, totals.liabilities) == (20_000, 10_000, 10_000)
    assert audit_findings() == []


def test_an_account_that_two_requests_close_at_once_is_closed_once() -> None:
    """Both had checked the password before either closed it."""
    asha, request = signed_up("asha"), RequestFactory().post("/account/close/")
    request.user = asha
    for _ in range(2):
        closing.close_account(asha, request)
    assert AuditEntry.objects.filter(action=names.CLOSED).count() == 1
    assert audit_findings() == []


@pytest.mark.parametrize("changes", [{"password": "wrong"}, {"sure": ""}])
def test_closing_needs_the_password_and_confirmation(changes: dict[str, str]) -> None:
    asha = signed_up("asha")
    assert browser_of(asha).post("/account/close/", {**SURE, **changes}).status_code == 400
    assert Player.objects.get(pk=asha.pk).closed_at is None


@pytest.mark.databases
def test_closing_waits_for_the_running_deal_and_anonymizes_it(duel: Any) -> None:
    asha, ravi = (Player.objects.get(pk=client.user.pk) for client in duel)
    answer = browser_of(asha).post("/account/close/", SURE)
    assert answer.status_code == 409
    assert "still in the game" in str(answer.context["form"].errors)
    duel[0].send("drop")
    name = asha.shown_name
    closed_account = closed(asha)
    assert not Seating.objects.filter(user=asha, freed_at=None).exists(), "left, since it cost nothing"
    deal = Deal.objects.get(status=Deal.Status.OVER)
    replayed = replay(deal, ravi)
    assert "Closed account" in str(replayed["seats"]) and "Closed account" in str(deal.result)
    assert name not in str([replayed, deal.result, browser_of(ravi).get(f"/history/{deal.pk}/").content.decode()])
    assert ledger.balances(closed_account)[0] == {"currency": "FUN", "free": 0, "in_play": 0}
    assert audit_findings() == []


def test_who_has_played_a_match_or_a_tournament_to_its_end_can_close(clock: Clock) -> None:
    """The seats of a match that is over are never freed: its last players are still shown there."""
    tournament = tournaments.opened(clock, most=2, seats=2, deals=1, entry=100, prizes=[100])
    entrant, _ = tournaments.entered(tournament, 2)
    tournaments.play_on(clock, tournament)
    closed(Player.objects.get(pk=entrant.user_id))
    entrant.refresh_from_db()
    assert entrant.name == "Closed account" and entrant.place is not None
    assert audit_findings() == []


def test_nobody_closes_an_account_between_two_rounds_of_a_knock_out(clock: Clock) -> None:
    """They hold no seat there then, and would be drawn into the next round."""
    tournament = tournaments.opened(clock, most=4, seats=2, deals=1, go_on=1, prizes=[100])
    tournaments.entered(tournament, 4)
    tournaments.play_round(clock, tournament)
    staying = Entrant.objects.filter(tournament=tournament, status=Entrant.Status.IN).first()
    assert staying is not None and tournament.status == Tournament.Status.RUNNING
    player = Player.objects.get(pk=staying.user_id)
    answer = browser_of(player).post("/account/close/", SURE)
    assert (answer.status_code, "still in the game at Evening" in answer.content.decode()) == (409, True)
    tournaments.play_on(clock, tournament)
    assert closed(player).closed_at is not None


def test_who_closes_an_account_keeps_no_place_in_a_tournament_that_has_not_begun(clock: Clock) -> None:
    asha = signed_up("asha")
    entries = [
        enter(tournament_id=tournaments.opened(clock, entry=entry).pk, user=asha).tournament for entry in (0, 100)
    ]
    closed(asha)
    for tournament in entries:
        tournament.refresh_from_db()
        assert tournament.entered == 0 and not tournament.entrants.filter(status="in").exists()
    assert audit_findings() == []


def test_an_exclusion_outlives_closing(settings: Any) -> None:
    asha = signed_up("asha")
    responsible_gaming.exclude(user=asha, period="ever")
    assert care.exclusion(closed(asha)) is not None


def test_an_open_session_of_a_closed_account_gets_no_chips_and_no_seat() -> None:
    asha, clerk, stake = signed_up("asha"), employ("finance"), StakeFactory(seats=2)
    waits = adjustments.ask(
        request_id="late", player=asha, currency="FUN", amount=900_000, reason="A present", actor=Actor("f", clerk)
    )
    closed(asha)
    second = Actor("g", signed_up("second"))
    for late in (
        lambda: refills.refill(asha),
        lambda: stakes.quick_seat(stake_id=stake.pk, user=asha, amount=100),
        lambda: adjustments.grant(row=waits, reason="Well", actor=second),
    ):
        with pytest.raises(Refusal):
            late()  # type: ignore[no-untyped-call]
    reasons = Posting.objects.filter(transfers__debit__owner=asha).values_list("reason", flat=True)
    assert (list(reasons), ledger.balances(asha)[0]["free"]) == (["forfeit"], 0)


@pytest.mark.databases
def test_what_a_request_under_way_would_give_a_closed_account_it_does_not_get() -> None:
    """The request knows the player from before; so does that of another who asks them at that moment."""
    asha, ravi = signed_up("asha"), signed_up("ravi")
    closed(Player.objects.get(pk=asha.pk))
    for late, code in [
        (lambda: stakes.open_private(stake_id=StakeFactory(seats=2).pk, user=asha), "locked"),
        (lambda: daily.open_match(user=asha), "locked"),
        (lambda: friends.ask_friend(player=asha, other=ravi), "locked"),
        (lambda: friends.ask_friend(player=ravi, other=asha), "not_found"),
        (lambda: friends.accept_friend(player=ravi, other=asha), "not_found"),
        (lambda: friends.block_player(player=ravi, other=asha), "not_found"),
    ]:
        with pytest.raises(Refusal) as refused:
            late()
        assert refused.value.code == code
    assert not any(rows.objects.exists() for rows in (Table, Series, Friendship, Block))


@pytest.mark.databases
def test_what_was_read_before_the_closing_gives_no_name_back(monkeypatch: pytest.MonkeyPatch) -> None:
    asha = signed_up("asha", display_name="Asha of Goa")
    browser, late = browser_of(asha), Player.objects.get(pk=asha.pk)

    def read_before(*content: Any, **of: Any) -> DisplayNameForm:
        form = DisplayNameForm(*content, **of)
        closed(asha)
        return form

    monkeypatch.setattr("lobby.accounts.views.DisplayNameForm", read_before)
    assert browser.post("/account/", {"display_name": "Asha of Panaji"}).status_code == 302
    late.avatar = "rose"
    late.save()
    gone = Player.objects.get(pk=asha.pk)
    assert (gone.username, gone.display_name, gone.closed_at is None) == (f"closed-{asha.pk}", "", False)
    assert audit_findings() == []


def test_no_title_keeps_the_name_of_a_closed_account_and_its_invitation_names_nobody() -> None:
    asha = signed_up("asha", display_name="Asha of Goa")
    codes_of_tables = [
        stakes.open_private(stake_id=StakeFactory(seats=2).pk, user=asha),
        Program(asha).post("private/", {"book": "standard-pool-101", "entry": 40})[1]["code"],
    ]
    titles = list(Table.objects.values_list("title", flat=True))
    assert [title.split(" · ")[0] for title in titles] == ["Table for friends"] * 2
    assert "Asha" not in str(titles)
    path = f"/private/{codes_of_tables[1]}/"
    for reader in (Browser(), browser_of(signed_up("ravi"))):
        assert "Asha of Goa invites you to Pool Rummy 101" in reader.get(path).content.decode()
    assert "<h1>Pool Rummy 101</h1>" in browser_of(asha).get(path).content.decode()
    closed(asha)
    assert "You are invited to Pool Rummy 101" in Browser().get(path).content.decode()


def test_staff_neither_reopen_a_closed_account_nor_close_their_own() -> None:
    asha, boss = signed_up("asha"), employ("superuser")
    closed(asha)
    act(browser_of(boss), "lobby_player_unlock", asha.pk)
    assert not Player.objects.get(pk=asha.pk).is_active
    assert browser_of(boss).post(f"/admin/lobby/player/{asha.pk}/password/", {}).status_code == 403
    with pytest.raises(closing.ClosingRefused):
        closing.close_account(boss, RequestFactory().get("/"))


PLANTED = {
    "opened again": "UPDATE lobby_player SET is_active = TRUE WHERE id = {asha}",
    "never closed": "UPDATE lobby_player SET closed_at = NULL WHERE id = {asha}",
    "closed by nobody": "UPDATE lobby_player SET closed_at = date_joined WHERE id = {ravi}",
    "given another's name": "UPDATE lobby_player SET username = 'asha' WHERE id = {asha}",
}


@pytest.mark.databases
def test_the_audit_finds_changes_by_plain_sql() -> None:
    asha, ravi = closed(signed_up("asha")), signed_up("ravi")
    for name, sql in PLANTED.items():
        with rolled_back(), connection.cursor() as cursor:
            cursor.execute(sql.format(asha=asha.pk, ravi=ravi.pk))
            findings, whose = audit_findings(), f"player {ravi.pk if name == 'closed by nobody' else asha.pk}"
        assert ("closed account", whose) in findings, name
        assert {subject for _, subject in findings} == {whose}, name


def test_a_guest_cannot_close_an_account(client: Browser) -> None:
    client.post("/play-now/")
    assert client.get("/account/close/")["Location"] == "/signup/"


def test_names_of_closed_accounts_are_reserved() -> None:
    for name in ("closed-5", "Closed.account"):
        page = Browser().post("/signup/", {"username": name, "password": PASSWORD})
        assert page.status_code == 400


def test_closing_needs_a_code_of_the_authenticator() -> None:
    asha = signed_up("asha")
    recovery, browser = enrol(asha), browser_of(asha)
    for wrong in ({}, {"code": "000000"}):
        assert browser.post("/account/close/", {**SURE, **wrong}).status_code in (400, 403)
    assert browser.post("/account/close/", {**SURE, "code": recovery[0]}).status_code == 302
    assert not two_factor.is_enrolled(asha)
    assert audit_findings() == []


@pytest.mark.databases
def test_the_names_of_a_closed_account_are_free_again_only_after_a_while() -> None:
    with time_machine.travel("2030-01-05T10:00:00Z", tick=False) as clock:
        asha, ravi = closed(signed_up("asha_k", display_name="Lady of Goa")), signed_up("ravi")
        browser = browser_of(ravi)

        def taken(name: str) -> tuple[int, int]:
            sign_up = Browser().post("/signup/", {"username": name.replace(" ", "_"), "password": PASSWORD})
            return sign_up.status_code, browser.post("/account/", {"display_name": name}).status_code

        assert [taken(name) for name in ("Asha.K", "lady of g0a")] == [(400, 400)] * 2
        entry = AuditEntry.objects.get(action=names.CLOSED)
        assert "asha" not in str(entry.after).lower() and entry.target_id == str(asha.pk)
        clock.shift(timedelta(days=names.KEPT_DAYS, minutes=1))
        browser = browser_of(ravi)
        assert browser.post("/account/", {"display_name": "Lady of Goa"}).status_code == 302
        assert audit_findings() == []
