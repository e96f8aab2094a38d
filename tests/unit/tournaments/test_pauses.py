"""What staff hold up: no deal begins in a pause, nobody loses time, and who was called off has no place."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.models import Deal, Entrant, Table, Tournament
from tables.play import broadcast, frames, store
from tables.play.advance import changing, finish, run_overdue_clocks
from tables.play.tournament_tables import deal_together
from tables.tournaments import moments, services, staff as acts, steps
from tests.support.clock import Clock
from tests.support.tournaments import ARENA, entered, opened, play_on, play_round, play_table
from wallet.audit.audit import audit
from wallet.audit_log.services import PLATFORM
from wallet.ledger.selectors import spendable

pytestmark = pytest.mark.django_db


def pause(tournament: Tournament) -> None:
    acts.pause(tournament_id=tournament.pk, reason="a look", actor=PLATFORM)


def resume(tournament: Tournament) -> None:
    acts.resume(tournament_id=tournament.pk, reason="well", actor=PLATFORM)
    tournament.refresh_from_db()


def seated(clock: Clock, players: int, **rules: object) -> tuple[Tournament, Table]:
    """Let a tournament begin, and return it with its one table, whose first deal has not begun."""
    tournament = opened(clock, starts_ms=clock.now, **rules)
    entered(tournament, players)
    while steps.step(tournament.pk):
        pass
    tournament.refresh_from_db()
    return tournament, Table.objects.get(tournament_id=tournament.pk)


def look(table: Table, clock: Clock, seconds: float) -> int:
    """Let time pass and the clocks of the table run out as the sweep does; return how many deals were dealt there."""
    until = clock.now + int(seconds * 1_000)
    while clock.now < until:
        clock.wait(4)
        with changing(table.pk):
            locked = store.lock_table(table.pk)
            run_overdue_clocks(locked)
            finish(locked)
    return Deal.objects.filter(match__table=table, started_at__isnull=False).count()


@pytest.mark.parametrize("dealt", [0, 1])
def test_in_a_pause_no_deal_begins_at_a_table_and_one_that_runs_is_played_on(clock: Clock, dealt: int) -> None:
    tournament, table = seated(clock, 3, deals=3)
    if dealt:
        assert look(table, clock, 6) == 1
    pause(tournament)
    play_table(table.pk)
    assert look(table, clock, 300) == dealt
    table.refresh_from_db()
    assert table.status == Table.Status.OPEN
    resume(tournament)
    assert look(table, clock, 24) == dealt + 1
    play_on(clock, tournament)
    assert tournament.entrants.get(place=1).deals == 3
    assert audit().differences == []


@pytest.mark.parametrize("dealt", [0, 1])
def test_in_a_pause_the_table_says_so_and_counts_nothing_down(clock: Clock, dealt: int) -> None:
    tournament, table = seated(clock, 3, deals=3)
    if dealt:
        assert look(table, clock, 6) == 1
        play_table(table.pk)
    assert told(table) == (False, True)
    pause(tournament)
    look(table, clock, 40)
    assert told(table) == (True, False)
    resume(tournament)
    assert look(table, clock, 24) == dealt + 1
    assert told(table) == (False, True)


def test_a_table_that_opens_asks_for_no_pause(clock: Clock) -> None:
    """Thousands open at once."""
    _, table = seated(clock, 3, deals=3)
    with CaptureQueriesContext(connection) as asked:
        assert told(table) == (False, True)
    assert [query for query in asked.captured_queries if "paused_ms" in query["sql"].partition("WHERE")[2]] == []


def told(table: Table) -> tuple[bool, bool]:
    """Return whether the table says that its tournament is paused, and whether it shows a clock."""
    view = frames.view(store.read_table(table.pk), 0)
    part, result = view["table"]["tournament"], view["result"]
    assert part is not None and (view["clock"] is None or result is None or result["next_in"] is not None)
    return part["paused"], view["clock"] is not None


def test_many_tables_whose_start_falls_into_a_pause_wait_for_its_end(clock: Clock) -> None:
    tournament = opened(clock, most=6, seats=2, go_on=1, deals=1)
    entered(tournament, 6)
    while steps.step(tournament.pk):
        pass
    pause(tournament)
    clock.wait(6)
    tables = list(Table.objects.filter(tournament_id=tournament.pk).values_list("pk", flat=True))
    assert len(tables) == 3 and not deal_together(tables, is_served=True)
    resume(tournament)
    assert deal_together(tables, is_served=True) == set(tables)


def test_a_pause_of_an_arena_keeps_who_waits_and_puts_its_end_off(clock: Clock) -> None:
    tournament, table = seated(clock, 4, **{**ARENA, "minutes": 2})
    look(table, clock, 6)
    ends = tournament.ends_ms or 0
    pause(tournament)
    began = clock.now
    play_table(table.pk)
    clock.now = ends + 60_000
    assert steps.make_due_steps(clock.now) == 0
    resume(tournament)
    assert tournament.ends_ms == ends + clock.now - began
    services.presence.note_alive(*(entrant.user_id or 0 for entrant in tournament.entrants.all()))
    steps.step(tournament.pk)
    assert Table.objects.filter(tournament_id=tournament.pk, status=Table.Status.OPEN).count() == 1
    play_on(clock, tournament)
    assert (tournament.over_ms or 0) >= (tournament.ends_ms or 0)
    assert audit().differences == []


def test_computers_come_later_by_the_pause_but_a_full_one_begins_with_its_end(clock: Clock) -> None:
    filling, full = opened(clock, computers_after=30), opened(clock, most=2, computers_after=30)
    entered(filling, 1)
    clock.wait(20)
    entered(full, 2)
    for each in (filling, full):
        pause(each)
    clock.wait(60)
    for each in (filling, full):
        resume(each)
    assert (filling.next_ms or 0) == clock.now + 10_000
    assert steps.make_due_steps(clock.now) == 1
    full.refresh_from_db()
    assert full.status == Tournament.Status.RUNNING


def test_who_withdraws_from_a_full_one_in_a_pause_leaves_the_others_waiting_no_longer_than_else(clock: Clock) -> None:
    tournament = opened(clock, most=2, computers_after=30)
    people = entered(tournament, 2)
    pause(tournament)
    clock.wait(600)
    services.withdraw_entry(tournament_id=tournament.pk, user=people[0].user)
    clock.wait(60)
    resume(tournament)
    assert tournament.next_ms == clock.now + 30_000
    assert steps.make_due_steps(clock.now) == 0
    clock.wait(30)
    assert steps.make_due_steps(clock.now) == 1


@pytest.mark.parametrize("moment", ["break", "drawn", "tables"])
def test_who_is_out_of_one_that_is_cancelled_has_no_place_in_it(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """In the break between two rounds, with the second drawn, and with its tables open."""
    tournament = opened(clock, most=4, seats=2, go_on=1, deals=1, entry=100, prizes=[60, 40])
    people = [entrant.user_id or 0 for entrant in entered(tournament, 4)]
    play_round(clock, tournament)
    assert tournament.entrants.filter(place__isnull=False).count() == 2
    if moment != "break":
        clock.wait(moments.BREAK_MS / 1_000)
        for _ in range(1 + (moment == "tables")):
            assert steps.step(tournament.pk)
    told: list[int | None] = []
    monkeypatch.setattr(broadcast, "tournament_over", lambda user, **told_of: told.append(told_of["place"]))
    acts.cancel(tournament_id=tournament.pk, reason="a fault of ours", actor=PLATFORM)
    assert told == [None] * 4
    assert not Entrant.objects.filter(tournament=tournament, place__isnull=False).exists()
    assert not steps.step(tournament.pk) and not Table.objects.exclude(status=Table.Status.CLOSED).exists()
    assert [spendable(person, "FUN") for person in people] == [10_000] * 4
    assert audit().differences == []


@pytest.mark.parametrize("paused", [False, True])
def test_staff_cancel_an_arena_whose_last_deals_run(clock: Clock, paused: bool) -> None:
    tournament, table = seated(clock, 3, **ARENA, entry=100, prizes=[100])
    people = [entrant.user_id or 0 for entrant in tournament.entrants.all()]
    clock.now = (tournament.ends_ms or 0) - 40_000
    look(table, clock, 12)
    clock.now = (tournament.ends_ms or 0) + 1_000
    assert not steps.step(tournament.pk), "its last deal runs"
    if paused:
        pause(tournament)
    acts.cancel(tournament_id=tournament.pk, reason="a fault of ours", actor=PLATFORM)
    assert not steps.step(tournament.pk)
    tournament.refresh_from_db()
    assert (tournament.status, tournament.paused_ms) == ("cancelled", None)
    assert Table.objects.get().status == Table.Status.CLOSED
    assert [spendable(person, "FUN") for person in people] == [10_000] * 3
    assert audit().differences == []
