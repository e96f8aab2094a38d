"""The same game on PostgreSQL and Redis with a worker and a beat of their own."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from config.settings.databases import database_settings
from config.settings.redis import prefix
from tables.play.broadcast import PROCESSES
from tests.benchmarks.load.processes import scratch_postgres
from tests.doors import postgresql_url
from tests.support.client import Player, has_result, my_row
from tests.support.platform import Distributed, Platform

pytestmark = [pytest.mark.redis, pytest.mark.slow]


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with scratch_postgres(postgresql_url(), "live") as database:
        running = Distributed(Path(tmp_path_factory.mktemp("distributed")), database)
        running.start()
        yield running
        running.stop()


async def play_one_deal(platform: Platform) -> None:
    player = Player(platform.address)
    await player.sign_up()
    seat = await player.post("/api/practice/", book="standard-points", players=2)
    async with player.at(seat["table"]):
        result = await player.play_until(has_result)
        await player.ask("leave")
    assert my_row(result, seat["seat"])["amount"] != 0
    assert await player.balance() == (10_000, 0), "practice is played with the house's chips"


def test_a_practice_deal_is_played_to_its_result(platform: Platform) -> None:
    asyncio.run(play_one_deal(platform))
    assert platform.manage("audit_ledger").returncode == 0


def test_all_that_lies_in_redis_bears_the_prefix_of_the_installation(platform: Platform) -> None:
    """Pushes reach whoever listens on any number of a Redis: a copy of the database has a prefix of its own."""
    database, address = platform.environment["RUMMY_DATABASE_URL"], platform.environment["RUMMY_REDIS_URL"]
    mine = prefix("", database_settings(database, Path()))
    assert mine != prefix("", database_settings(f"{database}_restored", Path()))

    async def look() -> tuple[set[bytes], list[bytes]]:
        player = Player(platform.address)
        await player.sign_up()
        seat = await player.post("/api/practice/", book="standard-points", players=2)
        found: set[bytes] = set()
        with redis.Redis.from_url(address) as server:
            async with player.at(seat["table"]):
                for _ in range(20):
                    await player.ask("ping")
                    found |= set(server.keys())
                channels = server.pubsub_channels(f"{mine}.layer.*")
                await player.ask("leave")
        return found, channels

    names, channels = asyncio.run(look())
    assert {name for name in names if not name.startswith(mine.encode())} == set()
    assert any(name.startswith(f"{mine}:tasks:".encode()) for name in names)
    assert any(f"{mine}.layer.__group__{PROCESSES}".encode() in name for name in channels)


def test_the_game_goes_on_without_any_worker(platform: Platform) -> None:
    """Clocks and computer players are nudged by the player's own socket; Celery only makes it quicker."""
    platform.kill("worker")
    platform.kill("beat")
    asyncio.run(play_one_deal(platform))
    assert platform.manage("audit_ledger").returncode == 0


def test_nothing_hidden_lies_in_redis(platform: Platform) -> None:
    """No view goes through Redis, and news are encrypted; what Celery is sent are ids."""

    async def watch_a_turn() -> bytes:
        monitor = redis.asyncio.Redis.from_url(platform.environment["RUMMY_REDIS_URL"])
        pubsub = monitor.pubsub()
        await pubsub.psubscribe("*")
        player = Player(platform.address)
        await player.sign_up()
        seat = await player.post("/api/practice/", book="standard-points", players=2)
        seen = b""
        async with player.at(seat["table"]):
            await player.until(lambda view: view["phase"] == "playing")
            for _ in range(20):
                message = await pubsub.get_message(ignore_subscribe_messages=True, timeout=1)
                seen += message["data"] if message and isinstance(message["data"], bytes) else b""
            hand = player.view["me"]["hand"]
            await player.ask("leave")
        assert seen, "nothing went through Redis: the check would prove nothing"
        assert not any(f'"{card}"'.encode() in seen for card in hand)
        return seen

    assert b"moves" not in asyncio.run(watch_a_turn())
