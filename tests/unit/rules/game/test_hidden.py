"""What a viewer may not see is in no view and in no redacted event, whatever it is."""

import dataclasses
from functools import cache
from random import Random
from typing import Any

import pytest

from rules.books import book
from rules.cards import ordered_shoe
from rules.game import events as e, redact, view_for
from rules.game.codec import canonical, dump_event, dump_state, load_event, load_state
from rules.game.views.redaction import is_own
from tables.simulation.checks import Eyes, cards_in
from tests.support.positions import COUNT, positions
from tests.unit.rules.game.hands import GOOD, PURE
from tests.unit.rules.game.play import deal, play


def test_in_blind_a_discard_is_its_owners_alone() -> None:
    table = deal("standard-blind", [GOOD, PURE], cut="9S", closed="10H")
    play(table, "draw closed; discard 10H")
    for viewer in (0, 1, None):
        assert table.view(viewer)["deal"]["discards"] == [{"seat": 0, "card": None}]
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


def test_others_see_of_an_event_what_one_who_watches_sees() -> None:
    """So it is made and encoded once for all of them."""
    looked_at = 0
    for key in ("standard-points", "standard-blind", "standard-pool-101"):
        for event in (event for _, events in positions(key, players=3, count=COUNT) for event in events):
            for viewer in (0, 1, 2):
                assert is_own(event, viewer) or redact(event, viewer) == redact(event, None)
                looked_at += not is_own(event, viewer)
    assert looked_at > 1_000


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
    """Return the value with a secret field in every frozen value inside it."""
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
    """Invariant H-3. What a viewer may know comes from the oracle of the simulation, not from the views."""
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
    """Permute the cards, jokers included: a viewer who does not see a card does not know what it is."""
    shuffled = list(cards)
    rng.shuffle(shuffled)
    return dict(zip(cards, shuffled, strict=True))


def renamed(record: Any, swap: dict[str, str]) -> Any:
    if isinstance(record, dict):
        return {key: renamed(value, swap) for key, value in record.items()}
    if isinstance(record, list):
        return [renamed(value, swap) for value in record]
    return swap.get(record, record) if isinstance(record, str) else record
