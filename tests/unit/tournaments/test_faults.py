"""What a tournament survives: kills anywhere in a step, steps made twice, frozen tables, outages, absence."""

from typing import Any

import pytest

from tables import staff
from tables.errors import TableError
from tables.models import Deal, Entrant, Outage, Round, Table, Template, Tournament
from tables.play import frames, protocol, services as play, store
from tables.play.advance import advance, changing, finish, run_overdue_clocks
from tables.tournaments import moments, offers, services, staff as acts, steps
from tests.support.clock import Clock
from tests.support.killed import Killed, killed_at
from tests.support.strategies import waits
from tests.support.tournaments import ARENA, entered, opened, play_on, play_round, play_table
from wallet.audit.audit import audit
from wallet.audit_log.services import PLATFORM
from wallet.ledger.selectors import spendable
from wallet.models import Posting

pytestmark = pytest.mark.django_db


def step_killed_everywhere(tournament: Tournament, stride: int = 1) -> int:
    """Kill the next step at each of its statements, which must change nothing, then let it be made; count the kills."""
    kills = 0
    while True:
        before = stored(tournament)
        try:
            with killed_at(1 + kills * stride):
                steps.step(tournament.pk)
        except Killed:
            assert stored(tournament) == before
            kills += 1
            continue
        tournament.refresh_from_db()
        return kills


def stored(tournament: Tournament) -> object:
    """Return all that a step may change."""
    return (
        list(Tournament.objects.filter(pk=tournament.pk).values()),
        list(tournament.entrants.order_by("pk").values()),
        list(Round.objects.order_by("pk").values("number", "entrants", "tables", "ended_ms")),
        list(Table.objects.order_by("pk").values("pk", "status", "version")),
        Posting.objects.count(),
    )


def test_a_kill_anywhere_in_any_step_of_a_knock_out_changes_nothing(clock: Clock) -> None:
    tournament = opened(clock, most=4, seats=2, go_on=1, deals=1, entry=100, prizes=[60, 40])
    entered(tournament, 4)
    kills = 0
    while tournament.over_ms is None:
        for table in Table.objects.filter(status="open"):
            play_table(table.pk)
        kills += step_killed_everywhere(tournament)
        clock.wait(6)
    assert kills > 80
    assert sorted(entrant.prize for entrant in tournament.entrants.all()) == [0, 0, 160, 240]
    assert audit().differences == []


def test_a_kill_anywhere_in_a_pairing_changes_nothing(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, **ARENA)
    entered(tournament, 4)
    clock.wait(60)
    assert step_killed_everywhere(tournament) > 3
    assert step_killed_everywhere(tournament) > 15
    assert Table.objects.filter(tournament_id=tournament.pk).count() == 1


def test_a_kill_anywhere_in_a_cancellation_refunds_nothing_by_halves(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, least=3, entry=100)
    entered(tournament, 2)
    clock.wait(60)
    assert step_killed_everywhere(tournament) > 5
    assert tournament.status == Tournament.Status.CANCELLED
    assert audit().differences == []


def test_steps_that_come_twice_or_an_hour_late_do_nothing(clock: Clock) -> None:
    tournament = opened(clock, entry=100)
    entered(tournament, 6)
    play_on(clock, tournament)
    before = stored(tournament)
    clock.wait(3_600)
    assert not steps.step(tournament.pk)
    assert stored(tournament) == before


def test_a_frozen_table_keeps_its_chips_and_the_round_goes_on(clock: Clock) -> None:
    tournament = opened(clock, most=4, seats=2, go_on=1, deals=2)
    entered(tournament, 4)
    while steps.step(tournament.pk):
        pass
    clock.wait(6)
    frozen = Table.objects.filter(tournament_id=tournament.pk).order_by("pk")[0]
    play_table(frozen.pk)
    staff.freeze_table(table_id=frozen.pk, reason="somebody complained", actor=PLATFORM)
    chips = dict(Entrant.objects.filter(table_id=frozen.pk).values_list("pk", "chips"))
    assert sorted(chips.values()) != [160, 160]
    play_on(clock, tournament)
    winner, loser = sorted(chips, key=lambda pk: -chips[pk])
    assert Entrant.objects.get(pk=loser).chips == chips[loser] and Entrant.objects.get(pk=loser).round == 1
    assert Entrant.objects.get(pk=winner).round == 2
    assert audit().differences == []


