"""The frames of a table: what is the same for all is made and encoded once, and nobody's frame differs for it."""

import json
from typing import Any
from unittest.mock import patch

import pytest

from rules.game.views import redact
from rules.game.views.sentences import in_words
from tables.models import Table
from tables.play import frames, store
from tests.support.tables import Client

pytestmark = pytest.mark.django_db


def as_json(content: Any) -> Any:
    return json.loads(json.dumps(content))


def test_the_frames_are_the_views_and_events_of_their_seats(duel: tuple[Client, Client]) -> None:
    duel[0].send("draw", pile="closed")
    table = store.look(duel[0].table)
    table.events = [store.read_event(row) for row in table.row.events.order_by("version", "number")]
    for seat in (0, 1, None):
        frame = json.loads(frames.state_frame(table, seat))
        names, wild = frames.names_of(table).players, table.state.current.wild
        shown = (redact(event, seat) for event in table.events)
        said = [in_words(event, names, reader=seat, wild=wild) for event in shown if event is not None]
        assert frame["events"] == as_json(said)
        assert frame["view"] == as_json(frames.view(table, seat))
        assert (frame["type"], frame["version"], frame["now"]) == ("state", table.state.version, table.now)


def test_what_all_see_is_made_and_encoded_once_for_everybody(duel: tuple[Client, Client]) -> None:
    table = store.look(duel[0].table)
    with (
        patch.object(frames, "public_view", wraps=frames.public_view) as made,
        patch.object(frames, "part_bytes", wraps=frames.part_bytes) as encoded,
        patch.object(frames, "own_view", wraps=frames.own_view) as own,
    ):
        everybody = frames.frames(table)
    assert (made.call_count, encoded.call_count, own.call_count) == (1, 1, 3)
    assert set(everybody) == {*(str(each.user_id) for each in table.seatings.values()), frames.WATCHERS}
    for client in duel:
        assert json.loads(frames.frame_of(client.user.pk, everybody))["view"] == client.view()


def test_only_the_players_are_told_the_code_of_a_private_table(duel: tuple[Client, Client]) -> None:
    Table.objects.update(private_code="SECRET")
    table = store.look(duel[0].table)
    assert "SECRET" in frames.state_frame(table, 0) and "SECRET" not in frames.state_frame(table, None)


def test_what_is_as_it_was_is_not_encoded_again_and_what_has_changed_is(duel: tuple[Client, Client]) -> None:
    duel[0].send("draw", pile="closed")
    table = store.look(duel[0].table)
    frames.frames(table)
    with patch.object(frames, "_encode", wraps=frames._encode) as encode:
        frames.frames(table)
    assert encode.call_count == 1, "the head alone"
    duel[0].send("discard", card=duel[0].me["drawn"])
    later = store.look(duel[0].table)
    later.encoded = table.encoded
    assert frames.frames(later) == frames.frames(store.look(duel[0].table))
