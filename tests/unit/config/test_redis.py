"""Messages through Redis: readable by processes of both steps of a key change, and sent only if others listen."""

import asyncio
from pathlib import Path
from unittest.mock import patch

import pytest
from cryptography.fernet import InvalidToken
from redis.asyncio import Redis

from config.redis_layer import ECHO, MOST_UNDER_WAY, PushLayer
from config.settings.databases import sqlite
from config.settings.redis import channel_layers, prefix
from tests.support.redis_server import redis_server

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
    with pytest.raises(InvalidToken):
        layer([FORMER]).deserialize(layer(SECOND_STEP).serialize({"type": "table.state"}))


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
async def test_a_group_gets_a_message_only_where_another_process_listens(tmp_path: Path) -> None:
    """Each layer is one process: two web processes, and a worker that does not listen."""
    message = {"type": "news"}
    with redis_server(tmp_path) as url:
        one, other, worker = layer([NEW], url), layer([NEW], url), layer([NEW], url)
        try:
            only = await _listen(one, url, listeners=1)
            await worker.group_send("all", message)
            assert await asyncio.wait_for(one.receive(only), 10) == message
            with patch.object(one, "serialize", wraps=one.serialize) as serialize:
                await one.group_send("all", message)
                assert not serialize.called
            channel = await _listen(other, url, listeners=2)
            for sender in (one, worker):
                await sender.group_send("all", message)
                assert await asyncio.wait_for(other.receive(channel), 10) == message
        finally:
            for each in (one, other, worker):
                await each.flush()


async def _listen(process: PushLayer, url: str, *, listeners: int) -> str:
    """Let the process join the group, until so many listen; return its channel."""
    channel: str = await process.new_channel()
    await process.group_add("all", channel)
    async with Redis.from_url(url) as redis, asyncio.timeout(10):
        while [count for _, count in await redis.pubsub_numsub(f"{process.prefix}__group__all")] != [listeners]:
            await asyncio.sleep(0)
    return channel


def test_installations_on_files_share_no_prefix(tmp_path: Path) -> None:
    files = [sqlite(tmp_path / name) for name in ("one.sqlite3", "two.sqlite3")]
    assert prefix("", files[0]) == prefix("", files[0]) != prefix("", files[1])