def test_the_end_of_an_arena_is_put_off_by_an_outage(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, **ARENA)
    entered(tournament, 3)
    clock.wait(60)
    steps.step(tournament.pk)
    tournament.refresh_from_db()
    ends = tournament.ends_ms or 0
    Outage.objects.create(began_ms=clock.now + 10_000, ended_ms=clock.now + 310_000)
    clock.wait(320)
    steps.step(tournament.pk)
    tournament.refresh_from_db()
    assert tournament.ends_ms == ends + 300_000


def test_an_arena_whose_time_ended_in_an_outage_is_played_on(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, **ARENA)
    entered(tournament, 3)
    clock.wait(60)
    while steps.step(tournament.pk):
        pass
    tournament.refresh_from_db()
    ends = tournament.ends_ms or 0
    [table] = Table.objects.filter(tournament_id=tournament.pk)
    # Nobody serves from a minute and a half before its end to ten minutes after it.
    clock.now = ends + 600_000
    Outage.objects.create(began_ms=ends - 90_000, ended_ms=clock.now)
    steps.step(tournament.pk)
    tournament.refresh_from_db()
    assert (tournament.status, tournament.ends_ms) == ("running", clock.now + 90_000)
    # The table gives its start back, too.
    for seconds in (3, 11):
        clock.wait(seconds)
        play_table(table.pk)
    services.presence.note_alive(*(entrant.user_id or 0 for entrant in tournament.entrants.all()))
    clock.wait(6)
    steps.step(tournament.pk)
    assert Table.objects.filter(tournament_id=tournament.pk).count() == 2, "they are paired in the time given back"
    play_on(clock, tournament)
    assert tournament.over_ms is not None and tournament.over_ms >= ends + 690_000
    assert audit().differences == []


def test_a_break_between_two_rounds_that_ended_in_an_outage_is_had_afterwards(clock: Clock) -> None:
    tournament = opened(clock, most=4, seats=2, go_on=1, deals=1)
    entered(tournament, 4)
    play_round(clock, tournament)
    next_ms = tournament.next_ms or 0
    assert tournament.round == 1 and next_ms == clock.now + moments.BREAK_MS
    Outage.objects.create(began_ms=clock.now + 5_000, ended_ms=clock.now + 305_000)
    clock.wait(305)
    assert not steps.step(tournament.pk)
    tournament.refresh_from_db()
    assert (tournament.round, tournament.next_ms) == (1, next_ms + 300_000)
    clock.wait(10)
    assert steps.step(tournament.pk)
    tournament.refresh_from_db()
    assert tournament.round == 2


def test_a_pause_and_an_outage_within_it_are_given_back_once(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now, **ARENA)
    entered(tournament, 2)
    steps.step(tournament.pk)
    tournament.refresh_from_db()
    ends = tournament.ends_ms or 0
    acts.pause(tournament_id=tournament.pk, reason="a look", actor=PLATFORM)
    Outage.objects.create(began_ms=clock.now + 10_000, ended_ms=clock.now + 60_000)
    clock.wait(100)
    acts.resume(tournament_id=tournament.pk, reason="well", actor=PLATFORM)
    tournament.refresh_from_db()
    assert tournament.ends_ms == ends + 100_000


def test_a_start_that_fell_into_a_pause_comes_a_minute_after_it(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, **ARENA)
    entered(tournament, 2)
    acts.pause(tournament_id=tournament.pk, reason="a look", actor=PLATFORM)
    clock.wait(100)
    acts.resume(tournament_id=tournament.pk, reason="well", actor=PLATFORM)
    assert not steps.step(tournament.pk)
    tournament.refresh_from_db()
    assert (tournament.status, tournament.starts_ms) == ("open", clock.now + moments.RECOVERY_MS)


def test_somebody_is_removed_once_and_not_after_they_withdrew(clock: Clock) -> None:
    tournament = opened(clock, entry=100, most=4, computers_after=30)
    withdrawn, removed = entered(tournament, 2)
    services.withdraw_entry(tournament_id=tournament.pk, user=withdrawn.user)
    acts.remove_entrant(entrant_id=removed.pk, reason="a cheat", actor=PLATFORM)
    for entrant in (withdrawn, removed):
        with pytest.raises(TableError) as refused:
            acts.remove_entrant(entrant_id=entrant.pk, reason="a cheat", actor=PLATFORM)
        assert refused.value.code == "wrong_phase"
    tournament.refresh_from_db()
    assert tournament.entered == 0
    clock.wait(31)
    # Nobody is left, so no computer player comes.
    assert not steps.step(tournament.pk)
    assert audit().differences == []


