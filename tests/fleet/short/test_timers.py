"""A short race of players and clocks, and workers whose own clocks are wrong."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
import time_machine

from rules import game
from rules.game.moves import Expire
from tables import tasks
from tables.models import LoggedEvent, ServerHeartbeat, Table
from tables.play import services as play, store
from tables.play.advance import advance
from tables.play.fast import moves
from tests.fleet import timers
from tests.fleet.operations import duel
from tests.support.world import World, isolated_world

pytestmark = [pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tables.play.broadcast.send", lambda group, message: None)
    monkeypatch.setattr("tables.play.clocks._nudge", lambda table_id, delay: None)


def test_a_turn_ends_once_by_the_player_or_by_the_clock() -> None:
    faults: list[str] = []
    figures = timers.races(1, 12, faults)
    assert faults == []
    assert figures["turns"] == figures.get("acts", 0) + figures.get("expired", 0) > 0


def test_eight_sweepers_and_five_nudges_at_once_run_each_clock_out_once() -> None:
    faults: list[str] = []
    assert timers.at_once(6, faults) == {"due at once": 6, "doubled": 0, "errors": 0}
    assert faults == []


def test_the_harness_sees_a_sweep_that_comes_too_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the sweep first runs after five seconds."""
    sweep = timers._sweep_each_second

    def sleeper(over: threading.Event) -> None:
        over.wait(5)
        sweep(over)

    monkeypatch.setattr(timers, "_sweep_each_second", sleeper)
    faults: list[str] = []
    figures = timers.lateness(2, faults)
    assert figures["late p99 ms"] > 2_000
    assert faults == [f"one clock in a hundred was seen only {figures['late p99 ms']} ms late"]


@pytest.mark.parametrize("minutes", [-5, 5])
def test_a_worker_whose_clock_is_wrong_lets_no_clock_run_out_early_or_late(minutes: int) -> None:
    table = duel_on_the_real_clock()
    before = store.now_ms()
    with time_machine.travel(before / 1000 + 60 * minutes):
        assert abs(store.now_ms() - before) < 60_000, "the clock of the database is its own"
        for _ in range(5):
            play.tick(table_id=table)
        tasks.sweep()
    assert not LoggedEvent.objects.filter(table=table, kind__in=("extra_time_began", "clock_credited")).exists()


def duel_on_the_real_clock() -> int:
    return timers._duel(timers.Clocks(start_two=1))[0].table


def test_the_checker_of_races_sees_a_clock_that_runs_out_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: a player who acts a tenth of a second before the deadline is treated as late."""
    apply: Callable[..., Any] = game.apply

    def hasty(state: Any, move: Any, now: int) -> Any:
        return apply(state, move, now + 100 if isinstance(move, Expire) else now)

    faults: list[str] = []
    with isolated_world() as world:
        mover, _ = duel(world)
        mover.send("draw", pile="closed")
        wait_for_the_end(world, mover.table)
        play.tick(table_id=mover.table)
        monkeypatch.setattr(game, "apply", hasty)
        monkeypatch.setattr(moves, "QUICK", frozenset())  # the fast way runs no clock
        monkeypatch.setattr(play, "run_overdue_clocks", lambda table: advance(table, Expire()))
        wait_for_the_end(world, mover.table, but=60)
        mover.send("discard", card=mover.me["drawn"])
        assert timers._turns_of(mover.table, faults) == {"turns": 1, "expired": 1}
    assert len(faults) == 1 and "expired 60 ms early" in faults[0]


def wait_for_the_end(world: World, table: int, but: int = 0) -> None:
    """Move the world's clock to `but` ms before the table's deadline, with the platform up all the time."""
    world.clock.now = timers._deadline(table) - but
    ServerHeartbeat.objects.update(at_ms=world.clock.now)


def test_a_sweep_at_an_act_that_is_not_due_changes_nothing() -> None:
    with isolated_world() as world:
        clients = duel(world)
        version = Table.objects.get(pk=clients[0].table).version
        for _ in range(3):
            tasks.sweep()
            play.tick(table_id=clients[0].table)
        assert Table.objects.get(pk=clients[0].table).version == version
