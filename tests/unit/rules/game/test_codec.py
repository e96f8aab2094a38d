"""The one serialiser: plain, versioned, the same bytes everywhere."""

import json

import pytest

from rules.cards import ordered_shoe
from rules.game.codec import (
    FORMAT,
    BadRecord,
    canonical,
    dump_event,
    dump_state,
    dump_terms,
    load_event,
    load_state,
    load_terms,
)
from rules.game.events import EVENTS
from tests.unit.rules.game.play import dealt, play, terms


def test_a_state_survives_its_bytes() -> None:
    table = dealt("standard-points", 3)
    play(table, "sort; draw closed; 1: auto_drop on")
    stored = canonical(dump_state(table.state))
    assert load_state(json.loads(stored)) == table.state
    assert canonical(dump_state(load_state(json.loads(stored)))) == stored


def test_of_each_card_there_is_one_text_however_many_states_are_read() -> None:
    stored = canonical(dump_state(dealt("standard-points", 3).state))
    shoe = ordered_shoe(2)
    texts = {id(card) for card in shoe}
    for _ in range(2):
        read = load_state(json.loads(stored)).current
        assert {id(card) for hand in read.hands if hand for card in hand.cards} < texts
        assert {id(card) for card in read.closed} < texts


def test_every_event_of_a_game_survives_its_bytes() -> None:
    table = dealt("standard-points", 3)
    play(table, "drop; draw closed; timeout; timeout; drop")
    for events in table.log:
        for event in events:
            assert load_event(json.loads(canonical(dump_event(event)))) == event


def test_every_kind_of_event_has_a_name_and_a_coder() -> None:
    assert EVENTS and all(name == kind.name for name, kind in EVENTS.items())
    for kind in EVENTS.values():
        with pytest.raises(BadRecord):
            load_event({"format": FORMAT, "type": kind.name, "nonsense": 1})


def test_terms_survive() -> None:
    of = terms("standard-points", 6, maximum=5_000)
    assert load_terms(dump_terms(of)) == of


@pytest.mark.parametrize(
    "change",
    [
        {"format": FORMAT + 1},
        {"format": None},
        {"phase": "dancing"},
        {"version": "7"},
        {"version": True},
        {"seats": None},
        {"extra": 1},
        {"clock": {"kind": "turn"}},
    ],
)
def test_an_unreadable_record_is_refused(change: dict[str, object]) -> None:
    record = dump_state(dealt("standard-points", 2).state) | change
    with pytest.raises(BadRecord):
        load_state(record)


def test_a_missing_key_is_refused() -> None:
    record = dump_state(dealt("standard-points", 2).state)
    del record["result"]
    with pytest.raises(BadRecord):
        load_state(record)


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(BadRecord):
        load_event({"format": FORMAT, "type": "card_eaten"})


def test_canonical_bytes_do_not_depend_on_the_order_of_keys() -> None:
    assert canonical({"b": 1, "a": [True, None, "é"]}) == '{"a":[true,null,"é"],"b":1}'.encode()
