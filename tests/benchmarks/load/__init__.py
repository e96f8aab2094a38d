"""Whole tables on real sockets: the platform as in production, and the bare floor beside it in turns.

Rates depend on the machine and on what else it does; the processor time of a move and the ratio to the floor do not.
"""

import asyncio
import json
import resource
import statistics
import tempfile
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from tables.metrics import PARTS
from tests.benchmarks.load import arena, beside as beside_others, clocks, outage, people
from tests.benchmarks.load.clients import FloorTable, LoadTable, RummyTable, Times, join_all, play
from tests.benchmarks.load.processes import (
    Embedded,
    Production,
    by_kind,
    counted,
    floor_server,
    memory,
    platform,
    processor_seconds,
)
from tests.benchmarks.load.sockets import Socket
from wallet.base.commands import BadInput

#: Turns that platform and floor take, where this process may open the sockets of both.
_TURNS = 3
#: Files that this process opens besides sockets, at most.
_OTHER_FILES = 200
#: Seconds from the last handshake until all tables are dealt.
_DEALING = 120
#: Seconds that one player may take to be seated on a busy machine.
_SEATING = 0.5
#: The length of a turn and its extra time, in ms: none ends while players are still being seated.
_ENDLESS = 3_600_000, 60_000
#: Opens full tables.
_SEAT = """
import json
from django.db import transaction
from lobby.models import Player
from rest_framework.authtoken.models import Token

from wallet.keys.api_tokens import token_text
from rules.game.state import Clocks, Terms
from tables.play.opening import open_table
from tables.play import services
from wallet.play_money.services import open_wallet
start = 10_000
clocks = Clocks(start_two=start, start_more=start, start_full=start, turn={turn}, extra={extra})
terms = Terms(
    book="standard-points", book_version=1, seats={seats}, point_value=1, minimum=80, fee_percent=10, clocks=clocks
)
seated = []
for number in range({tables}):
    table = open_table(terms=terms, title=f"Load {{number}}", currency="FUN")
    keys = []
    for seat in range({seats}):
        with transaction.atomic():
            player = Player.objects.create(username=f"{name}{{number}}x{{seat}}", password="!")
            open_wallet(player)
            keys.append(token_text(Token.objects.create(user=player)))
        services.sit(table_id=table.pk, user=player)
    seated.append([table.pk, keys])
print(json.dumps(seated))
"""


