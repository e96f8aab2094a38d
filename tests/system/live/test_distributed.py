"""The same game on PostgreSQL and Redis, with two web processes, a worker and a beat of their own.

A web process that is stopped in the middle of a transaction blocks only the table it was changing, for as long as
PostgreSQL lets a transaction stand.
"""

import asyncio
import contextlib
import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
import websockets

from config.settings.databases import IDLE_IN_TRANSACTION, database_settings
from config.settings.redis import prefix
from tables.play.broadcast import PROCESSES
from tests.benchmarks.load.processes import scratch_postgres
from tests.doors import postgresql_url
from tests.support.client import Player, has_result, my_row
from tests.support.platform import Distributed, Platform, free_port

pytestmark = [pytest.mark.redis, pytest.mark.slow]

#: Seconds that a busy machine may take for what takes milliseconds, and beyond what is allowed anyway.
BUSY = 3.0
#: Somebody's answer cannot be written at this moment.
WAITS = (
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    " AND query LIKE 'INSERT INTO \"tables_answer\"%'"
)


STAKE = """
from lobby.models import Stake
Stake.objects.create(book="standard-points", seats=2, point_value=1, title="Apart", start_seconds=1, order=-1)
"""


class Two(Distributed):
    """The distributed platform with a second web process, at the port `beside`."""

    def start_web(self) -> None:
        self.beside = free_port()
        self.run("web2", ["manage.py", "serve", "--port", str(self.beside)])
        super().start_web()

    def wait_until_up(self) -> None:
        super().wait_until_up()
        first, self.port = self.port, self.beside
        super().wait_until_up()
        self.port = first


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    with scratch_postgres(postgresql_url(), "live") as database:
        running = Two(Path(tmp_path_factory.mktemp("distributed")), database)
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


def test_every_key_in_redis_has_the_prefix_of_the_installation(platform: Platform) -> None:
    """Pushes reach listeners on any database number of a Redis: a copy of the database has a prefix of its own."""
    database, address = platform.environment["RUMMY_DATABASE_URL"], platform.environment["RUMMY_REDIS_URL"]
    mine = prefix("", database_settings(database, Path()))
    assert mine != prefix("", database_settings(f"{database}_restored", Path()))

    async def look() -> tuple[set[bytes], list[bytes]]:
        player = Player(platform.address)
        await player.sign_up()
        seat = await player.post("/api/practice/", book="standard-points", players=2)
        keys: set[bytes] = set()
        with redis.Redis.from_url(address) as server:
            async with player.at(seat["table"]):
                for _ in range(20):
                    await player.ask("ping")
                    keys |= set(server.keys())
                channels = server.pubsub_channels(f"{mine}.layer.*")
                await player.ask("leave")
        return keys, channels

    names, channels = asyncio.run(look())
    assert {name for name in names if not name.startswith(mine.encode())} == set()
    assert any(name.startswith(f"{mine}:tasks:".encode()) for name in names)
    assert any(f"{mine}.layer.__group__{PROCESSES}".encode() in name for name in channels)


async def newcomer(address: str) -> tuple[Player, int]:
    """Sign somebody up and seat them at a table of their own: of six, so that one who drops ends no deal."""
    player = Player(address)
    await player.sign_up()
    seat = await player.post("/api/practice/", book="standard-points", players=6)
    return player, seat["table"]


async def timed(player: Player, kind: str, **fields: Any) -> tuple[float, dict[str, Any]]:
    began = time.monotonic()
    answer = await player.ask(kind, **fields)
    return time.monotonic() - began, answer


@contextlib.contextmanager
def stop_in_mid_transaction(platform: Two) -> Iterator[None]:
    """Stop the first web process where it has changed the table under its lock, and has not committed.

    A move writes its answer last: there the process waits until it is stopped.
    """
    with psycopg.connect(platform.environment["RUMMY_DATABASE_URL"]) as blocking:
        blocking.execute("LOCK TABLE tables_answer IN SHARE MODE")
        yield
        with psycopg.connect(platform.environment["RUMMY_DATABASE_URL"], autocommit=True) as looking:
            give_up = time.monotonic() + 30
            while looking.execute(WAITS).fetchone() is None:
                assert time.monotonic() < give_up, "no move has come so far"
                time.sleep(0.02)
        platform.processes["web"].send_signal(signal.SIGSTOP)
        blocking.rollback()


async def gives_up(player: Player, table: int) -> None:
    """Start a handshake with the stopped process and leave, so that it later finds a client who is gone."""
    url = player.address.replace("http", "ws") + f"/ws/tables/{table}/"
    with contextlib.suppress(TimeoutError):
        await websockets.connect(url, additional_headers=player.headers, open_timeout=1)


