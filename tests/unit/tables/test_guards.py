"""Both ways of a move ask the same guards: whatever forbids a move forbids it on either."""

from collections.abc import Callable
from typing import Any

import pytest

from tables.errors import TableError
from tables.models import LoggedEvent
from tables.play import guards, protocol, services as play, store
from tables.play.fast import moves as fast, table_cache
from tables.play.guards import MoveRequest
from tests.support.tables import Client

pytestmark = pytest.mark.django_db(transaction=True)

Duel = tuple[Client, Client]
#: Tries to make the move, and returns whether it was made.
Way = Callable[[Client, str], bool]


def requested(client: Client, kind: str) -> MoveRequest:
    frame = protocol.read_frame({"type": kind, "pile": "closed"} if kind == "draw" else {"type": kind})
    return MoveRequest(client.table, client.user.pk, client.connection, frame)


def on_the_loop(client: Client, kind: str) -> bool:
    table_cache.put(store.read_table(client.table))
    made = fast.make_at_hand([requested(client, kind)])
    return bool(fast.commit_moves(made))


def in_the_thread(client: Client, kind: str) -> bool:
    [answer] = fast.play_together([requested(client, kind)])
    return answer is not None


def under_the_lock(client: Client, kind: str) -> bool:
    asked = requested(client, kind)
    named = {"table_id": asked.table_id, "user_id": asked.user_id, "connection": asked.connection}
    return play.play(**named, frame=asked.frame)["type"] == "ack"


WAYS: list[Way] = [on_the_loop, in_the_thread, under_the_lock]


@pytest.fixture(autouse=True)
def known_time(clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tables.play.fast.clock.known_now_ms", lambda: clock.now)


def planted(table: Any, seating: Any, request: MoveRequest) -> TableError | None:
    """Forbid everybody to draw."""
    return TableError("planted", "Not today.") if request.frame.type == "draw" else None


@pytest.mark.parametrize("way", WAYS)
def test_a_guard_that_is_added_binds_every_way_of_a_move(way: Way, duel: Duel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "GUARDS", (*guards.GUARDS, planted))
    events = LoggedEvent.objects.count()
    assert not way(duel[0], "draw")
    assert LoggedEvent.objects.count() == events
    assert way(duel[0], "sort"), "it forbids nothing else"


@pytest.mark.parametrize("way", WAYS)
def test_without_it_every_way_makes_the_move(way: Way, duel: Duel) -> None:
    assert way(duel[0], "draw")


def test_who_asks_is_told_the_reason_of_the_guard(duel: Duel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "GUARDS", (*guards.GUARDS, planted))
    answer = duel[0].send("draw", pile="closed")
    assert (answer["type"], answer["code"], answer["message"]) == ("error", "planted", "Not today.")


def refused_by(client: Client, kind: str, **changes: Any) -> str | None:
    """Return the code with which the guards refuse the move."""
    table, asked = store.read_table(client.table), {"connection": client.connection, **changes}
    seating = next(each for each in table.seatings.values() if each.user_id == client.user.pk)
    frame = protocol.Frame(kind, version=asked.pop("version", None))
    if not asked.pop("is_active", True):
        seating.user.is_active = False  # type: ignore[union-attr]
    request = MoveRequest(client.table, client.user.pk, asked["connection"], frame)
    refusal = guards.why_not(table, seating, request)
    return None if refusal is None else refusal.code


def test_each_guard_refuses_with_its_own_code(duel: Duel) -> None:
    assert refused_by(duel[0], "draw") is None
    assert refused_by(duel[0], "draw", is_active=False) == "not_seated"
    assert refused_by(duel[0], "draw", connection="another") == "taken_over"
    version = store.version(duel[0].table)
    assert refused_by(duel[0], "draw", version=version) is None
    assert refused_by(duel[0], "draw", version=version + 1) == "stale"
    assert refused_by(duel[0], "sort", version=version + 1) is None, "a move that nobody else sees is never stale"


def test_only_a_frame_that_is_never_fast_makes_a_guard_ask_the_database(
    duel: Duel, django_assert_num_queries: Any
) -> None:
    table = store.read_table(duel[0].table)
    seating = next(each for each in table.seatings.values() if each.user_id == duel[0].user.pk)
    assert "continue" not in fast.QUICK
    with django_assert_num_queries(0):
        for kind in sorted(fast.QUICK):
            request = MoveRequest(duel[0].table, duel[0].user.pk, duel[0].connection, protocol.Frame(kind))
            assert guards.why_not(table, seating, request) is None
