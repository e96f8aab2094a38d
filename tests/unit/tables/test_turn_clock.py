"""The clock of a turn: its end, late nudges, and what comes before and after the deadline."""

import pytest

from tables.play import services as play, store
from tests.support.clock import Clock
from tests.support.tables import Client

pytestmark = pytest.mark.django_db


def test_the_turn_ends_by_the_rules_after_sixty_seconds(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    clock.wait(29.9)
    play.tick(table_id=first.table)
    assert first.view()["clock"]["kind"] == "turn"
    clock.wait(0.1)
    play.tick(table_id=first.table)
    assert first.view()["clock"]["kind"] == "extra"
    clock.wait(30)
    play.tick(table_id=first.table)
    assert first.view()["phase"] == "result"
    assert first.view()["result"]["rows"][0]["outcome"] in {"dropped", "won"}


def test_a_late_nudge_costs_nobody_time_twice(duel: tuple[Client, Client], clock: Clock) -> None:
    """The extra time runs from the end of the turn, not from the moment of the nudge."""
    first, _ = duel
    clock.wait(30.9)
    play.tick(table_id=first.table)
    assert first.view()["clock"]["remaining_ms"] == 29_100


def test_a_deadline_that_fell_into_an_outage_gets_a_grace_instead(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    clock.wait(120)
    play.tick(table_id=first.table)
    running = first.view()["clock"]
    assert (running["kind"], running["remaining_ms"]) == ("turn", 10_000)
    assert first.send("draw", pile="closed")["type"] == "ack"


def test_a_move_after_the_deadline_comes_too_late(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    clock.wait(30)
    play.tick(table_id=first.table)
    clock.wait(30)
    answer = first.send("draw", pile="closed")
    assert answer["type"] == "error"
    assert first.view()["phase"] == "result"


def test_ticks_before_the_deadline_change_nothing(duel: tuple[Client, Client]) -> None:
    first, _ = duel
    before = store.version(first.table)
    for _ in range(5):
        play.tick(table_id=first.table)
    assert store.version(first.table) == before
