"""Presence: who is connected, and from which tab, even without any push."""

import asyncio
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from rest_framework.authtoken.models import Token

from tables.models import Seating, Table
from tables.play import broadcast, presence, store
from tables.sockets import consumer, monitor, statuses
from tables.sockets.admission import Buckets
from tests.support.players import signed_up
from tests.support.sockets import PATIENCE, Seen, begin, seated, until
from wallet.keys.api_tokens import token_text

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


@pytest.fixture(autouse=True)
def sent() -> None:
    """Let the real channel layer carry the messages, instead of conftest's replacement."""


async def speaking(table: Table, key: str) -> Seen:
    """Open a new tab whose page has sent its first frame."""
    tab = await Seen(table.pk, key).open()
    await tab.socket.send_to('{"type":"ping"}')
    await until(lambda: any(frame["type"] == "pong" for frame in tab.others))
    return tab


async def test_connected_sockets_notice_changes_without_a_push(monkeypatch: pytest.MonkeyPatch) -> None:
    table, people = await seated("asha", "ravi")
    one = await Seen(table.pk, people["asha"][1]).open()
    monkeypatch.setattr(broadcast, "send", lambda group, message: None)
    two = await Seen(table.pk, people["ravi"][1]).open()
    await until(lambda: one.states[-1]["view"]["seats"][1]["connected"])
    await two.close()
    await until(lambda: not one.states[-1]["view"]["seats"][1]["connected"])
    await one.close()


async def test_a_seat_played_from_elsewhere_is_told_though_no_push_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcast, "send", lambda group, message: None)
    table, people = await seated("asha")
    tabs = [await speaking(table, people["asha"][1]) for _ in range(3)]
    await until(lambda: [tab.code for tab in tabs] == [4001, 4001, None])
    await tabs[-1].close()


async def test_that_a_seat_was_taken_over_concerns_the_former_sockets_of_that_player_alone() -> None:
    table, people = await seated("asha", "ravi")
    closes: list[tuple[int, str]] = []
    tabs = [await speaking(table, people[name][1]) for name in ("asha", "ravi")]
    for each in [one for one in monitor.current().sockets if isinstance(one, consumer.TableConsumer)]:
        former = {"type": "table.taken_over", "user": people["asha"][0].pk, "connection": "later", "number": 2}
        own = {**former, "connection": each.connection}
        closes += [(each.user_id, name) for name, frames in (("former", former), ("own", own)) if each.concerns(frames)]
        assert each.concerns({"type": "table.emote", "seat": 0, "emote": "wave"})
    assert closes == [(people["asha"][0].pk, "former")]
    for tab in tabs:
        await tab.close()


async def test_a_ping_is_answered_from_the_frame_that_the_client_was_just_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, people = await seated("asha")
    reads: list[int] = []
    clock_and_version = store.clock_and_version
    monkeypatch.setattr(
        store, "clock_and_version", lambda table_id: reads.append(table_id) or clock_and_version(table_id)
    )
    monkeypatch.setattr(monitor.SocketMonitor, "recent_version", lambda self, table_id: None)
    tab = await speaking(table, people["asha"][1])
    [pong] = tab.others
    assert not reads and pong["version"] == tab.states[-1]["version"] and pong["now"] >= tab.states[0]["now"]
    for socket in monitor.current().sockets:
        socket.read_at -= monitor.FRESH_FOR  # type: ignore[attr-defined]
    await tab.socket.send_to('{"type":"ping"}')
    await until(lambda: len(tab.others) == 2)
    assert reads == [table.pk] and tab.others[1]["version"] == pong["version"]
    await tab.close()


async def test_a_tab_that_is_slow_to_join_is_not_taken_for_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The monitor looks twice while the new tab joins, and the seat still belongs to the old tab."""
    table, people = await seated("asha")
    looks: list[None] = []
    look, join = monitor.SocketMonitor._poll, presence.handle_requests_at_many

    async def counted(monitor: monitor.SocketMonitor) -> None:
        await look(monitor)
        looks.append(None)

    def slow(**arguments: Any) -> Any:
        before = len(looks)
        while len(looks) < before + 2:
            time.sleep(0.02)
        return join(**arguments)

    monkeypatch.setattr(monitor.SocketMonitor, "_poll", counted)
    first = await Seen(table.pk, people["asha"][1]).open()
    monkeypatch.setattr(presence, "handle_requests_at_many", slow)
    second = await speaking(table, people["asha"][1])
    joined = len(looks)
    await until(lambda: len(looks) > joined + 2 and first.code == 4001)
    assert (second.code, len(second.states) > 0) == (None, True)
    # Nobody looks any more once the last one has gone.
    monkeypatch.setattr(presence, "handle_requests_at_many", join)
    await second.close()


async def test_a_player_who_left_during_a_deal_watches_from_a_new_tab(monkeypatch: pytest.MonkeyPatch) -> None:
    """The player's seat is not free before the deal is over, and names the tab from which they left."""
    table, people = await seated("asha", "ravi", "meera")
    await begin(table)
    first = await Seen(table.pk, people["asha"][1]).open()
    await first.socket.send_to('{"type":"leave","id":"x"}')
    await until(lambda: any(frame["type"] == "ack" for frame in first.others))
    assert await sync_to_async(Seating.objects.filter(user=people["asha"][0], freed_at=None).count)() == 1
    await first.close()
    looks: list[None] = []
    look = monitor.SocketMonitor._poll

    async def counted(monitor: monitor.SocketMonitor) -> None:
        await look(monitor)
        looks.append(None)

    monkeypatch.setattr(monitor.SocketMonitor, "_poll", counted)
    second = await Seen(table.pk, people["asha"][1]).open()
    await until(lambda: len(looks) > 2)
    assert second.code is None
    await second.close()


