"""The frames of a table: common parts are made and encoded once, and nobody's frame differs because of it."""

import json
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import pytest
from django.utils import translation

from rules.game.events import By, CardDiscarded, CardDrawn, ClosedDeckReshuffled, TurnBegan
from rules.game.moves import Pile
from rules.game.state import Clock, ClockKind, TableState
from rules.game.views import redact
from rules.game.views.sentences import in_words
from tables.models import Table
from tables.play import frames, services as play, store
from tables.play.frames import encoder
from tests.support.clock import Clock as DatabaseClock
from tests.support.tables import Client, read_event, seated_at

pytestmark = pytest.mark.django_db


def as_json(content: Any) -> Any:
    return json.loads(json.dumps(content))


def test_the_frames_are_the_views_and_events_of_their_seats(duel: tuple[Client, Client]) -> None:
    duel[0].send("draw", pile="closed")
    table = store.read_table(duel[0].table)
    table.events = [read_event(row) for row in table.row.events.order_by("version", "number")]
    for seat in (0, 1, None):
        frame = json.loads(frames.shown_frame(table, seat).text)
        names, wild = frames.names_of(table).players, table.state.current.wild
        visible = (redact(event, seat) for event in table.events)
        sentences = [in_words(event, names, reader=seat, wild=wild) for event in visible if event is not None]
        assert frame["events"] == as_json(sentences)
        assert frame["view"] == as_json(frames.view(table, seat))
        assert (frame["type"], frame["version"], frame["now"]) == ("state", table.state.version, table.now)


def test_the_public_part_is_made_and_encoded_once_for_everybody(duel: tuple[Client, Client]) -> None:
    table = store.read_table(duel[0].table)
    with (
        patch.object(encoder, "public_view", wraps=encoder.public_view) as public_view,
        patch.object(encoder, "own_view", wraps=encoder.own_view) as own,
    ):
        everybody = frames.frames(table)
    assert (public_view.call_count, own.call_count) == (1, 3)
    assert set(everybody) == {*(str(each.user_id) for each in table.seatings.values()), frames.WATCHERS}
    assert len({id(public) for _, public, _ in everybody.values()}) == 1, "and it is one object in all frames"
    for client in duel:
        assert json.loads(b"".join(frames.frame_of(client.user.pk, everybody)))["view"] == client.view()


def test_a_frame_in_english_is_the_same_in_a_thread_that_reads_hindi(duel: tuple[Client, Client]) -> None:
    """The fast way encodes it without asking for the active language."""
    duel[0].send("draw", pile="closed")
    table, again = store.read_table(duel[0].table), store.read_table(duel[0].table)
    again.now = table.now
    with translation.override("hi"):
        hindi, english = frames.shown_frame(again, 0, language="hi").text, frames.shown_frame(again, 0).text
    assert english == frames.shown_frame(table, 0).text != hindi


@pytest.mark.parametrize("first_seat_last", [False, True])
def test_who_left_a_deal_and_sits_down_anew_is_shown_the_new_seat(
    first_seat_last: bool, clock: DatabaseClock, table: Callable[..., Table]
) -> None:
    """Until the deal has ended they hold both, and the database gives them in no order."""
    place = table(seats=4)
    asha, *_ = seated_at(place, "asha", "ravi", "meena", amount=800)
    clock.wait(30)
    play.tick(table_id=place.pk)
    asha.send("leave")
    play.sit(table_id=place.pk, user=asha.user, seat=3)
    now = store.read_table(place.pk)
    now.seatings = dict(sorted(now.seatings.items(), reverse=first_seat_last))
    shown = frames.frame_of(asha.user.pk, frames.frames(now))
    assert json.loads(b"".join(shown))["view"] == asha.view() == as_json(frames.view(now, 3))


def test_only_the_players_are_told_the_code_of_a_private_table(duel: tuple[Client, Client]) -> None:
    Table.objects.update(private_code="SECRET")
    table = store.read_table(duel[0].table)
    assert "SECRET" in frames.shown_frame(table, 0).text and "SECRET" not in frames.shown_frame(table, None).text


def test_only_changed_parts_are_encoded_again(duel: tuple[Client, Client]) -> None:
    duel[0].send("draw", pile="closed")
    table = store.read_table(duel[0].table)
    frames.frames(table)
    with patch.object(encoder.orjson, "dumps", wraps=encoder.orjson.dumps) as encode:
        frames.frames(table)
    assert encode.call_count == 1, "the head alone"
    duel[0].send("discard", card=duel[0].me["drawn"])
    later = store.read_table(duel[0].table)
    later.encoded = table.encoded
    assert frames.frames(later) == frames.frames(store.read_table(duel[0].table))


def _states(state: TableState) -> Iterator[TableState]:
    """Yield states with new discards, one that is picked up, the reshuffle of the others, and the next discard."""
    hand, seat = state.current.hand(0), 0
    for card in hand.cards[:3]:
        state = CardDiscarded(seat=seat, card=card, by=By.PLAYER, face_down=False).fold(state)
        yield state
    state = TurnBegan(seat=1, number=9, clock=Clock(kind=ClockKind.TURN, seat=1, deadline=9, length=9)).fold(state)
    state = CardDrawn(seat=1, pile=Pile.OPEN, card=hand.cards[2], by=By.PLAYER).fold(state)
    yield state
    state = ClosedDeckReshuffled(number=1, count=1, cards=hand.cards[:1]).fold(state)
    yield state
    yield CardDiscarded(seat=1, card=hand.cards[2], by=By.PLAYER, face_down=False).fold(state)


def test_a_cached_part_takes_no_more_memory_than_its_length(duel: tuple[Client, Client]) -> None:
    table = store.read_table(duel[0].table)
    tracemalloc.start()
    try:
        length = sum(len(b"".join(pieces)) for pieces in frames.frames(table).values())
        taken = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, encoder.__file__)])
    finally:
        tracemalloc.stop()
    assert sum(trace.size for trace in taken.traces) < 2 * length


def test_discards_that_were_encoded_before_are_shown_as_they_are_now(duel: tuple[Client, Client]) -> None:
    table = store.read_table(duel[0].table)
    frames.frames(table)
    for state in _states(table.state):
        table.state = state
        discards = json.loads(frames.shown_frame(table, None).text)["view"]["deal"]["discards"]
        assert discards == as_json(frames.view(table, None))["deal"]["discards"]
