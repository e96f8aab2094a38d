"""The sockets of a real server, where tests inside one process would not notice: closing, stopping, slow readers."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import websockets
from websockets.exceptions import ConnectionClosed

from tests.live.client import Player
from tests.live.platform import Platform

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    running = Platform(Path(tmp_path_factory.mktemp("bearing")))
    running.start()
    yield running
    running.stop()


async def closed(connection: Any, seconds: float = 10) -> tuple[int, float]:
    """The code with which the server closes, and how many seconds that took."""
    began = time.monotonic()
    try:
        async with asyncio.timeout(seconds):
            while True:
                await connection.recv()
    except ConnectionClosed as end:
        return (end.rcvd.code if end.rcvd else 1006), time.monotonic() - began


async def at_practice(platform: Platform) -> tuple[Player, int]:
    player = Player(platform.address)
    await player.sign_up()
    seat = await player.post("/api/practice/", book="standard-points", players=2)
    return player, seat["table"]


@pytest.mark.parametrize(("size", "fragments"), [(9_000, 1), (300_000, 1), (300_000, 64)])
def test_what_is_too_large_is_closed_with_1009(platform: Platform, size: int, fragments: int) -> None:
    async def story() -> int:
        player, table = await at_practice(platform)
        async with player.at(table) as one:
            part = size // fragments
            await one.socket.send('{"type":"ping","id":"' + "x" * part if fragments == 1 else ["x" * part] * fragments)
            return (await closed(one.socket))[0]

    assert asyncio.run(story()) == 1009


def test_abuse_is_closed_with_1008_within_a_second(platform: Platform) -> None:
    async def story() -> tuple[int, float]:
        player, table = await at_practice(platform)
        async with player.at(table) as one:
            for _ in range(1_000):
                await one.socket.send('{"type":"ping"}')
            return await closed(one.socket)

    code, seconds = asyncio.run(story())
    assert code == 1008
    assert seconds < 5


def test_nothing_is_compressed_even_if_the_client_offers_it(platform: Platform) -> None:
    async def story() -> list[Any]:
        player, table = await at_practice(platform)
        url = platform.address.replace("http", "ws") + f"/ws/tables/{table}/"
        async with websockets.connect(url, additional_headers=player.headers, compression="deflate") as one:
            return list(one.protocol.extensions)

    assert asyncio.run(story()) == []