def measure(
    tables: int = 33,
    seats: int = 6,
    mode: str = "closed",
    interval: float = 5.0,
    database: str | None = None,
    redis: str | None = None,
    webs: int | None = None,
    spread: bool = False,
    seconds: float = 30.0,
    beside: str | None = None,
    count: int = 300,
) -> dict[str, Any]:
    """Play `tables` tables of `seats` for `seconds` on the platform and as long on the floor, in turns.

    `closed`: the next move of a table goes out when all its sockets have the last. `paced`: one each `interval`
    seconds, timed from when it was due. `idle`: nobody says anything. `recover`: the same, and then the first web
    process is killed and started again. `clocks`: the players are away, and their clocks run out. These three have
    no floor. `tournament`: an arena of as many people as would fill the tables, who drop in every deal; the floor,
    before it, are these tables. `beside` something else, in turns with the same moves without it: sixty connections
    sign in (`sign-in`) or four ask for shared deals (`shared-deal`), or the ledger of `count` transfers of real play is
    exported (`export`) or audited (`audit`), without end; moves are paced. Or an arena of `count` people
    starts and is played at the same pace, after as many moves without it (`tournament`), or they come to ordinary
    tables instead (`tables`). With `spread` the players of each table are
    at different web processes instead of at one. Without `database` the embedded platform, else `webs` web processes,
    two workers and a beat on databases of their own beside that one, and on `redis` under a prefix of their own.
    """
    if mode == "recover" and not database:
        raise BadInput("What is killed and started again is a web process in production: give --database.")
    if not database and (redis or webs or spread):
        raise BadInput("Redis and several web processes belong to production: give --database.")
    webs = webs or 1
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    where = f"PostgreSQL, {webs} web process{'es' * (webs > 1)}" if database else "SQLite, embedded"
    what = f"{tables} tables of {seats} on {where}"
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        data = {name: Path(folder, name) for name in ("platform", "floor")}
        for each in data.values():
            each.mkdir()
        with platform(data["platform"], database, redis, webs) as installation:
            if mode == "clocks":
                _seated(installation, tables, seats, clocks.TURN, clocks.EXTRA)
                late, figures = clocks.away(installation, seconds)
                return {"what": what, "mode": mode, "late_ms": _percentiles([ms / 1000 for ms in late]), **figures}
            if mode == "tournament":
                arena.tell(f"{tables * seats} people are seated for the floor")
                seated = _seated(installation, tables, seats, *_ENDLESS)
                floor = asyncio.run(arena.run_floor(installation, seated, seconds))
                arena.tell(f"{tables * seats} people enter the arena")
                tournament, keys = arena.enter(installation, tables * seats, seats)
                figures = asyncio.run(arena.run_arena(installation, tournament, keys, seconds))
                ratio = arena.ratio(figures, floor)
                return {"what": what, "mode": mode, **figures, "floor": floor, "ratio": ratio}
            going_on = _beside(installation, beside, count, interval) if beside else None
            seated = _seated(installation, tables, seats, *_ENDLESS)
            if going_on is not None:
                figures = asyncio.run(_interrupted(installation, seated, seconds, spread, going_on))
            elif mode in ("idle", "recover"):
                figures = asyncio.run(_stand(installation, seated, seconds, spread, recover=mode == "recover"))
            else:
                with floor_server(data["floor"], database) as (port, process):
                    race = _Race(installation, port, process, interval if mode == "paced" else None)
                    figures = asyncio.run(race.run(seated, seconds, spread))
    is_paced = mode == "paced" or beside is not None
    return {"what": what, "mode": beside or mode, "interval": interval if is_paced else None, **figures}


