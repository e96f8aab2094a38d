"""One run: a table alone, all tables, a player who reads slowly, and strangers who open sockets and requests."""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import websockets

from config.settings.databases import CONNECTIONS
from tests.fleet.traffic import echo
from tests.fleet.traffic.meters import Meters, quantile, spread
from tests.fleet.traffic.players import Observations, Player
from tests.fleet.traffic.strangers import IdleSockets, UnfinishedRequests, read_slowly
from tests.support.platform import Platform

SEATS = 6
#: Seconds that a player thinks, in the middle.
PACE = 1.0
#: Honest joins a second while they are measured.
JOINS = 4.0
#: Connections to the database that a process may hold.
POOL = CONNECTIONS
#: The part of the time for which memory still fills with what is read once.
WARMING = 0.5
#: Seconds within which a move is shown to all, and longest for which anything at all is waited for.
SETTLED, PATIENCE = 0.5, 60.0
#: Seconds after which who reads a byte a second has long been closed.
SLOW_ENDS = 45.0
#: A p99 may grow by this factor and so many ms under what does not concern the players.
FACTOR, NOISE = 2.0, 20.0
#: Megabytes that one slow reader may cost a web process, and a minute of play any process.
SLOW_COSTS, SLOPE = 30.0, 30.0

ACCOUNTS = """
import json
from lobby.models import Player, Stake
from rest_framework.authtoken.models import Token

from wallet.keys.api_tokens import token_text
from wallet.play_money.services import open_wallet
stake = Stake.objects.create(
    title="Load", book="standard-points", seats={seats}, point_value=1, turn_seconds=30, extra_seconds=10,
    meld_seconds=5, result_seconds=3, prompt_seconds=3, start_seconds=5, full_seconds=2,
)
tokens = []
for number in range({players}):
    player = Player.objects.create(username=f"load{{number}}", password="!")
    open_wallet(player)
    tokens.append(token_text(Token.objects.create(user=player)))
print(json.dumps([stake.pk, tokens]))
"""


