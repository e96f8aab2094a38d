"""`kill -9` in the middle of a turn: a client compares the seconds left before with those left after."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.client import Player
from tests.support.platform import Platform

pytestmark = pytest.mark.slow

STAKE = """
from lobby.models import Stake
Stake.objects.create(book="standard-points", seats=2, point_value=1, title="Killed", turn_seconds=30, extra_seconds=10,
    start_seconds=1, order=-1)
"""
#: The clock of a turn that has nearly run out has so many seconds left, and the platform is away for longer.
LEFT, AWAY = 8, 10
#: Whoever was awaited has so many ms from the first frame on.
GRACE_MS = 10_000
#: The heartbeat was noted so many seconds before the end, at most, on a machine that is busy.
HEARTBEAT = 5.0


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    with Platform(tmp_path).started(STAKE) as running:
        yield running


def test_a_turn_has_the_time_of_the_outage_back_and_ten_seconds_at_least(platform: Platform) -> None:
    async def story() -> None:
        mover, table = await _to_move(platform)
        async with mover.at(table):
            await mover.ask("draw", pile="closed")
            while not mover.view["me"]["drawn"]:
                await mover.receive()
            had, drawn = mover.view["clock"], mover.view["me"]["drawn"]
            # Early in the turn: the clock moves by what the outage took, and by nothing else.
            killed, restarted = await asyncio.to_thread(_restart, platform, 3)
        async with mover.at(table):
            moved = (mover.view["clock"]["deadline"] - had["deadline"]) / 1000
            assert restarted - killed <= moved <= time.monotonic() - killed + HEARTBEAT
            assert (mover.view["clock"]["kind"], mover.view["me"]["drawn"]) == ("turn", drawn)
            assert max(frame.get("away_ms", 0) for frame in mover.frames) >= 1000 * (restarted - killed)
            # Late in it, and for longer than was left.
            await asyncio.sleep(max(0, mover.view["clock"]["remaining_ms"] / 1000 - LEFT))
            await asyncio.to_thread(_restart, platform, AWAY)
        async with mover.at(table):
            clock = mover.view["clock"]
            assert (clock["kind"], mover.view["me"]["drawn"]) == ("turn", drawn), "the platform played for the player"
            assert clock["remaining_ms"] >= GRACE_MS
        async with mover.at(table):
            assert mover.view["clock"]["deadline"] == clock["deadline"], "to come again brings nothing"
            assert (await mover.ask("discard", card=drawn, version=mover.version))["type"] == "ack"

    asyncio.run(story())
    assert platform.manage("audit_ledger", "--json").returncode == 0


async def _to_move(platform: Platform) -> tuple[Player, int]:
    """Return who is to move at a running deal of two, and the table."""
    players = [Player(platform.address) for _ in range(2)]
    for player in players:
        await player.sign_up()
    stakes = (await players[0].get("/api/lobby/"))["stakes"]
    stake = next(each["id"] for each in stakes if each["title"] == "Killed")
    tables = [(await player.post(f"/api/stakes/{stake}/seats/", buy_in=200))["table"] for player in players]
    async with players[0].at(tables[0]):
        view = players[0].view
        if view["phase"] != "playing":
            view = await players[0].until(lambda seen: seen["phase"] == "playing")
        own = view["deal"]["turn_seat"] == view["me"]["seat"]
    return players[0 if own else 1], tables[0]


def _restart(platform: Platform, away: float) -> tuple[float, float]:
    """Kill the platform and start it again after `away` seconds; return the times of both."""
    killed = time.monotonic()
    platform.kill()
    time.sleep(away)
    restarted = time.monotonic()
    platform.start()
    return killed, restarted
