"""The fleet of tournaments in its short form; RUMMY_FLEET_SEATS names another number of seats."""

import os

import pytest

from tests.fleet.tournaments import play_fleet
from tests.support.clock import Clock, replaced_clock
from tests.support.tournaments import ARENA

pytestmark = pytest.mark.django_db

SEATS = int(os.environ.get("RUMMY_FLEET_SEATS", "36"))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr("tables.play.clocks._nudge", lambda table_id, delay: None)
    monkeypatch.setattr("tables.play.broadcast.send", lambda group, message: None)
    return replaced_clock(monkeypatch)


def test_a_knock_out_of_many_seats_is_played_under_the_nemesis(clock: Clock) -> None:
    tournament = play_fleet(clock, seed=1, seats=SEATS)
    assert sorted(set(tournament.entrants.values_list("place", flat=True)))[0] == 1
    assert not tournament.entrants.filter(place=None).exists()


def test_an_arena_of_many_seats_is_played_under_the_nemesis(clock: Clock) -> None:
    tournament = play_fleet(clock, seed=2, seats=SEATS // 2, **{**ARENA, "minutes": 2})
    assert sum(each.chips - 1_000 * (1 + each.refilled) for each in tournament.entrants.all()) == 0
