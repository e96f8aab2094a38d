"""An arena and a knock-out of thousands begin within seconds: tables are opened, and written, many at once."""

from dataclasses import replace

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from tables import standings
from tables.models import DealSeat, Entrant, Seating, Table
from tables.play import services as play, store
from tables.play.entrants import ARENA_CHIPS
from tables.standings import ABSENT_AFTER
from tables.tournaments import staff, steps
from tests.support.clock import Clock
from tests.support.tournaments import ARENA, opened, play_table
from wallet.audit.audit import audit
from wallet.audit_log.services import PLATFORM
from wallet.base.errors import KeyReused
from wallet.base.places import PostingPlace
from wallet.models import Posting, Reason, Transfer
from wallet.play_money import tournaments

pytestmark = pytest.mark.django_db


def filled(clock: Clock, number: int, **rules: object) -> int:
    """Open a tournament with so many computer players, which begins now; return its id."""
    tournament = opened(clock, starts_ms=clock.now + 60_000, **{**rules, "most": 5_000})
    Entrant.objects.bulk_create(Entrant(tournament=tournament, name=f"computer {each}") for each in range(number))
    type(tournament).objects.filter(pk=tournament.pk).update(entered=number)
    clock.wait(60)
    return tournament.pk


@pytest.mark.parametrize("rules", [ARENA, {}], ids=["arena", "knock-out"])
def test_many_tables_are_opened_and_dealt_with_as_few_statements_as_few(clock: Clock, rules: dict[str, object]) -> None:
    opening, dealing = [], []
    for number in (60, 180):
        tournament = filled(clock, number, **rules)
        before = Seating.objects.count()
        with CaptureQueriesContext(connection) as queries:
            while steps.step(tournament):
                pass
        seated = Seating.objects.count() - before
        assert seated == number
        tables = Table.objects.filter(tournament_id=tournament)
        # SQLite, of which nobody expects thousands, writes the chips of each table by two statements of its own.
        opening.append(len(queries) - (2 * tables.count() if connection.vendor == "sqlite" else 0))
        clock.wait(6)
        with CaptureQueriesContext(connection) as queries:
            assert play.deal_or_else(list(tables.values_list("pk", flat=True)), by_server=True) == []
        assert set(tables.values_list("phase", "deal__status")) == {("playing", "playing")}
        assert DealSeat.objects.filter(deal__match__table__tournament_id=tournament).count() == number
        dealing.append(len(queries))
    for counts in (opening, dealing):
        assert counts[1] <= counts[0] + 4, counts  # Rows of which so many fit into a statement.
    assert audit().differences == []


def test_where_somebody_is_away_or_unheard_a_table_is_dealt_at_by_itself(clock: Clock) -> None:
    tournament = filled(clock, 24, **ARENA)
    while steps.step(tournament):
        pass
    away, frozen, *others = Table.objects.filter(tournament_id=tournament).order_by("pk")
    Entrant.objects.filter(table_id=away.pk).update(automatic=ABSENT_AFTER)
    Table.objects.filter(pk=frozen.pk).update(status=Table.Status.FROZEN, fault="a fault")
    ids = [table.pk for table in (away, frozen, *others)]
    assert play.deal_or_else(ids, by_server=True) == ids, "the start is not over"
    clock.wait(6)
    assert play.deal_or_else(ids, by_server=True) == [away.pk, frozen.pk]
    play.tick(table_id=away.pk, by_server=True)
    away.refresh_from_db()
    assert away.phase != "starting" and audit().differences == []


def test_tables_that_another_process_deals_at_are_left_to_it(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = filled(clock, 24, **ARENA)
    while steps.step(tournament):
        pass
    clock.wait(6)
    ids = list(Table.objects.filter(tournament_id=tournament).order_by("pk").values_list("pk", flat=True))
    lock_free_tables = store.lock_free_tables
    monkeypatch.setattr(store, "lock_free_tables", lambda ids, known: lock_free_tables(ids[1:], known))
    assert play.deal_or_else(ids, by_server=True) == []
    assert Table.objects.filter(pk__in=ids, phase="starting").get().pk == ids[0], "as if it were locked"


def test_standings_are_followed_by_reading_only_who_has_changed(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standings, "FEW", 0)
    monkeypatch.setattr(standings, "FRESH_FOR", 0.0)
    tournament = filled(clock, 60, **{**ARENA, "least_deals": 1})
    while steps.step(tournament):
        pass
    first = standings.standings_of(tournament)
    clock.wait(6)
    table, other, *_ = Table.objects.filter(tournament_id=tournament).order_by("pk").values_list("pk", flat=True)
    for each in (table, other):
        play_table(each)
    removed = Entrant.objects.filter(table_id=other).order_by("pk")[0]
    staff.remove_entrant(entrant_id=removed.pk, reason="a cheat", actor=PLATFORM)
    with CaptureQueriesContext(connection) as queries:
        followed = standings.standings_of(tournament)
    assert "changed_ms" in queries[-1]["sql"].partition("WHERE")[2]
    assert (followed.version - first.version, len(followed.order)) == (11, 59)
    standings._standings.clear()
    assert replace(standings.standings_of(tournament), read_at=followed.read_at) == followed


def test_chips_are_issued_once_however_many_tables_are_opened(clock: Clock) -> None:
    tournament = filled(clock, 60, **ARENA)
    while steps.step(tournament):
        pass
    posted = Posting.objects.filter(reason=Reason.CHIPS_ISSUED)
    tables = Table.objects.filter(tournament_id=tournament)
    assert sorted(posted.values_list("key", flat=True)) == sorted(f"table:{table.pk}:chips" for table in tables)
    assert set(Transfer.objects.filter(posting__in=posted).values_list("amount", flat=True)) == {ARENA_CHIPS}
    place = PostingPlace(table=tables[0].pk, title="", book="standard-points", stake=None)
    stacks = {Seating.objects.filter(table=tables[0]).order_by("pk")[0].pk: ARENA_CHIPS}
    with pytest.raises((KeyReused, IntegrityError)), transaction.atomic():
        key = f"table:{tables[0].pk}:chips"
        tournaments.issue_chips(tournament=tournament, tables={key: (stacks, place)})
    assert audit().differences == []
