"""Other processes learn what this one listens to, and are sent what they listen to and nothing else."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from tables.play import broadcast
from tables.sockets import announcements, hub
from tables.sockets.announcements import Announcements
from tests.support.sockets import until

pytestmark = pytest.mark.asyncio


class Registry:
    """A channel layer that only keeps what is announced; while it is `away` it fails, and while `stuck` it waits."""

    def __init__(self) -> None:
        self.groups: set[str] = set()
        self.messages = 0
        self.away = False
        self.free = asyncio.Event()
        self.free.set()

    async def announce(self, groups: Iterable[str]) -> None:
        await self.free.wait()
        if self.away:
            raise ConnectionError("the layer is gone")
        self.groups |= set(groups)
        self.messages += 1

    async def withdraw(self, groups: Iterable[str]) -> None:
        self.groups -= set(groups)


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Registry:
    one = Registry()
    monkeypatch.setattr(announcements, "get_channel_layer", lambda: one)
    return one


async def test_groups_that_come_together_take_one_message_and_known_ones_none(registry: Registry) -> None:
    own = Announcements()
    await asyncio.gather(*(own.announce([f"table.{number}", "user.7"], 1) for number in range(3)))
    assert registry.groups == {"table.0", "table.1", "table.2", "user.7"}
    assert registry.messages == 1
    await own.announce(["table.1"], 1)
    assert registry.messages == 1


async def test_what_a_failing_layer_was_not_told_it_is_told_later(registry: Registry) -> None:
    own, registry.away = Announcements(), True
    await own.announce(["table.1"], 1)
    registry.away = False
    await own.settle({"table.1"})
    assert registry.groups == {"table.1"}


async def test_what_nobody_listens_to_any_more_is_withdrawn(registry: Registry) -> None:
    own = Announcements()
    await own.announce(["table.1", "table.2"], 1)
    await own.settle({"table.2"})
    assert registry.groups == {"table.2"}
    await own.announce(["table.1"], 1)
    assert registry.groups == {"table.1", "table.2"}


async def test_a_stuck_layer_keeps_only_the_first_waiting(registry: Registry) -> None:
    own = Announcements()
    registry.free.clear()
    await own.announce(["table.1"], 0.01)
    await asyncio.wait_for(own.announce(["table.2"], 3_600), 10)
    registry.free.set()
    await until(lambda: registry.groups == {"table.1", "table.2"})


@pytest.mark.parametrize(
    ("listening", "sent"),
    [
        ({}, []),
        ({broadcast.PROCESSES: 1, broadcast.ANNOUNCING: 1}, []),
        ({broadcast.PROCESSES: 1, broadcast.ANNOUNCING: 1, "table.2": 1}, ["table.2"]),
        # One process of the former release, which announces nothing, beside a present one.
        ({broadcast.PROCESSES: 2, broadcast.ANNOUNCING: 1}, ["table.1", "table.2"]),
    ],
)
async def test_only_what_another_process_listens_to_is_sent(
    monkeypatch: pytest.MonkeyPatch, listening: Mapping[str, int], sent: list[str]
) -> None:
    class Layer:
        async def listening_elsewhere(self, groups: Iterable[str]) -> dict[str, int]:
            return {group: listening.get(group, 0) for group in groups}

    monkeypatch.setattr(broadcast, "get_channel_layer", Layer)
    news: list[broadcast.News] = [("table.1", {"type": "x"}), ("table.2", {"type": "y"})]
    assert [group for group, _ in await broadcast._heard_elsewhere(news)] == sent


async def test_a_hub_announces_what_its_sockets_listen_to_before_they_go_on(registry: Registry) -> None:
    own, listener = hub.Hub(asyncio.get_running_loop()), Any
    await own.join(listener, ["table.1", "user.7"])
    assert {"table.1", "user.7"} <= registry.groups
    await own.leave(listener)
    assert registry.groups == set(), "as all have left"