async def plays_on(player: Player, until: asyncio.Event) -> list[float]:
    """Return the seconds of each request of a player at another table."""
    took: list[float] = []
    while not until.is_set():
        for kind, fields in (("ping", {}), ("arrange", {"groups": []})):
            seconds, answer = await timed(player, kind, **fields)
            assert answer.get("code") != "try_again", answer
            took.append(seconds)
        # No more than a socket may say for good.
        await asyncio.sleep(0.3)
    return took


async def stopped_and_woken(platform: Two) -> dict[str, float]:
    """Return the seconds of the slowest request at another table, and of the first move at the locked one after
    rejoining."""
    beside = f"http://127.0.0.1:{platform.beside}"
    (player, table), (other, elsewhere) = await newcomer(platform.address), await newcomer(beside)
    moved = Player(beside)
    moved.headers = player.headers
    enough = asyncio.Event()
    async with other.at(elsewhere), player.at(table):
        await player.until(lambda view: view["phase"] == "playing")
        with stop_in_mid_transaction(platform):
            await player.socket.send(json.dumps({"type": "arrange", "groups": [], "id": "stopped"}))
        try:
            playing, began = asyncio.create_task(plays_on(other, enough)), time.monotonic()
            await gives_up(player, table)
            async with moved.at(table):
                answer = await moved.ask("arrange", groups=[])
                since = time.monotonic() - began
                assert answer["type"] == "ack", answer
                platform.processes["web"].send_signal(signal.SIGCONT)
                closed = asyncio.create_task(player.socket.wait_closed())
                # What the process does with all that it finds must not move the seat again.
                await asyncio.wait_for(closed, 30)
                for _ in range(4):
                    assert (await moved.ask("ping"))["type"] == "pong"
                    await asyncio.sleep(0.5)
                answer = await moved.ask("arrange", groups=[])
                assert answer["type"] == "ack", answer
        finally:
            platform.processes["web"].send_signal(signal.SIGCONT)
            enough.set()
        others = await playing
    return {"others": max(others), "held": since, "closed": player.socket.close_code}


def test_a_web_process_that_stands_in_mid_transaction_keeps_only_that_table_waiting(platform: Two) -> None:
    figures = asyncio.run(asyncio.wait_for(stopped_and_woken(platform), 90))
    print(json.dumps(figures))
    assert figures["others"] < BUSY
    assert figures["held"] < IDLE_IN_TRANSACTION / 1000 + 2 + BUSY
    assert figures["closed"] == 4001
    with psycopg.connect(platform.environment["RUMMY_DATABASE_URL"]) as looking:
        assert looking.execute("SELECT count(*) FROM tables_table WHERE status = 'frozen'").fetchone() == (0,)
    assert platform.manage("audit_ledger").returncode == 0


def test_the_game_goes_on_without_any_worker(platform: Platform) -> None:
    """The player's own socket nudges clocks and computer players; Celery only makes it quicker."""
    platform.kill("worker")
    platform.kill("beat")
    asyncio.run(play_one_deal(platform))
    assert platform.manage("audit_ledger").returncode == 0


def test_nothing_hidden_lies_in_redis(platform: Two) -> None:
    """No view goes through Redis, messages are encrypted, and Celery gets ids only."""
    platform.run_code(STAKE)

    async def watch_a_turn() -> bytes:
        monitor = redis.asyncio.Redis.from_url(platform.environment["RUMMY_REDIS_URL"])
        pubsub = monitor.pubsub()
        await pubsub.psubscribe("*")
        players = Player(platform.address), Player(f"http://127.0.0.1:{platform.beside}")
        for player in players:
            await player.sign_up()
        stakes = (await players[0].get("/api/lobby/"))["stakes"]
        stake = next(each["id"] for each in stakes if each["title"] == "Apart")
        [table] = {(await player.post(f"/api/stakes/{stake}/seats/", buy_in=200))["table"] for player in players}
        async with players[0].at(table), players[1].at(table):
            for player in players:
                while not player.view["me"]["hand"]:
                    await player.receive()
            mover, other = players if "draw" in players[0].view["me"]["moves"] else reversed(players)
            drawn = await mover.ask("draw", pile="closed")
            while other.version < drawn["version"]:
                await other.receive()
            messages = b""
            while (message := await pubsub.get_message(timeout=1)) is not None:
                messages += message["data"] if isinstance(message["data"], bytes) else b""
            hands = [card for player in players for card in player.view["me"]["hand"]]
            for player in players:
                await player.ask("leave")
        assert messages, "nothing went through Redis: the check would prove nothing"
        assert not any(f'"{card}"'.encode() in messages for card in hands)
        return messages

    assert b"moves" not in asyncio.run(watch_a_turn())
