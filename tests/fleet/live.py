"""Real processes that are killed one after the other during play: no game, answered move or chip may be lost.

`size` is the number of tables and of kills: web, worker, Redis and PostgreSQL in turn. Besides, a web process is asked
to stop, answers are lost on their way, and Redis is emptied repeatedly and filled up under each of its policies. At the
end all workers and Redis are killed during the first deal and stay dead.
"""

import asyncio
import json
import random
import signal
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import httpx
import redis

from tests.fleet.durability import check_books
from tests.fleet.progress import progress
from tests.fleet.traffic.meters import quantile, spread
from tests.support.cluster import HELPERS, WEBS, Cluster, cluster
from tests.support.proxy import Proxy
from tests.system.live.bots import Bot, Record

SIZE = 100
#: After each of these, the slowest in a hundred players is back in play within so many seconds.
BOUNDS = {"web": 5.0, "worker": 3.0, "redis": 3.0, "postgres": 5.0, "web told to stop": 5.0}
BOUNDS |= {"answers lost": 5.0, "redis emptied": 5.0, "redis full": 5.0, "redis with room again": 5.0}
#: What is killed, in turn.
TARGETS = ("web1", "worker1", "redis", "postgres")
#: What Redis may do when it is full; only the first loses nothing, and only with it a process starts.
POLICIES = (
    "noeviction", "allkeys-lru", "allkeys-lfu", "allkeys-random",
    "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl",
)  # fmt: skip
#: How often Redis is emptied in a run.
FLUSHES = 5
#: Seconds of quiet play between two blows.
PAUSE = 3.0
#: Seconds that a player thinks at most before each move, in the middle; fewer where few play, so that enough happens.
THINKING = 8.0

ACCOUNTS = """
import json
from lobby.models import Player, Stake
from rest_framework.authtoken.models import Token

from wallet.keys.api_tokens import token_text
from wallet.play_money.services import open_wallet
clocks = dict(turn_seconds=10, extra_seconds=10, meld_seconds=4, result_seconds=4, prompt_seconds=3)
clocks |= dict(start_seconds=2, full_seconds=2)
stakes = [
    Stake.objects.create(title="Live points", book="standard-points", seats=2, point_value=1, **clocks).pk,
    Stake.objects.create(title="Live pool", book="standard-pool-101", seats=2, entry=10, **clocks).pk,
    Stake.objects.create(title="Live three", book="standard-deals-3", seats=2, entry=10, **clocks).pk,
]
tokens = []
for number in range({players}):
    player = Player.objects.create(username=f"live{{number}}", password="!")
    open_wallet(player)
    tokens.append(token_text(Token.objects.create(user=player)))
print(json.dumps([stakes, tokens]))
"""


def run(seed: int, size: int) -> dict[str, Any]:
    """Return the figures, and under `faults` everything that is wrong."""
    with tempfile.TemporaryDirectory(prefix="live-") as folder, cluster(Path(folder)) as running:
        output = running.run_code(ACCOUNTS.format(players=2 * size))
        stakes, tokens = json.loads(output.splitlines()[-1])
        return asyncio.run(LiveRun(running, seed, stakes, tokens).play())