def test_who_was_removed_before_the_start_gets_no_entry_back_and_does_not_return(clock: Clock) -> None:
    tournament = opened(clock, entry=100, most=4)
    cheat, _ = entered(tournament, 2)
    acts.remove_entrant(entrant_id=cheat.pk, reason="a cheat", actor=PLATFORM)
    for ask in (services.withdraw_entry, services.enter):
        with pytest.raises(TableError) as refused:
            ask(tournament_id=tournament.pk, user=cheat.user)
        assert refused.value.code == "already_entered"
    tournament.refresh_from_db()
    assert tournament.entered == 1 and spendable(cheat.user_id or 0, "FUN") == 9_900
    assert audit().differences == []


def test_somebody_is_removed_whose_table_is_behind_its_clock(clock: Clock) -> None:
    tournament = opened(clock, entry=100, most=3, deals=1)
    cheat, *_ = entered(tournament, 3)
    while steps.step(tournament.pk):
        pass
    clock.wait(6)
    acts.remove_entrant(entrant_id=cheat.pk, reason="a cheat", actor=PLATFORM)
    play_on(clock, tournament)
    assert sorted(entrant.place or 0 for entrant in tournament.entrants.all()) == [0, 1, 2]
    assert audit().differences == []


def test_a_start_that_fell_into_an_outage_comes_a_minute_after_it(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, **ARENA)
    entered(tournament, 2)
    Outage.objects.create(began_ms=clock.now + 50_000, ended_ms=clock.now + 100_000)
    clock.wait(100)
    assert not steps.step(tournament.pk)
    tournament.refresh_from_db()
    assert (tournament.status, tournament.starts_ms) == ("open", clock.now + moments.RECOVERY_MS)


@pytest.mark.parametrize("by", ["outage", "pause"])
def test_one_that_should_have_opened_and_begun_meanwhile_can_still_be_entered(clock: Clock, by: str) -> None:
    template = Template.objects.create(**ARENA, active=False)
    tournament = offers.make_tournament(template, starts_ms=clock.now + 60_000, opens_ms=clock.now)
    if by == "pause":
        acts.pause(tournament_id=tournament.pk, reason="a look", actor=PLATFORM)
    else:
        Outage.objects.create(began_ms=clock.now, ended_ms=clock.now + 100_000)
    clock.wait(100)
    if by == "pause":
        acts.resume(tournament_id=tournament.pk, reason="well", actor=PLATFORM)
    while steps.step(tournament.pk):
        pass
    tournament.refresh_from_db()
    assert (tournament.status, tournament.starts_ms) == ("open", clock.now + moments.RECOVERY_MS)
    entered(tournament, 2)
    clock.wait(60)
    steps.step(tournament.pk)
    tournament.refresh_from_db()
    assert tournament.status == "running"


def test_who_is_absent_is_dropped_at_each_deal_until_they_come_back(clock: Clock) -> None:
    tournament = opened(clock, most=3, deals=6)
    absent, *_ = entered(tournament, 3)
    while steps.step(tournament.pk):
        pass
    [table] = Table.objects.filter(tournament_id=tournament.pk)
    Entrant.objects.filter(pk=absent.pk).update(automatic=3)
    for deals, seconds in ((1, 6), (2, 16)):
        clock.wait(seconds)
        # Where both others drop before them, they win without a turn.
        play_table(table.pk, drops=False)
        dropped = table.seatings.get(entrant_id=absent.pk).deals.filter(outcome="dropped", points=20)
        assert dropped.count() == deals
    services.come_back(tournament_id=tournament.pk, user=absent.user)
    clock.wait(16)
    play_table(table.pk)
    assert table.seatings.get(entrant_id=absent.pk).deals.order_by("-pk")[0].outcome != ""
    assert Entrant.objects.get(pk=absent.pk).automatic == 0