def _beside(
    installation: Production | Embedded, what: str, count: int, interval: float
) -> Callable[..., Coroutine[Any, Any, dict[str, Any]]]:
    """Prepare what goes on beside the moves; return what measures them, given the installation, tables and seconds."""
    make: Callable[[], people.Arena | people.Ordinary]
    if what == "tournament":
        tournament, keys = arena.enter(installation, count, arena.SEATS)
        make = partial(people.Arena, installation, tournament, keys, interval)
    elif what == "tables":
        seated = _seated(installation, count // arena.SEATS, arena.SEATS, *_ENDLESS, name="other")
        make = partial(people.Ordinary, installation, seated, interval)
    else:
        addresses = beside_others.prepare(installation, what, count)
        return partial(beside_others.beside, what=what, addresses=addresses, interval=interval)
    return partial(beside_others.beside_people, others=people.Apart(make), interval=interval)


def _seated(
    installation: Production | Embedded, tables: int, seats: int, turn: int, extra: int, name: str = "load"
) -> list[tuple[int, list[str]]]:
    code = _SEAT.format(tables=tables, seats=seats, turn=turn, extra=extra, name=name)
    result = installation.manage("shell", "--no-imports", "-c", code, patience=60 + _SEATING * tables * seats)
    assert result.returncode == 0, result.stderr
    return [(table, keys) for table, keys in json.loads(result.stdout.splitlines()[-1])]


async def _stand(
    installation: Production | Embedded,
    seated: Sequence[tuple[int, list[str]]],
    seconds: float,
    spread: bool,
    *,
    recover: bool,
) -> dict[str, Any]:
    kinds = by_kind(installation)
    began, used, megabytes = perf_counter(), processor_seconds(kinds), memory(kinds)["web"]
    tables = await _joined(installation.ports, seated, spread)
    sockets = len(_sockets(tables))
    figures = {
        "sockets": sockets,
        "joined_s": round(perf_counter() - began, 1),
        "web_ms_a_join": round((processor_seconds(kinds)["web"] - used["web"]) * 1000 / sockets, 2),
        "memory_a_socket": round((memory(kinds)["web"] - megabytes) / sockets),
        **await outage.idle(installation, tables, seconds),
    }
    if recover and isinstance(installation, Production):
        figures["back_ms"] = _percentiles(await outage.recover(installation, seated))
    _abort(_sockets(tables))
    return figures


async def _interrupted(
    installation: Production | Embedded,
    seated: Sequence[tuple[int, list[str]]],
    seconds: float,
    spread: bool,
    going_on: Callable[..., Coroutine[Any, Any, dict[str, Any]]],
) -> dict[str, Any]:
    tables = await _joined(installation.ports, seated, spread)
    figures = await going_on(installation, tables, seconds)
    closed = sum(socket.closed is not None for socket in _sockets(tables))
    _abort(_sockets(tables))
    own = {name: _percentiles(seconds) for name, seconds in figures.pop("own").items()}
    alone, start = (
        own["alone"],
        {"start_ms": own["start"], "start_ratio": _ratio(own, "start")} if "start" in own else {},
    )
    return {
        "closed_sockets": closed,
        "own_ms": own["beside"],
        "floor": {"what": "the same moves without it", "own_ms": alone},
        "ratio": _ratio(own, "beside"),
        **start,
        **figures,
    }


def _ratio(own: Mapping[str, Mapping[str, float] | None], name: str) -> dict[str, float] | None:
    """Return how many times as long moves take at that time as alone."""
    alone, beside = own["alone"], own[name]
    return {each: round(beside[each] / alone[each], 2) for each in alone} if alone and beside else None


async def _joined(ports: Sequence[int], seated: Sequence[tuple[int, list[str]]], spread: bool) -> list[RummyTable]:
    """Return the tables when all of them are dealt; each at one of the ports, or its players at all of them in turn."""
    times = Times()
    tables = [RummyTable(times, f"{table}") for table, _ in seated]
    await join_all(
        (table, ports if spread else [ports[number % len(ports)]], f"/ws/tables/{table_id}/", keys)
        for number, (table, (table_id, keys)) in enumerate(zip(tables, seated, strict=True))
    )
    give_up = perf_counter() + _DEALING
    while not all(table.is_dealt for table in tables):
        assert perf_counter() < give_up, "not all tables were dealt"
        await asyncio.sleep(0.1)
    return tables


class _Race:
    """Platform and floor in turns, each with its own tables, times and processes."""

    def __init__(
        self, installation: Production | Embedded, floor_port: int, floor_process: int, interval: float | None
    ) -> None:
        self._installation, self._ports = installation, installation.ports
        self._floor_port, self._interval = floor_port, interval
        self._kinds = by_kind(installation)
        self._floor_kinds = {"web": [floor_process]} | {
            kind: pids for kind, pids in self._kinds.items() if kind == "postgres"
        }

    async def run(self, seated: Sequence[tuple[int, list[str]]], seconds: float, spread: bool) -> dict[str, Any]:
        before = memory(self._kinds)["web"]
        tables = await _joined(self._ports, seated, spread)
        sockets = _sockets(tables)
        per_socket = (memory(self._kinds)["web"] - before) / len(sockets)
        times = Times()
        floor = [FloorTable(times) for _ in seated]
        ours = _Sum(tables[0].times, self._kinds, partial(counted, self._installation))
        theirs = _Sum(floor[0].times, self._floor_kinds)
        turns = _turns(len(sockets))
        closed = 0
        for turn in range(turns):
            await ours.add(tables, seconds / turns, self._interval)
            closed = sum(socket.closed is not None for socket in sockets)
            if turns == 1:
                _abort(sockets)
            if turn == 0:
                await self._join_floor(floor, seated)
            await theirs.add(floor, seconds / turns, self._interval)
        _abort([*sockets, *_sockets(floor)])
        return {
            "sockets": len(sockets),
            "closed_sockets": closed,
            "memory_a_socket": round(per_socket),
            **ours.figures(),
            "floor": {"what": "durable, six views, no game", **theirs.figures()},
            "ratio": ours.ratio(theirs),
        }

    async def _join_floor(self, floor: Sequence[FloorTable], seated: Sequence[tuple[int, list[str]]]) -> None:
        await join_all(
            (table, [self._floor_port], f"/{number}/{{seat}}/", [""] * len(keys))
            for number, (table, (_, keys)) in enumerate(zip(floor, seated, strict=True))
        )


def _turns(sockets: int) -> int:
    """Return how often platform and floor take turns: once where this process may not open the sockets of both."""
    most_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _TURNS if 2 * sockets + _OTHER_FILES <= most_files else 1


def _sockets(tables: Sequence[LoadTable]) -> list[Socket]:
    return [socket for table in tables for socket in table.sockets]


def _abort(sockets: Sequence[Socket]) -> None:
    for socket in sockets:
        socket.abort()


class _Sum:
    """Moves, seconds and processor time over all turns of one side."""

    def __init__(
        self, times: Times, kinds: Mapping[str, list[int]], counted: Callable[[], Counter[str]] = Counter
    ) -> None:
        self._times, self._kinds, self._counted = times, kinds, counted
        #: What the processes have counted themselves: see `processes.counted`.
        self._counts: Counter[str] = Counter()
        self._seconds = 0.0
        self._moves = 0
        self._processor = dict.fromkeys(kinds, 0.0)

    async def add(self, tables: Sequence[LoadTable], seconds: float, interval: float | None) -> None:
        before = await asyncio.to_thread(self._counted)
        self._seconds += await play(tables, seconds, interval=interval, on_measuring=self._weigh)
        self._counts.update(await asyncio.to_thread(self._counted))
        self._counts.subtract(before)

    def _weigh(self, sign: int) -> None:
        """Subtract the processor time at the beginning, add it at the end."""
        self._moves += sign * self._times.moves
        for kind, used in processor_seconds(self._kinds).items():
            self._processor[kind] += sign * used

    @property
    def rate(self) -> float:
        return self._moves / self._seconds

    def figures(self) -> dict[str, Any]:
        moves = max(1, self._moves)
        return {
            "moves": self._moves,
            "moves_s": round(self.rate, 1),
            **{f"{name}_ms": _percentiles(getattr(self._times, name)) for name in ("own", "ack", "others")},
            "processor_ms_a_move": {kind: round(used * 1000 / moves, 3) for kind, used in self._processor.items()},
            **self._parts(),
            "cores": {kind: round(used / self._seconds, 3) for kind, used in self._processor.items()},
            "refused": dict(self._times.refused),
            "stuck": self._times.stuck,
        }

    def _parts(self) -> dict[str, Any]:
        """Return how the web processes' time is spent, by their own counters; what no part counts is the `rest`."""
        moves, counts = self._counts["made"], {name: self._counts[name] for name in PARTS}
        if not moves:
            return {}
        parts = {name: round(seconds * 1000 / moves, 3) for name, seconds in counts.items()}
        rest = self._processor["web"] * 1000 / max(1, self._moves) - sum(parts.values())
        return {"web_ms_a_move": {**parts, "rest": round(rest, 3)}}

    def ratio(self, floor: "_Sum") -> dict[str, float]:
        """Return how many times dearer a move is than on the floor: in rate, and in the web process's time."""
        web = self._processor["web"] / max(1, self._moves), floor._processor["web"] / max(1, floor._moves)
        return {
            "moves_s": round(floor.rate / self.rate, 2) if self.rate else float("inf"),
            "web_processor": round(web[0] / web[1], 2) if web[1] else float("inf"),
        }


def _percentiles(seconds: list[float]) -> dict[str, float] | None:
    if len(seconds) < 2:
        return None
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    return {name: round(cuts[at - 1] * 1000, 1) for name, at in {"median": 50, "p95": 95, "p99": 99}.items()}
