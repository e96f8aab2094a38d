"""What the view of a tournament's table says of it, and in which order entrants stand."""

import json
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from django.core.exceptions import SynchronousOnlyOperation
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings, strategies as st

from rules.tournaments import Showing, placed
from tables.models import Entrant, Seating, Table, Tournament, TournamentKind
from tables.play import frames, store
from tables.play.frames import names
from tables.standings import standing, standings_of
from tests.support.tables import Client

pytestmark = pytest.mark.django_db


def tournament(kind: str = TournamentKind.KNOCKOUT, **columns: Any) -> Tournament:
    return Tournament.objects.create(
        **{"title": "Evening", "kind": kind, "book": "standard-points", "opens_ms": 0, "status": "running", **columns}
    )


def entrant(of: Tournament, **columns: Any) -> Entrant:
    return Entrant.objects.create(**{"tournament": of, "name": "somebody", **columns})


@pytest.fixture
def in_tournament(duel: tuple[Client, Client]) -> Tournament:
    """Make the duel's table one of the second of three rounds: the player in the first seat leads, a third is out."""
    of = tournament(round=2, rounds=3, entered=3)
    entrant(of, round=1, chips=900)
    Table.objects.filter(pk=duel[0].table).update(tournament_id=of.pk, round=2)
    for seating, chips in zip(Seating.objects.order_by("seat"), (80, 60), strict=True):
        seating.entrant_id = entrant(of, user=seating.user, round=2, chips=chips).pk
        seating.save()
    names._parts.clear()
    return of


def shown(table: store.LockedTable, seat: int | None) -> dict[str, Any]:
    frame = json.loads(frames.shown_frame(table, seat).text)
    view: dict[str, Any] = frame["view"]["table"]["tournament"]
    return view


def test_each_player_sees_the_round_and_their_own_place(in_tournament: Tournament, duel: tuple[Client, Client]) -> None:
    table = store.read_table(duel[0].table)
    expected = {
        "id": in_tournament.pk,
        "title": "Evening",
        "round": 2,
        "rounds": 3,
        "deal": None,
        "deals": None,
        "place": 1,
        "places": 3,
        "ends_at": None,
        "automatic": False,
        "paused": False,
    }
    assert shown(table, 0) == expected
    assert shown(table, 1) == {**expected, "place": 2}
    assert shown(table, None) == {**expected, "place": None}


def test_who_was_away_is_told_that_they_are_dropped(in_tournament: Tournament, duel: tuple[Client, Client]) -> None:
    Entrant.objects.filter(chips=60).update(automatic=3)
    table = store.read_table(duel[0].table)
    assert [shown(table, seat)["automatic"] for seat in (0, 1, None)] == [False, True, False]


def test_no_move_of_a_deal_reads_the_places_again(in_tournament: Tournament, duel: tuple[Client, Client]) -> None:
    frames.frames(store.read_table(duel[0].table))
    with CaptureQueriesContext(connection) as queries:
        duel[0].send("draw", pile="closed")
    assert not [query for query in queries if "tables_entrant" in query["sql"]]


def test_the_loop_reads_nothing_and_shows_what_is_known(in_tournament: Tournament, duel: tuple[Client, Client]) -> None:
    table = store.read_table(duel[0].table)
    with patch.object(names, "_read_part", side_effect=SynchronousOnlyOperation):
        assert frames.names_of(table).part_of is None
    known = frames.names_of(table).part_of
    table.state = replace(table.state, deals=table.state.deals + 1)
    with patch.object(names, "_read_part", side_effect=SynchronousOnlyOperation):
        assert frames.names_of(table).part_of == known is not None


def test_a_table_of_no_tournament_says_so(duel: tuple[Client, Client]) -> None:
    assert shown(store.read_table(duel[0].table), 0) is None


COUNTS = st.tuples(st.integers(1, 3), st.integers(0, 3), st.integers(0, 1), st.integers(0, 1))


@given(st.lists(COUNTS, min_size=1, max_size=8))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_database_ranks_as_the_rules_do(db: None, rows: list[tuple[int, int, int, int]]) -> None:
    of = tournament()
    made = [
        entrant(of, round=number, chips=chips, deals_won=won, points_lost=lost) for number, chips, won, lost in rows
    ]
    rules = placed([Showing(each.pk, *row) for each, row in zip(made, rows, strict=True)])
    ordered = list(standing(of))
    assert [each.pk for each in ordered] == [showing.entry for _, showing in rules]
    places = standings_of(of.pk)
    assert [places.place_of(each) for each in ordered] == [place for place, _ in rules]


def test_who_withdrew_or_was_removed_stands_nowhere() -> None:
    of = tournament()
    kept = [entrant(of, status=status, chips=chips) for chips, status in enumerate(("left", "out", "in"))]
    for status in ("removed", "withdrawn"):
        entrant(of, status=status, chips=99)
    assert [each.pk for each in standing(of)] == [each.pk for each in reversed(kept)]


def test_in_an_arena_nobody_has_a_place_before_the_least_number_of_deals() -> None:
    of = tournament(TournamentKind.ARENA, least_deals=3)
    few, many = entrant(of, deals=2, chips=500), entrant(of, deals=3, chips=10)
    ordered = list(standing(of))
    assert [each.pk for each in ordered] == [many.pk, few.pk]
    assert [standings_of(of.pk).place_of(each) for each in ordered] == [1, None]