def test_three_automatic_turns_in_a_row_make_absent(clock: Clock) -> None:
    tournament = opened(clock, most=2, deals=6)
    entered(tournament, 2)
    while steps.step(tournament.pk):
        pass
    [table] = Table.objects.filter(tournament_id=tournament.pk)
    for _ in range(120):
        clock.wait(4)
        play.tick(table_id=table.pk, by_server=True)
        if Entrant.objects.filter(automatic__gte=3).exists():
            break
    assert Entrant.objects.filter(automatic__gte=3).exists()
    assert store.read_table(table.pk).row.status == Table.Status.OPEN


def all_absent_but_for_a_turn(clock: Clock, rules: dict[str, Any]) -> Table:
    """Let three play a turn each at one table, and then nobody, until the platform is to play the last one's third."""
    if "starts_ms" in rules:
        rules = {**rules, "starts_ms": clock.now}
    tournament = opened(clock, **rules)
    entered(tournament, 3)
    while steps.step(tournament.pk):
        pass
    clock.wait(6)
    [table] = Table.objects.filter(tournament_id=tournament.pk)
    with changing(table.pk):
        locked = store.lock_table(table.pk)
        run_overdue_clocks(locked)
        for _ in range(3):
            turn = frames.view(locked, 0)["deal"]["turn_seat"]
            for _ in ("draw", "discard"):
                advance(locked, protocol.to_move(protocol.read_frame(waits(frames.view(locked, turn)) or {}), turn))
        finish(locked)
    # Nine turns of half a minute, each with its extra time.
    for _ in range(2 * 9 - 1):
        clock.wait(31)
        play.tick(table_id=table.pk, by_server=True)
    clock.wait(31)
    return table


def another_is_back(table: Table, clock: Clock) -> None:
    turn = frames.view(store.read_table(table.pk), 0)["deal"]["turn_seat"]
    table.seatings.exclude(seat=turn).update(seen_ms=clock.now, connection="back")


@pytest.mark.parametrize("rules", [{"most": 3, "deals": 6}, {**ARENA, "starts_ms": 1}], ids=["knock-out", "arena"])
@pytest.mark.parametrize("connected", [False, True])
def test_a_deal_that_nobody_plays_any_more_ends_with_the_third_turn_of_the_last(
    clock: Clock, rules: dict[str, Any], connected: bool
) -> None:
    """By middle drops, and not after ten turns of each; it goes on where one of them is back at the table."""
    table = all_absent_but_for_a_turn(clock, rules)
    if connected:
        another_is_back(table, clock)
    play.tick(table_id=table.pk, by_server=True)
    assert {entrant.automatic for entrant in Entrant.objects.all()} == {3}
    over = Deal.objects.filter(match__table=table, status=Deal.Status.OVER)
    assert over.exists() is not connected
    if not connected:
        assert sorted(over.get().seats.values_list("outcome", "points")) == [
            ("dropped", 40), ("dropped", 40), ("won", 0),
        ]  # fmt: skip


def test_nobody_who_is_back_is_dropped_as_the_time_of_an_outage_is_given_back(clock: Clock) -> None:
    """No socket has lived through it: whoever has one again before the clock ends plays on."""
    table = all_absent_but_for_a_turn(clock, {"most": 3, "deals": 6})
    another_is_back(table, clock)
    play.tick(table_id=table.pk, by_server=True)
    Outage.objects.create(began_ms=clock.now, ended_ms=clock.now + 60_000)
    clock.wait(61)
    play.tick(table_id=table.pk, by_server=True)
    view = frames.view(store.read_table(table.pk), 0)
    assert view["phase"] == "playing" and view["clock"]["remaining_ms"] >= 10_000
    clock.wait(31)
    another_is_back(table, clock)
    play.tick(table_id=table.pk, by_server=True)
    assert store.read_table(table.pk).state.phase == "playing"


def test_computers_fill_what_is_left_after_the_time_that_is_said(clock: Clock) -> None:
    tournament = opened(clock, computers_after=30)
    entered(tournament, 1)
    clock.wait(29)
    assert not steps.step(tournament.pk)
    clock.wait(1)
    play_on(clock, tournament)
    assert tournament.entrants.filter(user=None).count() == 5
    assert {entrant.place for entrant in tournament.entrants.all()} <= set(range(1, 7))
    assert audit().differences == []
