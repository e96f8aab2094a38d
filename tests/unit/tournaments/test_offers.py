"""Tournaments that templates offer: always one to enter, and at the times that they name."""

from datetime import UTC, datetime, time

import pytest

from rules.game import Terms
from tables.errors import TableError
from tables.models import Table, Template, Tournament
from tables.play.opening import TOO_MANY_FROZEN, open_table
from tables.tournaments import offers, staff, steps
from tests.support.clock import Clock
from tests.support.tournaments import ARENA, KNOCKOUT, entered, opened
from wallet.audit_log.services import PLATFORM

pytestmark = pytest.mark.django_db


def at(*moment: int) -> int:
    return int(datetime(*moment, tzinfo=UTC).timestamp() * 1000)


def starts() -> list[int | None]:
    return list(Tournament.objects.order_by("pk").values_list("starts_ms", flat=True))


def test_a_fresh_sit_and_go_opens_when_one_begins(clock: Clock) -> None:
    Template.objects.create(**KNOCKOUT)
    for _ in range(3):
        steps.make_due_steps(clock.now)
    [first] = Tournament.objects.all()
    entered(first, 6)
    steps.make_due_steps(clock.now)
    steps.make_due_steps(clock.now)
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


UNPLAYABLE = [
    ({"entry": 100, "prizes": []}, "these shares are 0 percent"),
    ({"entry": 100, "prizes": [50, 30]}, "these shares are 80 percent"),
    ({"book": "of-an-earlier-version"}, "There is no rule book"),
    ({"book": "standard-points"}, "a knock-out one of deals"),
    ({"book": "standard-deals-3"}, "of deals for chips"),
    ({"book": "standard-deals-2", "seats": 2}, "for three players or more"),
    ({**ARENA, "book": "standard-pool-101"}, "An arena takes a book of points"),
]


@pytest.mark.parametrize(("rules", "said"), UNPLAYABLE)
def test_a_template_of_which_nothing_can_be_played_is_not_offered_and_holds_nothing_up(
    clock: Clock, rules: dict[str, object], said: str
) -> None:
    """An earlier version may have stored it: what else is offered goes on."""
    template = Template.objects.create(**{**KNOCKOUT, **rules, "title": "Broken"})
    Template.objects.create(**KNOCKOUT)
    with pytest.raises(TableError, match=said):
        offers.make_tournament(template, starts_ms=None, opens_ms=clock.now)
    waiting = opened(clock, most=2, deals=1)
    entered(waiting, 2)
    assert steps.make_due_steps(clock.now) == 2
    assert sorted(Tournament.objects.values_list("title", "status")) == [("Evening", "open"), ("Evening", "running")]


def test_nobody_enters_a_tournament_of_a_book_that_is_out_of_order(clock: Clock) -> None:
    tournament = opened(clock)
    for _ in range(TOO_MANY_FROZEN):
        terms = Terms(book=tournament.book, book_version=tournament.book_version, seats=2, point_value=0, entry=100)
        table = open_table(terms=terms, title="Frozen", currency="FUN")
        Table.objects.filter(pk=table.pk).update(status=Table.Status.FROZEN, fault="a fault")
    with pytest.raises(TableError) as refused:
        entered(tournament, 1)
    assert refused.value.code == "book_suspended"


def test_nobody_enters_a_running_arena_that_staff_have_paused(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, **ARENA)
    entered(tournament, 3)
    clock.wait(60)
    steps.step(tournament.pk)
    entered(tournament, 1)
    staff.pause(tournament_id=tournament.pk, reason="looks odd", actor=PLATFORM)
    with pytest.raises(TableError) as refused:
        entered(tournament, 1)
    assert refused.value.code == "entry_closed"
    staff.resume(tournament_id=tournament.pk, reason="it was nothing", actor=PLATFORM)
    entered(tournament, 1)
    tournament.refresh_from_db()
    assert tournament.entered == 5