@pytest.mark.databases
async def test_who_watches_may_not_stay_when_somebody_at_the_table_hides_their_hands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(statuses, "SEATS_FRESH_FOR", 0.1)
    table, people = await seated("asha", "ravi")
    kiran = await sync_to_async(signed_up)("kiran")
    key = token_text(await Token.objects.acreate(user=kiran))
    player, watcher = await Seen(table.pk, people["asha"][1]).open(), await Seen(table.pk, key).open()
    await type(kiran).objects.filter(username="ravi").aupdate(forbids_watching=True)
    await until(lambda: watcher.code == 1012)
    again = await Seen(table.pk, key).open()
    await until(lambda: again.code == 4003)
    assert player.code is None
    await player.close()


async def test_who_played_a_match_to_its_end_may_look_at_it_whoever_hides_their_hands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[None] = []
    compare = consumer.TableConsumer.is_behind

    async def counted(socket: consumer.TableConsumer, status: statuses.TableStatus) -> bool:
        looks.append(None)
        return await compare(socket, status)

    monkeypatch.setattr(consumer.TableConsumer, "is_behind", counted)
    of_deals = {"book": "standard-deals-3", "point_value": 0, "minimum": 0, "entry": 10}
    table, people = await seated("asha", "ravi", **of_deals)
    await begin(table)
    await type(people["ravi"][0]).objects.aupdate(forbids_watching=True)
    leaver = await Seen(table.pk, people["ravi"][1]).open()
    await leaver.socket.send_to('{"type":"leave"}')
    await until(lambda: leaver.states[-1]["view"]["phase"] == "over")
    await leaver.close()
    again = await Seen(table.pk, people["asha"][1]).open()
    before = len(looks)
    await until(lambda: len(looks) > before)
    assert again.code is None
    await again.close()


async def test_thirty_changes_of_tab_leave_exactly_one_that_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer, "_takeovers", Buckets(burst=40, per_second=0, most=1))
    table, people = await seated("asha")
    tabs = [await speaking(table, people["asha"][1]) for _ in range(31)]
    await until(lambda: all(tab.code == 4001 for tab in tabs[:-1]))
    assert tabs[-1].code is None
    await tabs[-1].socket.send_to('{"type":"leave","id":"x"}')
    await until(lambda: any(frame["type"] == "ack" for frame in tabs[-1].others))
    for tab in tabs:
        await tab.close()


async def test_all_sockets_of_a_process_are_noted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor, "PRESENCE_INTERVAL", 0.1)
    table, people = await seated("asha", "ravi")
    tabs = [await speaking(table, key) for _, key in people.values()]
    await Seating.objects.filter(table=table).aupdate(seen_ms=1)
    await Seating.objects.filter(user=people["ravi"][0]).aupdate(connection="")

    async def counted_call() -> bool:
        seatings = [each async for each in Seating.objects.filter(table=table)]
        return all(each.seen_ms > 1 and each.connection for each in seatings)

    async with asyncio.timeout(PATIENCE):
        while not await counted_call():
            await asyncio.sleep(0.02)
    for tab in tabs:
        await tab.close()


async def test_a_socket_that_goes_while_signs_of_life_are_noted_does_not_take_the_seat_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(monitor, "PRESENCE_INTERVAL", 0.1)
    begun, gone, noted = threading.Event(), threading.Event(), threading.Event()
    record = presence.record_signs_of_life

    def late(sockets: Any) -> None:
        begun.set()
        assert gone.wait(PATIENCE)
        record(sockets)
        noted.set()

    monkeypatch.setattr(presence, "record_signs_of_life", late)
    table, people = await seated("asha")
    tab = await speaking(table, people["asha"][1])
    await until(begun.is_set)
    await tab.close()
    assert await Seating.objects.filter(connection="").acount() == 1
    gone.set()
    await until(noted.is_set)
    assert await Seating.objects.filter(connection="").acount() == 1


async def test_sockets_are_noted_once_more_before_a_result_clock_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[int] = []
    monkeypatch.setattr(monitor, "_note", lambda sockets: notes.extend(socket.table_id for socket in sockets))
    looking, noted_at = monitor.SocketMonitor(), time.monotonic() - monitor.LAST_PAUSE - 0.5
    sockets = [SimpleNamespace(table_id=table_id, noted_at=noted_at) for table_id in (1, 2)]
    for _ in range(2):
        looking._note_presence({socket.table_id: [socket] for socket in sockets}, {2})
        assert looking._noting is not None
        await looking._noting
    assert notes == [2]
