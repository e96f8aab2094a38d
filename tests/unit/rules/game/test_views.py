"""The views: in the shape of tables/PROTOCOL.md, with nothing unseen and no field that was not listed."""

import dataclasses
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from rules.cards import face
from rules.game import view_for
from rules.game.state import TableState
from rules.game.views import (
    NAMELESS,
    own_facts,
    own_view,
    public_view,
    seat_facts,
    seat_view,
    shapes,
    table_facts,
    table_view,
    views_for,
)
from rules.game.views.names import PartOf
from rules.text import Message
from tables.simulation.checks import cards_in
from tests.support.positions import COUNT, positions
from tests.support.sampling import one_of_each
from tests.unit.rules.game.hands import GOOD, PURE, RAGS, SHOW
from tests.unit.rules.game.play import deal, play, seated


@pytest.mark.parametrize("key", one_of_each(["standard-pool-101", "standard-points", "standard-blind"]))
def test_a_view_is_of_its_type_whatever_happens(key: str) -> None:
    """Key by key: exactly those in `shapes`, each with a value of its type."""
    for state, _ in positions(key, players=3, count=COUNT):
        for viewer in (0, 1, None):
            assert_is(view_for(state, viewer, 0), shapes.View, "view")


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of views, one for each of the `seats`, and the facts that it is said to depend on."""

    seats: tuple[Any, ...]
    facts: Callable[[TableState, Any], Any]
    view: Callable[[TableState, Any], object]


IN_TOURNAMENT = NAMELESS._replace(part_of=PartOf(7, "Evening", 1, 3, 36, None, {0: 4, 1: 5}))

PARTS = {
    "own": Part(
        (0, 1, 2, None),
        lambda state, viewer: own_facts(state, viewer, NAMELESS),
        lambda state, viewer: own_view(state, viewer, public_view(state, 0, NAMELESS), NAMELESS),
    ),
    "seat": Part(
        (0, 1, 2),
        lambda state, seat: seat_facts(state, seat, NAMELESS),
        lambda state, seat: seat_view(state, seat, NAMELESS),
    ),
    "table": Part((None,), lambda state, _: table_facts(state, NAMELESS), lambda state, _: table_view(state, NAMELESS)),
    "own of a tournament": Part(
        (0, 1, 2, None),
        lambda state, viewer: own_facts(state, viewer, IN_TOURNAMENT),
        lambda state, viewer: own_view(state, viewer, public_view(state, 0, IN_TOURNAMENT), IN_TOURNAMENT),
    ),
    "table of a tournament": Part(
        (None,), lambda state, _: table_facts(state, IN_TOURNAMENT), lambda state, _: table_view(state, IN_TOURNAMENT)
    ),
}


def changed_unseen(key: str, part: Part) -> tuple[int, int]:
    """Return how many views of the part its facts called unchanged, and how many of those had changed."""
    unchanged = wrong = 0
    last: dict[Any, tuple[object, object]] = {}
    for state, _ in positions(key, players=3, count=COUNT):
        for seat in part.seats:
            now = part.facts(state, seat), part.view(state, seat)
            before = last.get(seat)
            if before is not None and before[0] == now[0]:
                unchanged, wrong = unchanged + 1, wrong + (before[1] != now[1])
            last[seat] = now
    return unchanged, wrong


def test_who_plays_a_tournament_sees_their_own_place_and_who_watches_none() -> None:
    table = deal("standard-points", [GOOD, PURE], cut="9S")
    views = views_for(table.state, (0, 1, None), 0, IN_TOURNAMENT)
    shown = {viewer: view["table"]["tournament"] for viewer, view in views.items()}
    assert {viewer: part and part["place"] for viewer, part in shown.items()} == {0: 4, 1: 5, None: None}
    assert all(part and (part["places"], part["round"], part["deal"]) == (36, 1, None) for part in shown.values())
    for view in views.values():
        assert_is(view, shapes.View, "view")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("key", ["standard-points", "standard-blind", "standard-pool-101"])
def test_where_the_facts_of_a_part_are_as_they_were_the_part_is(key: str, part: str) -> None:
    unchanged, wrong = changed_unseen(key, PARTS[part])
    assert unchanged > 50 and wrong == 0


@pytest.mark.parametrize(
    ("part", "key", "forgotten"),
    [
        pytest.param("own", "standard-points", {3}, id="their hand"),
        pytest.param("own", "standard-points", {4}, id="their turn"),
        pytest.param("seat", "standard-points", {2}, id="their hand in public"),
        pytest.param("table", "standard-pool-101", {1, 2}, id="the match and who sits"),
    ],
)
def test_facts_of_which_one_is_forgotten_keep_a_part_that_has_changed(part: str, key: str, forgotten: set[int]) -> None:
    """Planted fault."""

    def facts(state: TableState, seat: Any) -> object:
        return [fact for place, fact in enumerate(PARTS[part].facts(state, seat)) if place not in forgotten]

    assert changed_unseen(key, dataclasses.replace(PARTS[part], facts=facts))[1] > 0


def test_a_part_that_says_more_or_less_is_not_of_its_type() -> None:
    view: Any = deal("standard-points", [GOOD, PURE], cut="9S").view(0)
    for spoilt in (
        {**view, "seed": "00"},
        {**view, "deal": {**view["deal"], "closed": []}},
        {**view, "seats": [{"seat": 0}]},
        {**view, "deal": {**view["deal"], "discards": [{"seat": 0, "card": None, "picked_by": None}]}},
        {**view, "phase": "elsewhere"},
        {**view, "me": {**view["me"], "points": "2"}},
    ):
        with pytest.raises(AssertionError):
            assert_is(spoilt, shapes.View, "view")


def assert_is(value: Any, kind: Any, where: str) -> None:
    """Check that `value` has this type of `shapes`, at every depth."""
    origin, arguments = get_origin(kind), get_args(kind)
    if is_typeddict(kind):
        required, hints = _keys(kind)
        assert isinstance(value, dict) and required <= set(value) <= set(hints), (where, value)
        for name, item in value.items():
            assert_is(item, hints[name], f"{where}.{name}")
    elif origin is Union or origin is UnionType:
        assert any(_is(value, one, where) for one in arguments), (where, value)
    elif origin is list:
        assert type(value) is list, (where, value)
        for item in value:
            assert_is(item, arguments[0], f"{where}[]")
    elif origin is dict:
        assert type(value) is dict, (where, value)
        for name, item in value.items():
            assert_is(name, arguments[0], where)
            assert_is(item, arguments[1], f"{where}[]")
    elif origin is Literal:
        assert value in arguments, (where, value)
    elif kind is str:
        # A sentence of the rules remembers what it was made of.
        assert type(value) in (str, Message), (where, value)
    else:
        assert type(value) is kind, (where, value)


@cache
def _keys(kind: type[Any]) -> tuple[set[str], dict[str, Any]]:
    """Return the keys that must be there, and the type of each that may."""
    parts = get_type_hints(kind, include_extras=True)
    return {name for name, part in parts.items() if get_origin(part) is not NotRequired}, get_type_hints(kind)


def _is(value: Any, kind: Any, where: str) -> bool:
    try:
        assert_is(value, kind, where)
    except AssertionError:
        return False
    return True


def test_one_who_watches_has_no_me_and_sees_no_hand() -> None:
    table = deal("standard-points", [GOOD, PURE], upcard="9C", cut="9S")
    assert table.view(None)["me"] is None and table.view(7)["me"] is None
    assert {face(card) for card in cards_in(table.view(None))} == {"9C", "9S"}


def test_free_seats_are_those_that_may_be_taken_now() -> None:
    """At a table for points also during a deal; none once a match with a pot has begun."""
    points, pool = (deal(key, [GOOD, PURE], cut="9S", seats=3) for key in ("standard-points", "standard-pool-101"))
    assert (points.view(None)["free_seats"], pool.view(None)["free_seats"]) == ([2], [])


def test_the_price_of_leaving_now() -> None:
    table = deal("standard-points", [GOOD, PURE, RAGS], cut="9S", closed="10H")
    assert (table.view(0)["me"]["points"], table.view(0)["me"]["valid"]) == (80, False)
    play(table, f"arrange {SHOW}")
    assert (table.view(0)["me"]["points"], table.view(0)["me"]["valid"]) == (2, True)
    play(table, "draw closed")
    assert table.view(0)["me"]["valid"], "the fourteenth card may go"
    me = table.view(1)["me"]
    assert (me["drop_points"], me["drop_costs"], me["leave_points"], me["leave_costs"]) == (20, 200, 80, 800)
    play(table, f"finish 10H; submit {SHOW}")
    assert table.view(0)["me"]["points"] == 0


def test_the_view_tells_when_to_drop_is_cheaper_than_to_leave_and_when_it_ends_the_match() -> None:
    """Dearer to leave at once: in points, on one's own turn in the first round. A pool's limit ends the match."""
    table = deal("standard-points", [GOOD, PURE, RAGS], cut="9S", closed="10H")
    assert [table.view(seat)["me"]["drop_spares"] for seat in range(3)] == [True, False, False]
    play(table, "draw closed")
    assert table.view(0)["me"]["drop_spares"] is False, "who has drawn cannot drop"
    pool = deal("standard-pool-101", [GOOD, PURE, RAGS], cut="9S")
    assert [pool.view(0)["me"][key] for key in ("drop_eliminates", "drop_spares")] == [False, False]
    at = [replace(each, total=total) for each, total in zip(pool.state.seats, (80, 81, 61), strict=True)]
    pool.state = replace(pool.state, seats=tuple(at))
    assert [pool.view(seat)["me"]["drop_eliminates"] for seat in range(3)] == [False, True, False]


def test_the_view_tells_what_a_show_would_cost() -> None:
    """For each card that may go to the finish slot: no objection or every reason, and the price of a wrong show."""
    table = deal("standard-points", [GOOD, PURE], cut="9S", closed="10H")
    play(table, f"arrange {SHOW}")
    me = table.view(0)["me"]
    assert (me["fault"], me["fault_without"]) == (None, None)
    assert (me["wrong_show_points"], me["wrong_show_costs"]) == (80, 800)
    play(table, "draw closed")
    by_card = {face(card): fault for card, fault in table.view(0)["me"]["fault_without"].items()}
    assert len(table.view(0)["me"]["fault_without"]) == 14
    assert by_card.pop("10H") is None
    assert all("A card lies in no group." in str(fault) for fault in by_card.values())
    assert table.view(1)["me"]["fault_without"] is None, "only whose turn it is"
    assert table.view(1)["me"]["fault"] == "There is no pure sequence. 13 cards lie in no group."
    play(table, "finish 10H")
    me = table.view(0)["me"]
    assert (me["fault"], me["fault_without"], me["valid"]) == (None, None, True)


def test_positions_reach_the_interesting_phases() -> None:
    phases = {state.phase.value for state, _ in positions("standard-points", players=3, count=COUNT)}
    assert {"playing", "melding", "result"} <= phases


def test_remaining_time_never_runs_below_zero() -> None:
    table = deal("standard-points", [GOOD, PURE])
    clock = table.state.clock
    assert clock is not None
    late = view_for(replace(table.state), 0, clock.deadline + 5_000)
    assert late["clock"]["remaining_ms"] == 0


def test_the_toss_is_shown_with_the_deal_that_began_with_it() -> None:
    """A match with a pot tosses once, points before every deal."""
    for key, each_deal in (("standard-pool-101", False), ("standard-points", True)):
        table = seated(key, 2, stack=10_000 if each_deal else None)
        play(table, "timeout")
        assert [toss["seat"] for toss in table.view(None)["deal"]["toss"]] == [0, 1]
        play(table, "drop; 0: continue; 1: continue; timeout" if each_deal else "drop; timeout")
        assert table.view(None)["deal"]["number"] == 2
        assert bool(table.view(None)["deal"]["toss"]) is each_deal
