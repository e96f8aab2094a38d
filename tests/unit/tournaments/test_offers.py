"""Tournaments that templates offer: always one to enter, and at the times that they name."""

from datetime import UTC, datetime, time

import pytest

from tables.models import Template, Tournament
from tables.tournaments import offers, steps
from tests.support.clock import Clock
from tests.support.tournaments import ARENA, KNOCKOUT, entered

pytestmark = pytest.mark.django_db


def at(*moment: int) -> int:
    return int(datetime(*moment, tzinfo=UTC).timestamp() * 1000)


def starts() -> list[int | None]:
    return list(Tournament.objects.order_by("pk").values_list("starts_ms", flat=True))


def test_a_fresh_sit_and_go_opens_when_one_begins(clock: Clock) -> None:
    Template.objects.create(**KNOCKOUT)
    for _ in range(3):
        steps.make_due_steps()
    [first] = Tournament.objects.all()
    entered(first, 6)
    steps.make_due_steps()
    steps.make_due_steps()
    assert list(Tournament.objects.order_by("pk").values_list("number", "status")) == [(1, "running"), (2, "open")]


def test_an_arena_is_there_for_the_next_half_hour(clock: Clock) -> None:
    Template.objects.create(**ARENA, schedule=Template.Schedule.HALF_HOURLY)
    for moment in (at(2027, 1, 4, 10, 1), at(2027, 1, 4, 10, 29), at(2027, 1, 4, 10, 30)):
        offers.ensure_offered(moment)
    assert starts() == [at(2027, 1, 4, 10, 30), at(2027, 1, 4, 11)]


def test_every_day_at_eight_in_the_evening_in_india(clock: Clock) -> None:
    Template.objects.create(**KNOCKOUT, schedule=Template.Schedule.WEEKLY, at=time(20, 0))
    for hour in range(0, 48, 3):
        offers.ensure_offered(at(2027, 1, 4) + hour * 3_600_000)
    assert starts() == [at(2027, 1, day, 14, 30) for day in (4, 5, 6)]


def test_only_on_the_days_of_the_week_that_it_names(clock: Clock) -> None:
    Template.objects.create(**KNOCKOUT, schedule=Template.Schedule.WEEKLY, at=time(20, 0), weekdays="5")
    for day in range(4, 12):
        offers.ensure_offered(at(2027, 1, day))
    assert starts() == [at(2027, 1, 9, 14, 30)]
