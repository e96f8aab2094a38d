"""Another process follows a move by its message, without the database, and has exactly the stored table."""

from dataclasses import replace

import msgpack
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.play import broadcast, frames, store
from tables.play.broadcast import TableMessage
from tables.play.fast import table_cache
from tests.support.tables import Client

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def news(duel: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch) -> list[TableMessage]:
    """Return the messages about two moves, sent by a process that remembers the table before them."""
    before = store.read_table(duel[0].table)
    sent: list[broadcast.Announcement] = []
    monkeypatch.setattr(broadcast, "send", lambda group, message: sent.append(message))
    duel[0].send("draw", pile="closed")
    duel[0].send("discard", card=duel[0].me["drawn"])
    table_cache.evict_all()
    table_cache.put(before)
    return [message for message in sent if isinstance(message, TableMessage)]


def of_another_process(message: TableMessage) -> TableMessage:
    """Return the message as the channel layer brings it: without what stays in its own process."""
    brought = broadcast.from_wire(msgpack.unpackb(msgpack.packb(broadcast.to_wire(message))))
    assert isinstance(brought, TableMessage) and (brought.frames, brought.answers) == (None, None)
    return brought


@pytest.mark.parametrize("missing", ["connected", "events", "only", "rows", "a key of the next release"])
def test_a_message_of_another_release_is_followed_or_has_the_table_read(
    duel: tuple[Client, Client], news: list[TableMessage], missing: str
) -> None:
    content = {**broadcast.to_wire(news[0]), "a key of the next release": {"is": "unknown"}}
    del content[missing]
    message = TableMessage.from_wire(content)
    assert message.version == news[0].version
    assert (table_cache.follow_move(duel[0].table, message) is None) is (missing == "rows")


def test_a_message_without_its_version_cannot_be_read(news: list[TableMessage]) -> None:
    content = dict(broadcast.to_wire(news[0]))
    del content["version"]
    with pytest.raises(KeyError):
        broadcast.from_wire(content)


def test_a_follower_has_the_stored_table_and_its_frames_without_queries(
    duel: tuple[Client, Client], news: list[TableMessage]
) -> None:
    with CaptureQueriesContext(connection) as queries:
        followed = [table_cache.follow_move(duel[0].table, of_another_process(message)) for message in news]
        frames_of_followers = [frames.frames(table) for table in followed if table is not None]
    assert not queries.captured_queries and len(frames_of_followers) == 2
    in_memory, stored = table_cache.get(duel[0].table), store.read_table(duel[0].table)
    assert in_memory is not None and in_memory.state == stored.state
    assert (in_memory.row.version, in_memory.row.deadline_ms) == (stored.row.version, stored.row.deadline_ms)
    assert [dict(each) for each in frames_of_followers] == [message.frames for message in news]


def test_a_table_is_read_again_after_a_gap(duel: tuple[Client, Client], news: list[TableMessage]) -> None:
    table, guess = duel[0].table, table_cache.get(duel[0].table)
    assert table_cache.follow_move(table, news[1]) is None, "one is missing"
    assert table_cache.follow_move(table, replace(news[0], rows=[])) is None, "a change that was made under the lock"
    assert table_cache.follow_move(table + 1, news[0]) is None
    assert table_cache.get(table) is guess


def test_events_that_are_not_sealed_for_this_place_change_nothing(
    duel: tuple[Client, Client], news: list[TableMessage]
) -> None:
    table, guess = duel[0].table, table_cache.get(duel[0].table)
    at_ms, payload = news[0].rows[0]
    for forged in (news[1].rows, [(at_ms, payload[:-1] + bytes([payload[-1] ^ 1]))], [(at_ms, "zz")], [at_ms]):
        assert table_cache.follow_move(table, replace(news[0], rows=forged)) is None
    assert table_cache.get(table) is guess
