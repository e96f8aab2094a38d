"""Messages through Redis: readable by processes of both steps of a key change; and what others listen to."""

import asyncio
import ssl
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection
from redis.asyncio import Redis

from config import layers
from config.layers import BACK, ECHO, MOST_UNDER_WAY, PushLayer
from config.settings.databases import sqlite
from config.settings.redis import channel_layers, prefix, verifying
from tests.support.redis_server import redis_server
from tests.support.sockets import PATIENCE

FORMER, NEW = "f" * 50, "n" * 50
FIRST_STEP, SECOND_STEP = [FORMER, NEW], [NEW, FORMER]


def layer(keys: list[str], url: str = "redis://cache.test/0") -> PushLayer:
    settings = channel_layers(url, "rummy", keys)["default"]
    assert settings["BACKEND"] == f"{PushLayer.__module__}.{PushLayer.__name__}"
    return PushLayer(**settings["CONFIG"])


@pytest.mark.parametrize(
    ("sends", "reads"),
    [([FORMER], FIRST_STEP), (FIRST_STEP, [FORMER]), (FIRST_STEP, SECOND_STEP), (SECOND_STEP, FIRST_STEP),
     (SECOND_STEP, [NEW]), ([NEW], SECOND_STEP)],
)  # fmt: skip
def test_each_step_reads_what_the_one_beside_it_sends(sends: list[str], reads: list[str]) -> None:
    message = {"type": "table.state", "version": 7}
    assert layer(reads).deserialize(layer(sends).serialize(message)) == message


def test_without_the_first_step_they_would_not() -> None:
    assert layer([FORMER]).deserialize(layer(SECOND_STEP).serialize({"type": "table.state"})) is ECHO


@pytest.mark.parametrize("forged", [b"", b"{}", b"\x81\xa4type\xabtable.state", b"gAAAAA" + b"A" * 200])
def test_what_nobody_with_a_key_has_made_is_ignored(forged: bytes) -> None:
    assert layer(SECOND_STEP).deserialize(forged) is ECHO


def test_every_client_of_redis_checks_its_certificate() -> None:
    """The library of tasks checks none unless the address says so."""
    assert verifying("redis://127.0.0.1:6379/0") == "redis://127.0.0.1:6379/0"
    for url in ("rediss://:word@cache.test/0", "rediss://:word@cache.test/0?ssl_ca_certs=/etc/ca.crt"):
        assert Connection(verifying(url)).ssl["ssl_cert_reqs"] == ssl.CERT_REQUIRED
        assert Redis.from_url(verifying(url)).connection_pool.connection_kwargs["ssl_cert_reqs"] == "required"


def test_a_process_does_not_read_its_own_message_but_another_does() -> None:
    one, other, message = layer([NEW]), layer([NEW]), {"type": "news"}
    first, second = one.serialize(message), one.serialize(message)
    assert one.deserialize(second) == one.deserialize(first) == ECHO
    assert other.deserialize(first) == message


def test_messages_that_never_come_back_are_forgotten() -> None:
    sender, message = layer([NEW]), {"type": "news"}
    sent = [sender.serialize(message) for _ in range(MOST_UNDER_WAY + 1)]
    assert [sender.deserialize(each) for each in (sent[0], sent[1], sent[-1])] == [message, ECHO, ECHO]


@pytest.mark.redis
@pytest.mark.asyncio
async def test_each_process_learns_what_others_listen_to(tmp_path: Path) -> None:
    """Each layer is one process: two web processes, and a worker that listens to nothing."""
    with redis_server(tmp_path) as url:
        one, other, worker = layer([NEW], url), layer([NEW], url), layer([NEW], url)

        async def heard() -> list[tuple[int, ...]]:
            return [
                tuple((await process.listening_elsewhere(["both", "one", "none"])).values())
                for process in (one, other, worker)
            ]

        try:
            await one.group_add("both", await one.new_channel())
            await one.announce(["both", "one"])
            await other.announce(["both"])
            assert await heard() == [(1, 0, 0), (1, 1, 0), (2, 1, 0)]
            await one.announce(["one"])
            await one.withdraw(["one", "none"])
            assert await heard() == [(1, 0, 0), (1, 0, 0), (2, 0, 0)]
            await other.flush()
            assert await heard() == [(0, 0, 0), (1, 0, 0), (1, 0, 0)], "a process that has ended listens no more"
        finally:
            for each in (one, other, worker):
                await each.flush()


@pytest.mark.redis
@pytest.mark.asyncio
async def test_what_was_announced_is_announced_again_to_a_redis_that_was_restarted(tmp_path: Path) -> None:
    with redis_server(tmp_path) as url:
        one, other = layer([NEW], url), layer([NEW], url)
        try:
            await one.announce(["table.1"])
            async with Redis.from_url(url) as redis:
                await redis.client_kill_filter(_type="pubsub")
            async with asyncio.timeout(PATIENCE):
                while not (await other.listening_elsewhere(["table.1"]))["table.1"]:
                    await asyncio.sleep(0.01)
        finally:
            for each in (one, other):
                await each.flush()


@pytest.mark.redis
@pytest.mark.asyncio
async def test_whoever_lost_the_connection_is_told_once_it_is_back_and_the_next_message_is_sent_all_the_same(
    tmp_path: Path,
) -> None:
    with redis_server(tmp_path) as url:
        one, other = layer([NEW], url), layer([NEW], url)
        try:
            channel = await one.new_channel()
            await one.group_add("first", channel)
            await other.group_send("first", {"type": "before"})
            async with asyncio.timeout(PATIENCE):
                assert await one.receive(channel) == {"type": "before"}
                async with Redis.from_url(url) as redis:
                    await redis.client_kill_filter(_type="pubsub")
                    assert await one.receive(channel) == BACK
                    await redis.client_kill_filter(_type="normal", skipme=True)
                    await other.group_send("first", {"type": "after"})
                    assert await one.receive(channel) == {"type": "after"}
        finally:
            for each in (one, other):
                await each.flush()


@pytest.mark.redis
@pytest.mark.asyncio
async def test_who_waits_for_messages_gets_each_at_once_also_those_of_a_group_joined_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not once it has been quiet for a while, which here is never."""
    monkeypatch.setattr(layers, "QUIET", 3_600)
    waits, get_message = asyncio.Event(), layers._PatientPubSub.get_message

    async def noted(self: Any, *arguments: Any, **options: Any) -> Any:
        waits.set()
        try:
            return await get_message(self, *arguments, **options)
        finally:
            waits.clear()

    monkeypatch.setattr(layers._PatientPubSub, "get_message", noted)
    with redis_server(tmp_path) as url:
        one, other = layer([NEW], url), layer([NEW], url)
        try:
            channel = await one.new_channel()
            for group in ("first", "second"):
                heard = asyncio.create_task(one.receive(channel))
                async with asyncio.timeout(PATIENCE):
                    await waits.wait()
                    await one.group_add(group, channel)
                    while not (await other.listening_elsewhere([group]))[group]:
                        await asyncio.sleep(0.01)
                    await other.group_send(group, {"type": group})
                    assert await heard == {"type": group}
        finally:
            for each in (one, other):
                await each.flush()


def test_installations_on_files_share_no_prefix(tmp_path: Path) -> None:
    files = [sqlite(tmp_path / name) for name in ("one.sqlite3", "two.sqlite3")]
    assert prefix("", files[0]) == prefix("", files[0]) != prefix("", files[1])