class LiveRun:
    """One run: the players, the strikes, the results."""

    def __init__(self, running: Cluster, seed: int, stakes: Sequence[int], tokens: Sequence[str]) -> None:
        self.running, self.stakes, self.tokens = running, stakes, tokens
        self.random = random.Random(seed)
        self.record = Record()
        self.faults: list[str] = []
        self.back: dict[str, list[float]] = {}
        self.bots: list[Bot] = []
        #: Seconds from the first seat taken to the end of each part.
        self.stages: dict[str, float] = {}

    async def play(self) -> dict[str, Any]:
        rounds = max(1, len(self.tokens) // 2 // len(TARGETS))
        async with (
            Proxy([self.running.ports[name] for name in WEBS]) as proxy,
            httpx.AsyncClient(base_url=proxy.address, timeout=15) as http,
        ):
            began = time.monotonic()
            lives = self._start_bots(proxy, http, self.stakes)
            await self._all_play()
            self.stages["seated"] = time.monotonic() - began
            for number in range(rounds):
                progress(number, rounds, f"rounds; in play again after (p99): {self._slowest()}")
                await self._one_round(proxy)
            self.stages["struck"] = time.monotonic() - began
            await self._spoil_redis()
            self.stages["spoilt"] = time.monotonic() - began
            await self._go_home(lives)
            self.stages["gone home"] = time.monotonic() - began
            without = await self._without_helpers(proxy, http)
        self.running.down.clear()
        figures = await asyncio.to_thread(check_books, self.running, self.record, self.faults)
        return {
            "tables": len(self.tokens) // 2,
            "rounds": rounds,
            **figures,
            "without_helpers": without,
        } | self._figures()

    def _start_bots(
        self, proxy: Proxy, http: httpx.AsyncClient, stakes: Sequence[int], most: int | None = None
    ) -> list[asyncio.Task[None]]:
        pace = min(THINKING, max(0.4, len(self.tokens) / 25))
        self.bots = [
            Bot(proxy.address, http, token, stakes[number // 2 % len(stakes)], self.record, pace)
            for number, token in enumerate(self.tokens[:most])
        ]
        return [asyncio.create_task(bot.live()) for bot in self.bots]

    async def _all_play(self) -> None:
        await self._until(lambda: all(bot.view is not None for bot in self.bots), 60, "not everybody got a view")

    async def _one_round(self, proxy: Proxy) -> None:
        for what in TARGETS:
            await self._strike(what.rstrip("1"), what, signal.SIGKILL)
        await self._lose_answers(proxy)
        await self._strike("web told to stop", "web2", signal.SIGTERM)

    async def _strike(self, kind: str, what: str, how: signal.Signals) -> None:
        if what in WEBS:
            await asyncio.gather(*(asyncio.to_thread(self._wait_for, web) for web in WEBS))
        began, struck = time.monotonic(), self.running.processes[what]
        self.running.strike(what, how)
        self._ask_all()
        await self._until(lambda: struck.poll() is not None, 30, f"{what} did not stop")
        await self._back_after(kind, began)
        await asyncio.sleep(PAUSE)

    async def _spoil_redis(self) -> None:
        """Flush Redis, then give it no memory, then let it evict keys."""
        with redis.Redis.from_url(self.running.environment["RUMMY_REDIS_URL"]) as spoilt:
            for _ in range(FLUSHES):
                spoilt.flushall()
                await self._ask_and_wait("redis emptied")
                await asyncio.sleep(PAUSE)
            for policy in POLICIES:
                moves = len(self.record.acked)
                spoilt.config_set("maxmemory-policy", policy)
                spoilt.config_set("maxmemory", "1mb")
                await self._ask_and_wait("redis full")
                await self._until(lambda so_far=moves: len(self.record.acked) > so_far, 30, f"no move under {policy}")
                spoilt.config_set("maxmemory", 0)
                await self._ask_and_wait("redis with room again")
                await asyncio.sleep(PAUSE)
            spoilt.config_set("maxmemory-policy", "noeviction")

    def _ask_all(self) -> None:
        for bot in self.bots:
            if bot.table:
                bot.ask()

    async def _ask_and_wait(self, kind: str) -> None:
        began = time.monotonic()
        self._ask_all()
        await self._back_after(kind, began)

    async def _back_after(self, kind: str, began: float) -> None:
        """Wait until everybody at a table has had an answer since `began`, and record how long that took."""
        bots = [bot for bot in self.bots if bot.table]
        await self._until(
            lambda: all(bot.first_answer_since(began) is not None for bot in bots),
            40,
            f"not all came back after {kind}",
        )
        times = [bot.first_answer_since(began) for bot in bots]
        self.back.setdefault(kind, []).extend(each for each in times if each is not None)
        self.stages[kind] = time.monotonic() - began

    def _wait_for(self, web: str) -> None:
        """Wait until the web process serves again: the next kill must not meet a platform without the other one."""
        give_up = time.monotonic() + 60
        while time.monotonic() < give_up:
            try:
                if httpx.get(f"http://127.0.0.1:{self.running.ports[web]}/healthz", timeout=2).status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.2)
        self.faults.append(f"{web} did not come back")

    async def _lose_answers(self, proxy: Proxy) -> None:
        """Let moves arrive but lose their answers: repeated requests must get the first answer."""
        for _ in range(5):
            lines = self.random.sample(proxy.lines, max(1, len(proxy.lines) // 4))
            for line in lines:
                line.deaf = True
            await asyncio.sleep(0.6)
            for line in lines:
                line.cut()
            await asyncio.sleep(0.4)
        await self._ask_and_wait("answers lost")
        await asyncio.sleep(PAUSE)

    async def _go_home(self, lives: Iterable[asyncio.Task[None]]) -> None:
        for bot in self.bots:
            bot.going_home = True
        done, late = await asyncio.wait(lives, timeout=90)
        self.faults += [f"a bot failed: {task.exception()!r}" for task in done if task.exception()]
        if late:
            self.faults.append(f"{len(late)} players could not leave")
        for task in late:
            task.cancel()

    async def _without_helpers(self, proxy: Proxy, http: httpx.AsyncClient) -> dict[str, Any]:
        """Stop worker and Redis during the first deal: the matches must still come to their end."""
        finished, moves = self.record.matches, len(self.record.trips)
        lives = self._start_bots(proxy, http, self.stakes[1:], most=20)
        await self._all_play()
        self.running.down.update(HELPERS)
        for name in HELPERS:
            self.running.strike(name)
        for bot in self.bots:
            bot.pace, bot.hasty = 0.2, True
        began = time.monotonic()
        wanted = finished + len(self.bots)
        for bot in self.bots:
            bot.once = True
        _, late = await asyncio.wait(lives, timeout=420)
        if late:
            self.faults.append(f"{len(late)} players did not finish a match without worker and Redis")
        for task in late:
            task.cancel()
        trips = self.record.trips[moves:]
        finished_now = self.record.matches - finished
        return {
            "matches": finished_now // 2, "of": (wanted - finished) // 2, "seconds": round(time.monotonic() - began, 1),
            "move_ms": spread(trips),
        }  # fmt: skip

    def _figures(self) -> dict[str, Any]:
        for kind, times in self.back.items():
            if times and quantile(times, 99) > BOUNDS[kind]:
                self.faults.append(f"after {kind}: back in play only after {quantile(times, 99):.1f} s")
        if self.record.older_after_newer:
            self.faults.append(f"{self.record.older_after_newer} states were older than one before")
        if self.record.closed[1011]:
            self.faults.append(f"{self.record.closed[1011]} sockets were closed with 1011")
        return {
            "matches": self.record.matches // 2,
            "stages_s": {name: round(seconds, 1) for name, seconds in self.stages.items()},
            "asked_again": self.record.asked_again,
            "refused": dict(self.record.refused),
            "closed": {str(code): count for code, count in self.record.closed.items()},
            "back_in_play_s": {kind: spread(times, digits=2) for kind, times in self.back.items()},
            "faults": self.faults,
        }

    def _slowest(self) -> dict[str, float]:
        return {kind: round(quantile(times, 99), 1) for kind, times in self.back.items() if times}

    async def _until(self, condition: Any, seconds: float, otherwise: str) -> None:
        give_up = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > give_up:
                self.faults.append(otherwise)
                return
            await asyncio.sleep(0.05)
