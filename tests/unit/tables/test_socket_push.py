"""Push is a hint: whatever the channel layer loses, doubles, delays or invents, clients end up with the table's
state."""

import json
import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import InMemoryChannelLayer, get_channel_layer

from rules.game.state import Clocks
from tables.models import ServerHeartbeat, Table
from tables.play import broadcast, heartbeat_requests, outages, store
from tables.play.broadcast import TableMessage
from tables.play.company import PROCESSES
from tables.play.frames.encoder import Pieces
from tables.play.protocol import Frame
from tables.sockets import hub, monitor
from tables.sockets.consumer import TableConsumer
from tables.sockets.statuses import SeenState
from tables.staff import freeze_table
from tests.support.sockets import Seen, begin, current_view, looks_at_most, play_rounds, seated, until
from wallet.audit import nightly
from wallet.audit_log.services import PLATFORM

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


@pytest.fixture(autouse=True)
def sent() -> None:
    """Let the real channel layer carry the messages, instead of conftest's replacement."""


class Deaf(dict[object, Any]):
    """A registry of sockets that keeps none, so that messages of their own process do not arrive."""

    def __setitem__(self, key: object, ear: Any) -> None:
        """Forget the socket at once."""


class Lossy:
    """A channel layer that drops 10 %, doubles 5 %, and delays up to five messages behind later ones.

    Its messages seem to come from another process.
    """

    def __init__(self, layer: Any, seed: int) -> None:
        self._layer, self._random = layer, random.Random(seed)
        self._kept: list[tuple[str, dict[str, Any]]] = []
        self.lost = self.doubled = self.reordered = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._layer, name)

    async def listening_elsewhere(self, groups: Iterable[str]) -> dict[str, int]:
        return dict.fromkeys(groups, 1)

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        message = {**message, "from": "another"}
        fate = self._random.random()
        self.lost += fate < 0.10
        self.doubled += 0.10 <= fate < 0.15
        for _ in range(0 if fate < 0.10 else 2 if fate < 0.15 else 1):
            self._kept.append((group, message))
        while len(self._kept) > self._random.randint(0, 5):
            place = self._random.randrange(len(self._kept))
            self.reordered += place > 0
            await self._layer.group_send(*self._kept.pop(place))


async def test_parts_of_a_message_are_handled_once_all_have_arrived(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[list[str]] = []
    monkeypatch.setattr(broadcast, "_receivers", {"ear": lambda news: heard.append([group for group, _ in news])})
    monkeypatch.setattr(broadcast, "get_channel_layer", lambda: None)
    with pytest.raises(ZeroDivisionError), broadcast.together():
        broadcast.send("one", {})
        broadcast.send("two", {})
        assert heard == []
        raise ZeroDivisionError
    broadcast.send("three", {})
    assert heard == [["one", "two"], ["three"]], "what was sent before a fault is told all the same"


@pytest.fixture
def lossy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lossy]:
    between = Lossy(get_channel_layer(), seed=32)  # All three befall the first dozen already.
    monkeypatch.setattr(broadcast, "get_channel_layer", lambda: between)
    monkeypatch.setattr(broadcast, "_receivers", Deaf())
    monkeypatch.setattr(broadcast, "SEND_PAUSE", 0)
    yield between


async def test_lost_doubled_and_reordered_pushes_leave_every_client_where_the_table_is(lossy: Lossy) -> None:
    table, people = await seated("asha", "ravi", "tara")
    clients = [await Seen(table.pk, key).open() for _, key in people.values()]
    await begin(table)
    await play_rounds(table, 25)
    views_now = [await current_view(table, user) for user, _ in people.values()]
    with looks_at_most(2):
        await until(lambda: all(map(Seen.equals, clients, views_now)))
    for client in clients:
        assert client.versions == sorted(client.versions), "never an older state after a newer one"
        assert client.code is None
    assert lossy.lost and lossy.doubled and lossy.reordered
    for client in clients:
        await client.close()


