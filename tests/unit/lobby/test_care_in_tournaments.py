"""Who may not play, and what becomes of their entry to a tournament: they are taken out, told why, and paid back."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from lobby.backoffice.services import lock_player, unlock_player
from lobby.models import Player
from lobby.responsible_gaming import services as responsible_gaming
from tables.models import Seating
from tables.tournaments import steps
from tables.tournaments.services import enter, withdraw_entry
from tests.support.clock import Clock
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.staff import browser_of
from tests.support.tournaments import ARENA, entered, opened
from wallet.audit_log.services import PLATFORM
from wallet.ledger.selectors import spendable

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


@pytest.mark.databases
@pytest.mark.parametrize(
    ("rules", "scheduled"), [({}, True), ({"most": 3}, False), (ARENA, True)], ids=["knockout", "when full", "arena"]
)
@pytest.mark.parametrize("locked", [False, True], ids=["out of time", "locked"])
def test_nobody_begins_a_tournament_who_is_locked_or_whose_time_to_play_is_over(
    clock: Clock, rules: dict[str, Any], scheduled: bool, locked: bool
) -> None:
    asha = signed_up("asha")
    tournament = opened(clock, starts_ms=clock.now + 60_000 if scheduled else None, **{**rules, "entry": 100})
    enter(tournament_id=tournament.pk, user=asha)
    if locked:
        lock_player(asha, "asked for", PLATFORM)
    else:
        responsible_gaming.set_limit(player=asha, kind="time", period="day", amount=0)
    entered(tournament, 2)
    clock.wait(60)
    while steps.step(tournament.pk):
        pass
    assert spendable(asha.pk, "FUN") == 10_000
    assert tournament.entrants.get(user=asha).status == "withdrawn"
    tournament.refresh_from_db()
    assert (tournament.status, tournament.entered) == ("running" if scheduled else "open", 2)
    if not scheduled:
        entered(tournament, 1)
        while steps.step(tournament.pk):
            pass
    assert not Seating.objects.filter(user=asha).exists()
    assert tournament.entrants.filter(round=1).count() == 2 + (not scheduled)


@pytest.mark.databases
@pytest.mark.parametrize("barrier", ["a break", "a lock", "a limit", "oneself"])
def test_who_was_taken_out_of_a_tournament_is_told_why(
    clock: Clock, barrier: str, django_capture_on_commit_callbacks: Any
) -> None:
    asha, reason = signed_up("asha"), ""
    tournament = opened(clock, starts_ms=clock.now + 60_000, entry=100)
    enter(tournament_id=tournament.pk, user=asha)
    match barrier:
        case "a break":
            reason = "before it began: you were on a break from play."
            with django_capture_on_commit_callbacks(execute=True):
                responsible_gaming.exclude_by_staff("day", asha, "asked for", PLATFORM)
        case "a lock":
            reason = "as it began: your account was locked."
            lock_player(asha, "asked for", PLATFORM)
        case "a limit":
            reason = "as it began: your time to play was over."
            responsible_gaming.set_limit(player=asha, kind="time", period="day", amount=0)
        case _:
            withdraw_entry(tournament_id=tournament.pk, user=asha)
    entered(tournament, 2)
    clock.wait(60)
    while steps.step(tournament.pk):
        pass
    if barrier == "a lock":
        with time_machine.travel(timezone.now() + timedelta(minutes=5)):
            unlock_player(asha, "asked for", PLATFORM)
        asha.refresh_from_db()
    said = reason and f"You were taken out of this tournament {reason} Your whole entry is back."
    assert Program(asha).get(f"tournaments/{tournament.pk}/")[1]["taken_out"] == said
    page, listed = (browser_of(asha).get(f"/tournaments/{tail}").content.decode() for tail in (f"{tournament.pk}/", ""))
    assert (said in page, "taken out" in page, "You were taken out" in listed) == (True, bool(said), bool(said))


@pytest.mark.parametrize("by_staff", [False, True])
def test_a_break_from_play_takes_one_out_of_tournaments_that_have_not_begun(
    clock: Clock, by_staff: bool, django_capture_on_commit_callbacks: Any
) -> None:
    """Else they would be seated and called there, break or not, and could play it to its end."""
    asha = signed_up("asha")
    tournament = opened(clock, starts_ms=clock.now + 60_000, entry=100)
    enter(tournament_id=tournament.pk, user=asha)
    others = entered(tournament, 2)
    if by_staff:
        with django_capture_on_commit_callbacks(execute=True):
            responsible_gaming.exclude_by_staff("week", asha, "asked for it", PLATFORM)
    else:
        responsible_gaming.exclude_oneself(player=asha, period="week")
    assert spendable(asha.pk, "FUN") == 10_000
    clock.wait(60)
    while steps.step(tournament.pk):
        pass
    assert not Seating.objects.filter(user=asha).exists()
    # Who plays one already plays it to its end.
    responsible_gaming.exclude_oneself(player=Player.objects.get(pk=others[0].user_id), period="week")
    assert Seating.objects.filter(user=others[0].user_id, left_at=None).exists()
