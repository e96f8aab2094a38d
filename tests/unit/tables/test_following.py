"""Another process follows a move by its message, without the database, and has exactly the stored table."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.play import frames, store
from tables.play.fast import following, live
from tests.support.tables import Client

pytestmark = pytest.mark.django_db(transaction=True)

Sent = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def news(duel: tuple[Client, Client], sent: Sent) -> list[dict[str, Any]]:
    """Return the messages about two moves, sent by a process that remembers the table before them."""
    before = store.read_table(duel[0].table)
    sent.clear()
    duel[0].send("draw", pile="closed")
    duel[0].send("discard", card=duel[0].me["drawn"])
    live.forget_all()
    live.keep(before)
    return [message for _, message in sent if message["type"] == "table.state"]


def test_a_follower_has_the_stored_table_and_its_frames_without_queries(
    duel: tuple[Client, Client], news: list[dict[str, Any]]
) -> None:
    with CaptureQueriesContext(connection) as queries:
        followed = [following.follow_move(duel[0].table, message) for message in news]
        frames_of_followers = [frames.frames(table) for table in followed if table is not None]
    assert not queries.captured_queries and len(frames_of_followers) == 2
    in_memory, stored = live.find(duel[0].table), store.read_table(duel[0].table)
    assert in_memory is not None and in_memory.state == stored.state
    assert (in_memory.row.version, in_memory.row.deadline_ms) == (stored.row.version, stored.row.deadline_ms)
    assert [dict(each) for each in frames_of_followers] == [message["frames"] for message in news]


def test_a_table_is_read_again_after_a_gap(duel: tuple[Client, Client], news: list[dict[str, Any]]) -> None:
    table, guess = duel[0].table, live.find(duel[0].table)
    assert following.follow_move(table, news[1]) is None, "one is missing"
    assert following.follow_move(table, {**news[0], "rows": []}) is None, "a change that was made under the lock"
    assert following.follow_move(table + 1, news[0]) is None
    assert live.find(table) is guess


def test_events_that_are_not_sealed_for_this_place_change_nothing(
    duel: tuple[Client, Client], news: list[dict[str, Any]]
) -> None:
    table, guess = duel[0].table, live.find(duel[0].table)
    at_ms, payload = news[0]["rows"][0]
    for forged in (news[1]["rows"], [(at_ms, payload[:-1] + bytes([payload[-1] ^ 1]))], [(at_ms, "zz")], [at_ms]):
        assert following.follow_move(table, {**news[0], "rows": forged}) is None
    assert live.find(table) is guess