async def test_a_deaf_socket_hears_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The layer has forgotten the groups, as after their expiry."""
    monkeypatch.setattr("tables.sockets.hub.GROUPS_PAUSE", 0)
    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()
    layer = get_channel_layer()
    assert isinstance(layer, InMemoryChannelLayer)
    layer.groups.clear()
    await begin(table)
    expected = await current_view(table, people["asha"][0])
    await until(lambda: one.equals(expected))
    await until(lambda: PROCESSES in layer.groups)
    await one.close()


async def test_a_change_by_another_process_is_seen_without_any_push(monkeypatch: pytest.MonkeyPatch) -> None:
    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()
    monkeypatch.setattr(broadcast, "send", lambda group, message: None)
    await begin(table)
    expected = await current_view(table, people["asha"][0])
    assert 2 * monitor.BEAT < 2, "a client is behind for two seconds at most"
    with looks_at_most(2):
        await until(lambda: one.equals(expected))
    await sync_to_async(freeze_table)(table_id=table.pk, reason="a look", actor=PLATFORM)
    await until(lambda: any(frame["code"] == "frozen" for frame in one.others))
    await one.close()


async def test_each_who_looks_at_a_table_that_waits_for_settlement_is_told_once() -> None:
    def told(seen: Seen) -> list[str]:
        return [frame["message"] for frame in seen.others if frame["code"] == "settlement_frozen"]

    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()
    await Table.objects.filter(pk=table.pk).aupdate(deadline_ms=1)
    await sync_to_async(nightly.freeze)("for a reason")
    await until(lambda: told(one))
    two = await Seen(table.pk, people["ravi"][1]).open()
    await until(lambda: told(two))
    assert told(one) == told(two) == [broadcast.WAITS]
    await one.close()
    await two.close()


FOREIGN: list[dict[str, Any]] = [
    {"type": "table.state"},
    {"type": "table.state", "version": 10**9, "connected": [], "events": True, "frames": {}},
    {"type": "table.state", "version": 10**9},
    {"type": "table.state", "version": 10**9, "only": 7, "rows": 7, "of another": {"release": 7}},
    {"type": "table.state", "version": "x", "connected": None, "events": 1, "frames": None},
    {"type": "table.emoji", "who": 3},
    {"type": "websocket.disconnect", "code": 1000},
    {"type": "websocket.receive", "text": '{"type":"leave"}'},
    {"type": "dispatch"},
    {"type": "_listen"},
    {"type": "close"},
    {"type": "revoke"},
    {"type": ""},
    {"type": 7},
    {},
]


async def test_no_push_of_another_version_of_the_platform_does_harm() -> None:
    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()
    for number, message in enumerate(FOREIGN):
        news = {"type": "news", "from": "another", "news": [[broadcast.table_group(table.pk), message]]}
        for push in (news, message, {**news, "news": message}):
            await get_channel_layer().group_send(PROCESSES, push)
        await one.socket.send_to(json.dumps({"type": "ping", "id": f"{number}"}))
        await until(lambda: any(frame["type"] == "pong" for frame in one.others))
        one.others.clear()
        assert one.code is None, message
    await begin(table)
    expected = await current_view(table, people["asha"][0])
    await until(lambda: one.equals(expected))
    await one.close()


async def test_a_client_without_channel_layer_joins_and_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: Any) -> None:
        raise ConnectionError("the layer is gone")

    monkeypatch.setattr("tables.sockets.hub.LAYER_WAIT", 0.1)
    monkeypatch.setattr(get_channel_layer(), "new_channel", fails)
    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()
    await begin(table)
    expected = await current_view(table, people["asha"][0])
    await until(lambda: one.equals(expected))
    await one.close()


async def test_a_clock_runs_out_without_worker_and_without_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcast, "send", lambda group, message: None)
    table, people = await seated("asha", "ravi", clocks=Clocks(start_two=1_000))
    one = await Seen(table.pk, people["asha"][1]).open()
    await until(lambda: one.states[-1]["view"]["phase"] == "playing")
    await one.close()


DRAW = Frame("draw", id="x")


def _at_the_table(scope: dict[str, Any]) -> TableConsumer:
    one = TableConsumer()
    one.scope, one.closing, one.is_joining = scope, False, False
    one.user_id, one.connection, one.language = 7, "c", "en"
    one.shown, one.shown_events, one.unanswered = SeenState(1, (0,)), 1, DRAW
    return one


def _news(version: int, answers: Frame = DRAW) -> TableMessage:
    frames = {"watch": (b"of ", b"%d" % version)}
    return TableMessage(version, (0,), has_events=True, answers=answers, frames=frames)


async def test_where_the_server_takes_texts_as_they_are_a_state_goes_out_at_once_with_its_answer() -> None:
    sent: list[tuple[Pieces, ...]] = []
    one = _at_the_table({"send_text": lambda *texts: sent.append(texts)})
    assert all([one.try_show(_news(3)), one.try_show(_news(3)), one.try_show(_news(2))])
    assert sent == [((b"of ", b"3"), (b'{"type":"ack","version":3,"id":"x"}',))], "once, and nothing older after it"
    one.closing = True
    assert one.try_show(_news(4)) and len(sent) == 1


async def test_a_state_that_comes_late_does_not_answer_the_next_move() -> None:
    sent: list[tuple[Pieces, ...]] = []
    one = _at_the_table({"send_text": lambda *texts: sent.append(texts)})
    one.unanswered = discard = Frame("discard", id="y")
    assert one.try_show(_news(3)) and sent == [((b"of ", b"3"),)], "that move is not committed yet"
    assert one.try_show(_news(4, answers=discard))
    assert sent[1:] == [((b"of ", b"4"), (b'{"type":"ack","version":4,"id":"y"}',))]


async def test_where_it_does_not_nothing_is_taken_for_shown_before_it_is_sent() -> None:
    one = _at_the_table({})
    assert not one.try_show(_news(3))
    assert (one.shown.version, one.shown_events) == (1, 1)


async def test_a_state_that_waits_until_a_client_has_joined_is_shown_once_and_not_kept() -> None:
    sent: list[tuple[Pieces, ...]] = []
    one = _at_the_table({"send_text": lambda *texts: sent.append(texts)})
    one.begin_showing()
    assert one.try_show(_news(3)) and sent == []
    await one.end_joining()
    assert [texts[0] for texts in sent] == [(b"of ", b"3")]
    assert one.pending_push is None


async def test_a_web_process_without_sockets_notes_the_heartbeat_for_a_worker_that_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(monitor, "BEAT", 3_600)
    serving = monitor.current()
    serving.serve()
    try:
        await until(lambda: hub.current()._channel != "")
        await sync_to_async(outages.record_heartbeat)()
        ended = await sync_to_async(store.now_ms)() + 1
        noted = await sync_to_async(outages.last_heartbeat)()
        await sync_to_async(heartbeat_requests.await_heartbeat, thread_sensitive=False)(ended, noted)
        assert (await sync_to_async(ServerHeartbeat.objects.get)()).at_ms >= ended
    finally:
        await stopped(serving)


async def stopped(serving: monitor.SocketMonitor) -> None:
    """Let the monitor end, and its hub with it."""
    assert serving._beating is not None
    serving._beating.cancel()
    await hub.current().leave(serving)
