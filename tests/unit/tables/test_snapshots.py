"""Events first: a snapshot is written now and then, and readers fold the events since."""

from typing import Any

import pytest

from rules.game import codec
from tables.log import reading
from tables.models import Table
from tables.play import store
from tables.play.fast import moves as fast, table_cache
from tables.play.fast.moves import SNAPSHOT_AFTER
from tests.support.tables import Client
from wallet.audit.audit import audit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]

Duel = tuple[Client, Client]


def row_of(client: Client) -> Table:
    return Table.objects.get(pk=client.table)


def take_turns(duel: Duel, turns: int) -> None:
    for turn in range(turns):
        client = duel[turn % 2]
        assert client.send("draw", pile="closed")["type"] == "ack"
        assert client.send("discard", card=client.me["drawn"])["type"] == "ack"


def test_moves_share_a_snapshot_and_every_reader_finds_the_same_state(duel: Duel) -> None:
    first, versions = row_of(duel[0]).snapshot_version, set()
    for _ in range(SNAPSHOT_AFTER // 2 + 1):
        take_turns(duel, 2)
        row = row_of(duel[0])
        versions.add(row.snapshot_version)
        in_memory: Any = table_cache.get(row.pk)
        assert row.version - row.snapshot_version < SNAPSHOT_AFTER
        assert store.read_table(row.pk).state == reading.state_of(row) == in_memory.state
    assert first in versions and 2 <= len(versions) <= 4
    assert audit().differences == []


def test_every_change_under_the_lock_takes_a_snapshot(duel: Duel, monkeypatch: pytest.MonkeyPatch) -> None:
    take_turns(duel, 1)
    monkeypatch.setattr(fast, "QUICK", frozenset())
    assert row_of(duel[0]).snapshot_version < row_of(duel[0]).version
    duel[0].send("sort")
    assert row_of(duel[0]).snapshot_version == row_of(duel[0]).version


def test_a_state_whose_later_events_are_not_all_there_is_not_taken_for_whole(
    duel: Duel, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_turns(duel, 1)
    since = reading.since
    monkeypatch.setattr(reading, "since", lambda table, version: since(table, version)[:-2])
    with pytest.raises(codec.BadRecord):
        store.read_table(duel[0].table)


def test_a_row_that_was_read_before_the_next_move_is_its_own_version(duel: Duel) -> None:
    """A reader without a lock folds no event of a later version."""
    take_turns(duel, 1)
    row = row_of(duel[0])
    assert duel[1].send("draw", pile="closed")["type"] == "ack"
    assert reading.latest_state(row).version == row.version < row_of(duel[0]).version
