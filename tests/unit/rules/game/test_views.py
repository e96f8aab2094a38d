"""What comes out: the shape of contracts.md, nothing unseen, nothing that was not named."""

import dataclasses
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest

from rules.books import BOOKS, book
from rules.cards import face, ordered_shoe
from rules.game import events as e
from rules.game.codec import canonical, dump_event, dump_state, load_event, load_state
from rules.game.engine import redact, view_for
from rules.game.state import TableState
from tables.simulation import run as simulation
from tables.simulation.checks import Eyes, cards_in
from tests.unit.rules.game.play import deal, play
from tests.unit.rules.game.test_melding import GOOD, PURE, RAGS, SHOW

COUNT = 140
"""Transitions of a simulated game that are looked at: they reach melding and result."""

KEYS = {
    "table": "id title book family currency seats point_value entry prize fee_percent clocks",
    "deal": "id number commitment cut_joker wild_rank closed_count open_top discards first_seat dealer_seat turn_seat "
    "turn_number finish_card toss",
    "me": "seat hand drawn groups kinds reasons loose valid fault fault_without "
    "wrong_show_points points moves pickable_open sort_used auto_drop "
    "drop_points leave_points leave_costs",
    "clock": "kind seat deadline remaining_ms length_ms",
    "result": "deal winner rows next_in",
}
SEAT_KEYS = "seat name bot connected status stack total drops_left rejoins ready cards misses auto"
ROW_KEYS = "seat outcome groups kinds loose points amount total"


def test_a_view_has_exactly_its_keys() -> None:
    table = deal("standard-points", [GOOD, PURE], cut="9S", closed="10H")
    view = table.view(0)
    assert set(view) == {
        "table", "phase", "melding_by", "deal", "next_deal", "seats", "me", "clock", "prompt", "result",
        "accounts",
    }  # fmt: skip
    play(table, f"draw closed; finish 10H; submit {SHOW}; 1: submit")
    view = table.view(0)
    for part, keys in KEYS.items():
        assert set(view[part]) == set(keys.split()), part
    assert set(view["seats"][0]) == set(SEAT_KEYS.split())
    assert set(view["result"]["rows"][0]) == set(ROW_KEYS.split())


def test_one_who_watches_has_no_me_and_sees_no_hand() -> None:
    table = deal("standard-points", [GOOD, PURE], upcard="9C", cut="9S")
    assert table.view(None)["me"] is None and table.view(7)["me"] is None
    assert {face(card) for card in cards_in(table.view(None))} == {"9C", "9S"}


def test_what_one_would_pay_now() -> None:
    table = deal("standard-points", [GOOD, PURE, RAGS], cut="9S", closed="10H")
    assert (table.view(0)["me"]["points"], table.view(0)["me"]["valid"]) == (80, False)
    play(table, f"arrange {SHOW}")
    assert (table.view(0)["me"]["points"], table.view(0)["me"]["valid"]) == (2, True)
    play(table, "draw closed")
    assert table.view(0)["me"]["valid"], "the fourteenth card may go"
    me = table.view(1)["me"]
    assert (me["drop_points"], me["leave_points"], me["leave_costs"]) == (20, 80, 800)
    play(table, f"finish 10H; submit {SHOW}")
    assert table.view(0)["me"]["points"] == 0


def test_what_a_show_would_come_to_stands_in_the_view() -> None:
    """By each card that may go to the finish slot: nothing against it, or every reason; and what a wrong one costs."""
    table = deal("standard-points", [GOOD, PURE], cut="9S", closed="10H")
    play(table, f"arrange {SHOW}")
    me = table.view(0)["me"]
    assert (me["fault"], me["fault_without"], me["wrong_show_points"]) == (None, None, 80)
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


def test_in_blind_a_discard_is_its_owners_alone() -> None:
    table = deal("standard-blind", [GOOD, PURE], cut="9S", closed="10H")
    play(table, "draw closed; discard 10H")
    for viewer in (0, 1, None):
        assert table.view(viewer)["deal"]["discards"] == [
            {"seat": 0, "card": None, "picked_by": None, "reshuffled": False}
        ]
        assert table.view(viewer)["deal"]["open_top"] is None and not cards_in(table.view(viewer)["deal"]) - {"9S1"}
    discarded = table.find(e.CardDiscarded)
    assert "card" in (redact(discarded, 0) or {}) and "card" not in (redact(discarded, 1) or {})


@pytest.mark.parametrize(
    "event, for_others",
    [
        (e.HandArranged(seat=0, groups=(("2C1",),)), None),
        (e.AutoDropSet(seat=0, on=True), None),
        (e.ClientSeedAdded(seat=0, seed="00"), None),
        (e.DealPrepared(deal_id="d", seed="00", commitment="c"), {"deal_id": "d", "commitment": "c"}),
        (e.ClosedDeckReshuffled(number=1, count=1, cards=("2C1",)), {"number": 1, "count": 1}),
        (
            e.CardDrawn(seat=0, pile=e.deal.Pile.CLOSED, card="2C1", by=e.By.PLAYER),
            {"seat": 0, "pile": "closed", "by": "player"},
        ),
        (
            e.CardDrawn(seat=0, pile=e.deal.Pile.OPEN, card="2C1", by=e.By.PLAYER),
            {"seat": 0, "pile": "open", "by": "player", "card": "2C1"},
        ),
    ],
)
def test_events_show_others_what_they_may_see(event: e.Event, for_others: dict[str, Any] | None) -> None:
    expected = None if for_others is None else {"type": event.name, **for_others}
    assert redact(event, 1) == redact(event, None) == expected


