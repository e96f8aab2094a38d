"""Other processes learn what this one comes to listen to, and this one what they do."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer, get_channel_layer

from config.layers import BACK
from tables.play import broadcast
from tables.play.company import PROCESSES, Company
from tables.sockets import hub
from tables.sockets.hub import Announcements
from tests.support.sockets import until

pytestmark = pytest.mark.asyncio


class Registry(InMemoryChannelLayer):  # type: ignore[misc]
    """A channel layer that keeps what is announced; while it is `away` it fails, and while `stuck` it waits."""

    def __init__(self) -> None:
        super().__init__()
        self.announced: set[str] = set()
        self.messages = 0
        self.away = False
        self.free = asyncio.Event()
        self.free.set()

    async def announce(self, groups: Iterable[str]) -> None:
        await self.free.wait()
        if self.away:
            raise ConnectionError("the layer is gone")
        self.announced |= set(groups)
        self.messages += 1

    async def withdraw(self, groups: Iterable[str]) -> None:
        self.announced -= set(groups)


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Registry:
    one = Registry()
    monkeypatch.setattr(hub, "get_channel_layer", lambda: one)
    return one


async def test_groups_that_come_together_take_one_message_and_known_ones_none(registry: Registry) -> None:
    own = Announcements()
    await asyncio.gather(*(own.announce([f"table.{number}", "user.7"], 1) for number in range(3)))
    assert registry.announced == {"table.0", "table.1", "table.2", "user.7"}
    assert registry.messages == 1
    await own.announce(["table.1"], 1)
    assert registry.messages == 1


async def test_what_a_failing_layer_was_not_told_it_is_told_later(registry: Registry) -> None:
    own, registry.away = Announcements(), True
    await own.announce(["table.1"], 1)
    registry.away = False
    await own.settle({"table.1"})
    assert registry.announced == {"table.1"}


async def test_what_nobody_listens_to_any_more_is_withdrawn(registry: Registry) -> None:
    own = Announcements()
    await own.announce(["table.1", "table.2"], 1)
    await own.settle({"table.2"})
    assert registry.announced == {"table.2"}
    await own.announce(["table.1"], 1)
    assert registry.announced == {"table.1", "table.2"}


async def test_a_stuck_layer_keeps_only_the_first_waiting(registry: Registry) -> None:
    own = Announcements()
    registry.free.clear()
    await own.announce(["table.1"], 0.01)
    await asyncio.wait_for(own.announce(["table.2"], 3_600), 10)
    registry.free.set()
    await until(lambda: registry.announced == {"table.1", "table.2"})


class Listener:
    """What keeps the messages that it is given."""

    def __init__(self) -> None:
        self.heard: list[Mapping[str, Any]] = []

    def concerns(self, message: Mapping[str, Any]) -> bool:
        return True

    async def push(self, message: Mapping[str, Any]) -> None:
        self.heard.append(message)


async def test_who_joins_while_the_last_listener_leaves_hears_other_processes(registry: Registry) -> None:
    """The layer takes its time to forget the former; until then nothing is begun anew by halves."""
    own, first, second = hub.Hub(asyncio.get_running_loop()), Listener(), Listener()
    await own.join(first, ["table.1"])
    leaves, forgotten = asyncio.Event(), asyncio.Event()

    async def forget(group: str, channel: str) -> None:
        leaves.set()
        await forgotten.wait()
        await InMemoryChannelLayer.group_discard(registry, group, channel)

    registry.group_discard = forget
    leaving = asyncio.create_task(own.leave(first))
    await leaves.wait()
    joining = asyncio.create_task(own.join(second, ["table.2"]))
    await until(lambda: "table.2" in registry.announced)
    forgotten.set()
    await asyncio.gather(leaving, joining)
    news = [("table.2", {"type": "user.turn", "table": 2})]
    await registry.group_send(PROCESSES, {"type": "news", "from": "elsewhere", "news": news})
    await until(lambda: bool(second.heard))
    assert (registry.announced, first.heard) == ({"table.2"}, [])
    await own.leave(second)


async def test_many_messages_of_another_process_let_others_have_their_turn_and_keep_their_order(
    registry: Registry,
) -> None:
    own, loop, turns, came = hub.Hub(asyncio.get_running_loop()), asyncio.get_running_loop(), [0], list[int]()

    class Counting(Listener):
        def concerns(self, message: Mapping[str, Any]) -> bool:
            came.append(turns[0])
            return True

    def turn() -> None:
        turns[0] += 1
        loop.call_soon(turn)

    listener = Counting()
    await own.join(listener, ["table.1"])
    turn()
    news = [("table.1", {"type": "user.turn", "table": number}) for number in range(120)]
    await registry.group_send(PROCESSES, {"type": "news", "from": "elsewhere", "news": news})
    await until(lambda: len(listener.heard) == 120)
    assert sorted(Counter(came).values()) == [20, 50, 50]
    assert [message["table"] for message in listener.heard] == list(range(120))
    await own.leave(listener)


async def test_a_hub_in_company_tells_the_others_what_its_sockets_come_to_listen_to(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "company", company := Company())
    told: list[Mapping[str, Any]] = []

    async def send(group: str, message: Mapping[str, Any]) -> None:
        told.append({"group": group, **message})

    monkeypatch.setattr(registry, "group_send", send)
    own = Announcements()
    await own.announce(["table.1", "user.7"], 1)
    kept = {"group": PROCESSES, "type": broadcast.ARRIVED, "from": broadcast.PROCESS}
    assert told == [{**kept, "groups": ["table.1", "user.7"]}]
    company.asking()([PROCESSES])
    await own.announce(["table.2"], 1)
    assert len(told) == 1, "there is nobody to be told"


async def test_a_hub_announces_itself_and_hears_of_others_but_not_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcast, "company", company := Company())
    own, listener, layer = hub.Hub(asyncio.get_running_loop()), Any, get_channel_layer()
    company.asking()([PROCESSES])
    assert company.is_absent()
    await own.join(listener, ["table.1"])
    assert not company.is_absent(), "what was answered before it heard of arrivals is void"
    company.asking()([PROCESSES, "table.2", "table.3"])
    arrived = {"type": broadcast.ARRIVED, "from": broadcast.PROCESS}
    await layer.group_send(PROCESSES, arrived)
    await layer.group_send(PROCESSES, {"type": "news", "from": "another", "news": []})
    await asyncio.sleep(0)
    assert company.is_absent()
    await layer.group_send(PROCESSES, {**arrived, "from": "another", "groups": 3})
    await layer.group_send(PROCESSES, {**arrived, "from": "another", "groups": ["table.2"]})
    await until(lambda: not company.is_absent())
    assert (company.is_absent("table.2"), company.is_absent("table.3")) == (False, True)
    await layer.group_send(PROCESSES, {**arrived, "from": "another"})
    await until(lambda: not company.is_absent("table.3"))
    await own.leave(listener)


async def test_a_hub_whose_layer_was_away_doubts_what_it_knows_and_announces_itself_again(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "company", company := Company())
    own, listener, told = hub.Hub(asyncio.get_running_loop()), Any, list[Mapping[str, Any]]()
    await own.join(listener, ["table.1"])
    company.asking()(["table.2"])

    async def send(group: str, message: Mapping[str, Any]) -> None:
        told.append(message)

    monkeypatch.setattr(registry, "group_send", send)
    await registry.send(own._channel, dict(BACK))
    await until(lambda: bool(told))
    assert told == [{"type": broadcast.ARRIVED, "from": broadcast.PROCESS, "groups": None}]
    assert not company.is_absent("table.2"), "who came to it meanwhile was not heard"
    await own.leave(listener)


async def test_a_hub_announces_what_its_sockets_listen_to_before_they_go_on(registry: Registry) -> None:
    own, listener = hub.Hub(asyncio.get_running_loop()), Any
    await own.join(listener, ["table.1", "user.7"])
    assert {"table.1", "user.7"} <= registry.announced
    await own.leave(listener)
    assert registry.announced == set(), "as all have left"


async def test_a_hub_that_all_have_left_joins_the_layer_no_more_though_it_was_about_to(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tables.sockets.hub.GROUPS_PAUSE", -1)
    own, listener = hub.Hub(asyncio.get_running_loop()), Any
    await own.join(listener, ["table.1"])
    asked, answered = asyncio.Event(), asyncio.Event()

    async def add(group: str, channel: str) -> None:
        asked.set()
        await answered.wait()
        await InMemoryChannelLayer.group_add(registry, group, channel)

    registry.group_add = add
    own.refresh()
    await asked.wait()
    await own.leave(listener)
    answered.set()
    await until(lambda: not own._tasks)
    assert registry.groups == {}
    own.refresh()
    await until(lambda: not own._tasks)
    assert registry.groups == {}, "nor is it asked to once more"


async def test_what_a_slow_layer_is_told_after_all_have_left_is_withdrawn(registry: Registry) -> None:
    own, listener = hub.Hub(asyncio.get_running_loop()), Any
    await own.join(listener, ["user.7"])
    registry.free.clear()
    joining = asyncio.create_task(own.join(listener, ["table.1"]))
    await asyncio.sleep(0)
    leaving = asyncio.create_task(own.leave(listener))
    await asyncio.sleep(0)
    registry.free.set()
    await asyncio.gather(joining, leaving)
    assert registry.announced == set()
