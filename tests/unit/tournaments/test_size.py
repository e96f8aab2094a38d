"""An arena and a knock-out of thousands begin within seconds: tables are opened, and written, many at once."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.models import Entrant, Seating, Table
from tables.tournaments import steps
from tests.support.clock import Clock
from tests.support.tournaments import ARENA, opened

pytestmark = pytest.mark.django_db


def filled(clock: Clock, number: int, **rules: object) -> int:
    """Open a tournament with so many computer players, which begins now; return its id."""
    tournament = opened(clock, starts_ms=clock.now + 60_000, **{**rules, "most": 5_000})
    Entrant.objects.bulk_create(Entrant(tournament=tournament, name=f"computer {each}") for each in range(number))
    type(tournament).objects.filter(pk=tournament.pk).update(entered=number)
    clock.wait(60)
    return tournament.pk


@pytest.mark.parametrize("rules", [ARENA, {}], ids=["arena", "knock-out"])
def test_tables_are_opened_with_as_few_statements_for_many_as_for_few(clock: Clock, rules: dict[str, object]) -> None:
    counts = []
    for number in (60, 180):
        tournament = filled(clock, number, **rules)
        before = Seating.objects.count()
        with CaptureQueriesContext(connection) as queries:
            while steps.step(tournament):
                pass
        seated = Seating.objects.count() - before
        assert seated == number
        tables = Table.objects.filter(tournament_id=tournament).count()
        counts.append(len(queries) - 6 * tables)
    assert counts[1] <= counts[0] + 12  # The statements of one table for its chips, and of another transaction.
