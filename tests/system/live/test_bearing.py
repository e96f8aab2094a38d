"""Sockets of a real server, in what tests inside one process would not notice: closing, stopping, slow readers."""

import asyncio
import contextlib
import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import websockets
from websockets import Origin
from websockets.exceptions import ConnectionClosed

from tables.play.seating import OFFLINE_AFTER_MS
from tests.support.client import Player
from tests.support.platform import DATABASE, PATIENCE, Platform
from tests.support.proxy import Proxy

pytestmark = pytest.mark.slow

#: Seconds that a busy machine may take for what takes milliseconds, and beyond what is allowed anyway.
BUSY = 3.0


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with Platform(Path(tmp_path_factory.mktemp("bearing"))).started() as running:
        yield running


async def closed(connection: Any, seconds: float = 10) -> tuple[int, int]:
    """Return the code with which the server closes, and how many frames came before."""
    frames = 0
    try:
        async with asyncio.timeout(seconds):
            while True:
                await connection.recv()
                frames += 1
    except ConnectionClosed as end:
        return (end.rcvd.code if end.rcvd else 1006), frames


def rows(platform: Platform, query: str, *arguments: Any) -> list[Any]:
    with contextlib.closing(sqlite3.connect(platform.data / DATABASE)) as database:
        return database.execute(query, arguments).fetchall()


def is_played(platform: Platform, name: str) -> bool:
    """Return whether a socket plays the seat of that player: the server may be too busy to note that it has gone."""
    query = "SELECT connection, seen_ms FROM tables_seating JOIN lobby_player ON user_id = lobby_player.id"
    now = time.time() * 1000
    return any(
        connection and now - seen_ms <= OFFLINE_AFTER_MS
        for connection, seen_ms in rows(platform, f"{query} WHERE username = ?", name)
    )


def memory(platform: Platform) -> int:
    """Return the bytes of memory of the web process."""
    pages = Path(f"/proc/{platform.processes['web'].pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


async def at_practice(platform: Platform, players: int = 2) -> tuple[Player, int]:
    player = Player(platform.address)
    await player.sign_up()
    seat = await player.post("/api/practice/", book="standard-points", players=players)
    return player, seat["table"]


@pytest.mark.parametrize(("size", "fragments"), [(9_000, 1), (300_000, 1), (300_000, 64)])
def test_a_message_too_large_is_closed_with_1009(platform: Platform, size: int, fragments: int) -> None:
    async def story() -> int:
        player, table = await at_practice(platform)
        async with player.at(table) as one:
            part = size // fragments
            await one.socket.send('{"type":"ping","id":"' + "x" * part if fragments == 1 else ["x" * part] * fragments)
            return (await closed(one.socket))[0]

    assert asyncio.run(story()) == 1009


MANY_STAKES = """
from lobby.models import Stake
Stake.objects.bulk_create(
    Stake(title=f"A stake among many others, number {number}", book="standard-points", seats=6, point_value=1)
    for number in range(80)
)
"""


def test_the_servers_messages_have_no_limit(platform: Platform) -> None:
    """A client's messages stay limited, before and after it."""
    platform.run_code(MANY_STAKES)

    async def story() -> tuple[int, int]:
        url = platform.address.replace("http", "ws") + "/ws/lobby/"
        async with websockets.connect(url, origin=Origin(platform.address)) as line:
            length = len(await asyncio.wait_for(line.recv(), 10))
            await line.send("x" * 40_000)
            return length, (await closed(line))[0]

    length, code = asyncio.run(story())
    assert length > 2 * 16_384
    assert code == 1009


def test_abuse_is_closed_with_1008_long_before_all_of_it_is_answered(platform: Platform) -> None:
    async def story() -> tuple[int, int]:
        player, table = await at_practice(platform)
        async with player.at(table) as one:
            with contextlib.suppress(ConnectionClosed):
                for _ in range(1_000):
                    await one.socket.send('{"type":"ping"}')
            return await closed(one.socket, PATIENCE)

    code, answered = asyncio.run(story())
    assert code == 1008
    assert answered < 500


def test_nothing_is_compressed_even_if_the_client_offers_it(platform: Platform) -> None:
    async def story() -> list[Any]:
        player, table = await at_practice(platform)
        url = platform.address.replace("http", "ws") + f"/ws/tables/{table}/"
        async with websockets.connect(url, additional_headers=player.headers, compression="deflate") as one:
            return list(one.protocol.extensions)

    assert asyncio.run(story()) == []


def test_dead_and_slow_lines_are_given_up_and_nobody_else_notices(platform: Platform) -> None:
    """One connection is half-open, one is read at a byte a second, and a third player plays on."""

    async def story() -> tuple[dict[str, float], list[float], int]:
        (dead, dead_at), (honest, honest_at) = [await at_practice(platform) for _ in range(2)]
        slow, slow_at = await at_practice(platform, players=6)
        async with Proxy([platform.port], receive_buffer=4096) as proxy, honest.at(honest_at):
            async with contextlib.AsyncExitStack() as lines:
                for player, table in ((dead, dead_at), (slow, slow_at)):
                    player.address = proxy.address
                    await lines.enter_async_context(player.at(table))
                proxy.lines[0].silent, proxy.lines[1].throttle = True, 1
                began, memory_before = time.monotonic(), memory(platform)
                asking = asyncio.create_task(ask_for_more(slow))
                closed_after: dict[str, float] = {}
                trips: list[float] = []
                while len(closed_after) < 2 and time.monotonic() - began < 2 * PATIENCE:
                    sent = time.monotonic()
                    await honest.ask("ping")
                    trips.append(time.monotonic() - sent)
                    for player in (dead, slow):
                        if player.name not in closed_after and not is_played(platform, player.name):
                            closed_after[player.name] = time.monotonic() - began
                    await asyncio.sleep(0.25)
                asking.cancel()
                for line in list(proxy.lines):
                    line.cut()
            return (
                {"dead": closed_after[dead.name], "slow": closed_after[slow.name]},
                trips,
                memory(platform) - memory_before,
            )

    closed_after, trips, grown = asyncio.run(story())
    # How long the slow one takes is not ours to say: the buffers on the way hold more than a hundred states.
    assert closed_after["dead"] <= 36 + BUSY
    assert sorted(trips)[len(trips) * 99 // 100] < BUSY
    assert grown < 30_000_000, closed_after


async def ask_for_more(player: Player) -> None:
    """Request states without reading them, as often as is allowed."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            await player.socket.send('{"type":"sync"}')
            await asyncio.sleep(0.15)


def test_a_server_told_to_stop_answers_says_1012_and_loses_no_move(platform: Platform) -> None:
    async def play_until_stopped() -> tuple[list[str], int | None]:
        player, table = await at_practice(platform)
        acked: list[str] = []
        async with player.at(table) as seat:
            with contextlib.suppress(ConnectionClosed):
                for number in range(200):
                    if number == 6:
                        platform.processes["web"].send_signal(signal.SIGTERM)
                    answer = await seat.ask("auto_drop", on=bool(number % 2))
                    acked.append(answer["id"])
                    await asyncio.sleep(0.13)
            code = seat.socket.protocol.close_code
        await asyncio.to_thread(platform.processes.pop("web").wait, 30)
        await asyncio.to_thread(platform.start)
        async with player.at(table):
            return acked, code

    acked, code = asyncio.run(play_until_stopped())
    assert 6 <= len(acked) < 200 and code == 1012
    stored = {request for (request,) in rows(platform, "SELECT request_id FROM tables_answer")}
    assert set(acked) <= stored, "an answer that was given is in the books"