def test_the_seed_and_the_stock_are_in_no_redacted_event() -> None:
    for kind in e.EVENTS.values():
        for viewer in (0, None):
            named = set(_fields_ever_visible(kind, viewer))
            assert not named & {"seed", "closed", "hands", "clients", "cards"} or kind is e.TossMade
            assert named <= {field.name for field in dataclasses.fields(kind)}


def _fields_ever_visible(kind: type[e.Event], viewer: int | None) -> tuple[str, ...]:
    return kind.public + (kind.own if viewer is not None else ())


# --- a secret field planted everywhere --------------------------------------------------------------------------------

SECRET = "tell-nobody"


def with_secrets(value: Any) -> Any:
    """The same value with a secret field in every frozen value inside it."""
    if isinstance(value, tuple):
        return tuple(with_secrets(item) for item in value)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    parts = {field.name: with_secrets(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return _with_secret_field(type(value))(**parts)


@cache
def _with_secret_field(kind: type[Any]) -> type[Any]:
    return dataclasses.make_dataclass(
        kind.__name__, [("secret", str, SECRET)], bases=(kind,), frozen=True, kw_only=True
    )


@pytest.mark.parametrize("key", ["standard-points", "standard-pool-101"])
def test_a_new_field_of_any_value_is_in_no_view(key: str) -> None:
    seen = 0
    for state, _ in positions(key, players=3, count=COUNT):
        planted = with_secrets(state)
        assert SECRET in repr(planted)
        for viewer in (0, 1, 2, None):
            view = canonical(view_for(planted, viewer, 0))
            assert SECRET.encode() not in view and view == canonical(view_for(state, viewer, 0))
            seen += 1
    assert seen > 300


def test_nor_in_any_redacted_event() -> None:
    for _, events in positions("standard-pool-101", players=3, count=COUNT):
        for event in events:
            for viewer in (0, 1, 2, None):
                assert SECRET.encode() not in canonical(redact(with_secrets(event), viewer))


# --- the swap test ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["standard-points", "standard-blind", "standard-pool-101"])
def test_unseen_cards_may_change_places_and_no_byte_of_a_view_changes(key: str) -> None:
    """Invariant H-3. What a viewer may know is told by the oracle that the simulation uses, not by the views."""
    rng, swapped_cards = Random(4), 0
    eyes = Eyes(3)
    for state, events in positions(key, players=3, count=COUNT):
        for event in events:
            eyes._learn(event, face_down=not book(key).open_pile)
        if state.deal is None:
            continue
        for viewer in (0, 1, 2, None):
            swap = permutation(sorted(set(ordered_shoe(state.deal.packs)) - eyes._known[viewer]), rng)
            swapped_cards += sum(card != other for card, other in swap.items())
            other = load_state(renamed(dump_state(state), swap))
            assert canonical(view_for(other, viewer, 0)) == canonical(view_for(state, viewer, 0))
            for event in events:
                twin = load_event(renamed(dump_event(event), swap))
                assert canonical(redact(twin, viewer)) == canonical(redact(event, viewer))
    assert swapped_cards > 1_000


def permutation(cards: list[str], rng: Random) -> dict[str, str]:
    """Jokers and all: who does not see a card does not know what it is."""
    shuffled = list(cards)
    rng.shuffle(shuffled)
    return dict(zip(cards, shuffled, strict=True))


def renamed(record: Any, swap: dict[str, str]) -> Any:
    if isinstance(record, dict):
        return {key: renamed(value, swap) for key, value in record.items()}
    if isinstance(record, list):
        return [renamed(value, swap) for value in record]
    return swap.get(record, record) if isinstance(record, str) else record


@cache
def positions(key: str, *, players: int, count: int) -> list[tuple[TableState, tuple[e.Event, ...]]]:
    """So many transitions of a simulated game: the state after each, and its events."""
    taken: list[tuple[TableState, tuple[e.Event, ...]]] = []

    class Enough(Exception):
        pass

    def take(table: Any, transition: Any) -> None:
        original(table, transition)
        taken.append((transition.after, transition.events))
        if len(taken) >= count:
            raise Enough

    original = simulation.SimulatedTable._take
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulation.SimulatedTable, "_take", take)
        with pytest.raises(Enough):
            simulation.run(book=BOOKS[key], players=players, matches=10_000, seed=11)
    return taken


def test_positions_reach_the_interesting_phases() -> None:
    phases = {state.phase.value for state, _ in positions("standard-points", players=3, count=COUNT)}
    assert {"playing", "melding", "result"} <= phases


def test_remaining_time_never_runs_below_zero() -> None:
    table = deal("standard-points", [GOOD, PURE])
    clock = table.state.clock
    assert clock is not None
    late = view_for(replace(table.state), 0, clock.deadline + 5_000)
    assert late["clock"]["remaining_ms"] == 0