class LoadRun:
    """One run, with its players, meters and faults."""

    def __init__(
        self, running: Platform, ports: Mapping[str, int], echoing: int, stake: int, tokens: Sequence[str], seed: int
    ) -> None:
        self.running, self._web, self._echo_port, self._stake = running, ports, echoing, stake
        self._ports = list(ports.values())
        self._tokens, self._watchers = list(tokens[:-SEATS]), list(tokens[-SEATS:])
        self._random = random.Random(seed)
        self._random.shuffle(self._tokens)
        self.observations = Observations()
        self.echo: list[float] = []
        self.faults: list[str] = []
        self.players: list[Player] = []
        self._lives: list[asyncio.Task[None]] = []

    async def measure(self, seconds: float, *, slow_reader: bool) -> dict[str, Any]:
        """Return the figures of every part, each measured for `seconds`; the slow reader takes longer."""
        ours = {name: each.pid for name, each in self.running.processes.items() if name not in ("postgres", "redis")}
        with Meters(ours, self.running.environment.get("RUMMY_DATABASE_URL", "")) as meters:
            began = time.monotonic()
            alone = await self._alone(seconds / 2)
            all_tables = await self._all(seconds)
            since = self._quiet[0] + WARMING * seconds
            slow = await self._slow_reader(meters, seconds) if slow_reader else {}
            until = time.monotonic()
            strangers = await self._strangers(seconds)
            await self._stop()
            ended = time.monotonic()
        self._look_for_faults()
        return {
            "tables": len(self._tokens) // SEATS, "sockets": len(self._tokens), "seconds": round(ended - began),
            "alone": alone, "play": all_tables, "strangers": strangers, "slow_reader": slow,
            "processes": self._processes(meters, since, until), "refused": dict(self.observations.refused),
            "closed": {str(code): count for code, count in self.observations.closed.items()}, "faults": self.faults,
        }  # fmt: skip

    async def _alone(self, seconds: float) -> dict[str, Any]:
        await self._seat(self._tokens[:SEATS])
        return await self._play(seconds)

    async def _all(self, seconds: float) -> dict[str, Any]:
        await self._seat(self._tokens[SEATS:])
        began = time.monotonic()
        figures = await self._play(seconds)
        self._quiet = began, time.monotonic()
        return figures

    async def _seat(self, tokens: Sequence[str]) -> None:
        """Seat these players, six to a table, and let them play from now on."""
        ports = self._ports
        new = [
            Player(f"http://127.0.0.1:{ports[number % len(ports)]}", token, self._stake, self.observations, PACE)
            for number, token in enumerate(tokens)
        ]
        async with httpx.AsyncClient(timeout=30) as http:
            for first in range(0, len(new), SEATS):
                await asyncio.gather(*(each.sit(http) for each in new[first : first + SEATS]))
                self._lives += [asyncio.create_task(each.live()) for each in new[first : first + SEATS]]
        self.players += new
        give_up = time.monotonic() + 60
        while not all(_is_playing(each) for each in self.players):
            if time.monotonic() > give_up:
                self.faults.append(f"{sum(not _is_playing(each) for each in self.players)} players were dealt no cards")
                break
            await asyncio.sleep(0.1)

    async def _play(self, seconds: float, joins: Sequence[float] = (0.0,)) -> dict[str, Any]:
        """Measure for `seconds`, and longer until there are moves and joins to measure."""
        since, echoes = time.monotonic(), len(self.echo)
        async with self._floor():
            await asyncio.sleep(seconds)
            while not (joins and self.observations.push_times(since, time.monotonic() - SETTLED)):
                if time.monotonic() > since + seconds + PATIENCE:
                    break
                await asyncio.sleep(0.1)
        until = time.monotonic()
        moves = self.observations.move_times(since, until)
        return {
            "moves_a_second": round(len(moves) / (until - since), 1), "move_ms": spread(moves),
            "frame_ms": spread(self.observations.push_times(since, until - SETTLED)),
            "floor_ms": {"what": "an echo of a bare socket, at the same time", **spread(self.echo[echoes:])},
        }  # fmt: skip

    @asynccontextmanager
    async def _floor(self) -> AsyncIterator[None]:
        async with _background(echo.trips(self._echo_port, self.echo)):
            yield

    async def _strangers(self, seconds: float) -> dict[str, Any]:
        """Measure how long an honest player waits for their table, before strangers come and while they take every
        socket."""
        before: list[float] = []
        during: list[float] = []
        most = 2 * int(self.running.environment["RUMMY_SOCKETS_PER_ADDRESS"])
        idle, unfinished = IdleSockets(self._ports, most), UnfinishedRequests(self._ports, len(self._tokens))
        async with _background(self._join(before)):
            quiet = await self._play(seconds, before)
        opening = time.monotonic()
        await idle.fill()
        opened = time.monotonic()
        async with (
            _background(self._join(during)),
            _background(idle.keep_connecting()),
            _background(unfinished.trickle()),
        ):
            loud = await self._play(seconds, during)
        sockets, closed = idle.open, dict(idle.closed)
        await idle.leave()
        self._compare("a join", before, during)
        if not idle.refused["403"]:
            self.faults.append(f"nobody was turned away at the cap: {dict(idle.refused)}")
        return {
            "idle_sockets": sockets, "opened_in_s": round(opened - opening, 1), "turned_away": dict(idle.refused),
            "closed": closed,
            "unfinished_requests": len(self._tokens), "cut_off": len(unfinished.ended),
            "join_ms": {"before": spread(before), "during": spread(during)},
            "move_ms": {"before": quiet["move_ms"], "during": loud["move_ms"]},
            "floor_ms": {"before": quiet["floor_ms"], "during": loud["floor_ms"]},
        }  # fmt: skip

    async def _join(self, times: list[float]) -> None:
        """Measure the milliseconds from opening a table to its state, until cancelled."""
        while True:
            player = self._random.choice(self.players)
            url = player.address.replace("http", "ws") + f"/ws/tables/{player.table}/"
            headers = {"Authorization": f"Token {self._random.choice(self._watchers)}"}
            began = time.monotonic()
            async with websockets.connect(url, additional_headers=headers, open_timeout=30, compression=None) as line:
                while json.loads(await line.recv())["type"] != "state":
                    pass
            times.append((time.monotonic() - began) * 1000)
            await asyncio.sleep(1 / JOINS)

    async def _slow_reader(self, meters: Meters, seconds: float) -> dict[str, Any]:
        """Let one of six stop reading, and check that all others play on as before."""
        slow, floor = self.players[0], len(self.echo)
        slow.stopping = True
        await asyncio.wait([self._lives[0]], timeout=60)
        since, closes_before = time.monotonic(), await self._closed_as_slow()
        reading = asyncio.create_task(read_slowly(slow.address, slow.table, slow.headers, SLOW_ENDS))
        play = await self._play(max(seconds, SLOW_ENDS))
        await reading
        until = time.monotonic()
        closes = await self._closed_as_slow() - closes_before
        table = [ms for moment, ms, at in self.observations.moves if at == slow.table and since <= moment <= until]
        grown = {name: round(meters.grown(name, since, until), 1) for name in self._web}
        recent = self.observations.move_times(self._quiet[0], self._quiet[1], without=slow.table)
        self._compare("a move", recent, self.observations.move_times(since, until, without=slow.table))
        if not closes:
            self.faults.append("who read a byte a second was not closed with 4008")
        self.faults += [f"a slow reader cost {name} {size} MB" for name, size in grown.items() if size > SLOW_COSTS]
        return {
            "closed_with_4008": closes, "grown_mb": grown, "others_move_ms": play["move_ms"],
            "same_table_move_ms": spread(table), "before_move_ms": spread(recent),
            "floor_ms": spread(self.echo[floor:]),
        }  # fmt: skip

    async def _closed_as_slow(self) -> int:
        """Return how many sockets all web processes have closed for reading too slowly."""
        closes = 0.0
        async with httpx.AsyncClient(timeout=30) as http:
            for port in self._ports:
                text = (await http.get(f"http://127.0.0.1:{port}/metrics")).text
                lines = (line for line in text.splitlines() if line.startswith('rummy_socket_closes_total{code="4008"'))
                closes += sum(float(line.split()[-1]) for line in lines)
        return int(closes)

    def _compare(self, what: str, before: Sequence[float], during: Sequence[float]) -> None:
        if not before or not during:
            self.faults.append(f"nothing was measured of {what}")
        elif quantile(during, 99) > FACTOR * quantile(before, 99) + NOISE:
            self.faults.append(f"{what} took {quantile(during, 99):.0f} ms (p99), {quantile(before, 99):.0f} ms before")

    def _processes(self, meters: Meters, since: float, until: float) -> dict[str, Any]:
        limit, most = POOL * len(meters.memory), max(meters.connections, default=0)
        if most > limit:
            self.faults.append(f"{most} connections to the database, {limit} are allowed")
        if meters.left_open:
            self.faults.append(f"{meters.left_open} transactions were left open")
        slopes = {name: round(meters.slope(name, since, until), 1) for name in meters.memory}
        self.faults += [f"{name} grows by {slope} MB a minute" for name, slope in slopes.items() if slope > SLOPE]
        return {
            "connections": {"most": most, "limit": limit, "transactions_left_open": meters.left_open},
            "memory_mb": {name: round(samples[-1][1]) for name, samples in meters.memory.items()},
            "memory_mb_a_minute": slopes,
        }  # fmt: skip

    async def _stop(self) -> None:
        for player in self.players:
            player.stopping = True
        done, late = await asyncio.wait(self._lives, timeout=15)
        for task in late:
            task.cancel()
        self.faults += [f"a player failed: {task.exception()!r}" for task in done if task.exception()]

    def _look_for_faults(self) -> None:
        if self.observations.unanswered > self.observations.closed.total():
            self.faults.append(f"{self.observations.unanswered} moves were not answered")
        if self.observations.closed[1011]:
            self.faults.append(f"{self.observations.closed[1011]} sockets were closed with 1011")
        audit = self.running.manage("audit_ledger", "--json")
        if audit.returncode:
            self.faults.append(f"the books are wrong: {audit.stdout[-500:]}{audit.stderr[-500:]}")


def _is_playing(player: Player) -> bool:
    return player.view is not None and player.view["phase"] != "waiting"


@asynccontextmanager
async def _background(work: Any) -> AsyncIterator[None]:
    """Run the work in the background of this block; raise its error."""
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        if task.done():
            task.result()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
