"""People who wait in the lobby and come to the tables of an arena, or to ordinary ones, and play there.

With a pace they play as people do, and deals last as long as real ones; without one they drop as soon as they can.
"""

import asyncio
import json
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from tests.benchmarks.load.processes import Embedded, Production, by_kind, processor_seconds
from tests.benchmarks.load.sockets import Socket, connect

#: Handshakes under way at a time.
_DOORS = 8
#: How often somebody with a pace drops on their turn. A deal of six has 35 moves then, as has one of computer players.
_DROPS = 0.25
#: How far the processes that are measured go before people beside them, who take nothing from a server elsewhere.
_NICE = 19
#: Lets it begin; prints when.
_BEGIN = """
from tables.models import Tournament
from tables.play import store
starts = store.now_ms() + 3_000
Tournament.objects.filter(pk={arena}, status="open").update(starts_ms=starts, next_ms=starts)
print(starts)
"""


class Times:
    """Seconds from the start to when each was called and dealt, and from each result to the next table; and counts."""

    def __init__(self) -> None:
        self.began = 0.0
        self.seated: list[float] = []
        self.dealt: list[float] = []
        self.paired: list[float] = []
        #: Seconds from each result to the next deal.
        self.dealt_again: list[float] = []
        #: The bytes of each push of the standings.
        self.pushed: list[float] = []
        #: All bytes that the sockets of the lobby and of the tables were sent.
        self.received = 0
        self.deals = 0
        #: Set once everybody may act.
        self.goes_on = asyncio.Event()


class _Person:
    """Somebody in the arena, or at an ordinary table: drops as soon as it can be, and goes on after the result.

    With a `pace` they act about so many seconds after they may, and now and then draw and discard before they drop.
    """

    def __init__(
        self,
        times: Times,
        doors: asyncio.Semaphore,
        ports: Sequence[int],
        number: int,
        key: str,
        pace: float | None = None,
    ) -> None:
        self._times, self._doors, self._ports, self._number, self._key = times, doors, ports, number, key
        self._pace = pace
        self._lobby: Socket | None = None
        self._table: Socket | None = None
        self._coming: set[asyncio.Task[None]] = set()
        self._phase, self._was_dealt, self._is_between = "", False, False
        #: The move that they will make of those that the last view allows, and its version.
        self._act: dict[str, str] | None = None
        self._version = 0
        #: When the last deal of theirs ended; 0 before the first.
        self._ended = 0.0

    async def wait_in_lobby(self) -> None:
        async with self._doors:
            self._lobby = await connect(
                self._ports[self._number % len(self._ports)], "/ws/lobby/", self._key, self._hear
            )

    async def sit_down(self, table: int) -> None:
        async with self._doors:
            if self._table is not None:
                self._table.abort()
            self._phase = ""
            # As nginx does it: all players of a table are at one process.
            port = self._ports[table % len(self._ports)]
            self._table = await connect(port, f"/ws/tables/{table}/", self._key, self._see)
        # The first view may have come before that.
        if self._times.goes_on.is_set():
            self.act()

    def abort(self) -> None:
        for task in self._coming:
            task.cancel()
        for socket in (self._lobby, self._table):
            if socket is not None:
                socket.abort()

    def _hear(self, text: bytes) -> None:
        self._times.received += len(text)
        if text.startswith(b'{"type":"standings"'):
            self._times.pushed.append(len(text))
        if not text.startswith(b'{"type":"tournament_table"'):
            return
        since, into = (self._ended, self._times.paired) if self._ended else (self._times.began, self._times.seated)
        into.append(time.time() - since)
        task = asyncio.get_running_loop().create_task(self.sit_down(json.loads(text)["table"]))
        self._coming.add(task)
        task.add_done_callback(self._coming.discard)

    def _see(self, text: bytes) -> None:
        self._times.received += len(text)
        if not text.startswith(b'{"type":"state"'):
            return
        frame = json.loads(text)
        view, before = frame["view"], self._phase
        self._phase = view["phase"]
        if self._phase == "playing" and not self._was_dealt:
            self._was_dealt = True
            self._times.dealt.append(time.time() - self._times.began)
        if self._phase == "playing" and self._is_between:
            self._is_between = False
            self._times.dealt_again.append(time.time() - self._ended)
        own = view["me"] or {"seat": None, "moves": []}
        if before == "playing" and self._phase in ("result", "over"):
            self._ended, self._is_between = time.time(), True
            self._times.deals += own["seat"] == 0
        self._act = self._choose(own)
        self._version = frame["version"]
        if self._times.goes_on.is_set():
            self.act()

    def _choose(self, own: Mapping[str, Any]) -> dict[str, str] | None:
        if "continue" in own["moves"]:
            return {"type": "continue"}
        if "drop" in own["moves"] and (self._pace is None or random.random() < _DROPS):
            return {"type": "drop"}
        if "draw" in own["moves"]:
            return {"type": "draw", "pile": "closed"}
        if "discard" in own["moves"] and own["drawn"]:
            return {"type": "discard", "card": own["drawn"]}
        return None

    def act(self) -> None:
        """Make the move that they have chosen, if any; at the person's pace."""
        if self._act is None:
            return
        if self._pace is None:
            self._send(self._version)
        else:
            pause = random.uniform(0.5, 1.5) * self._pace
            asyncio.get_running_loop().call_later(pause, self._send, self._version)

    def _send(self, version: int) -> None:
        if self._act is not None and self._table is not None and version == self._version:
            sent = {**self._act, "version": self._version, "id": f"{self._version}"}
            self._table.send(json.dumps(sent).encode())


class _People:
    """People who wait in the lobby for their tables."""

    def __init__(self, installation: Production | Embedded, keys: Sequence[str], pace: float | None) -> None:
        self.times, self.installation = Times(), installation
        doors = asyncio.Semaphore(_DOORS)
        self.people = [
            _Person(self.times, doors, installation.ports, number, key, pace) for number, key in enumerate(keys)
        ]

    async def wait_in_lobby(self) -> float:
        """Let everybody wait in the lobby; return what a join took of the web processes, in ms of processor."""
        used = processor_seconds(by_kind(self.installation))["web"]
        await asyncio.gather(*(person.wait_in_lobby() for person in self.people))
        return (processor_seconds(by_kind(self.installation))["web"] - used) * 1000 / len(self.people)

    def let_go_on(self) -> None:
        """Let everybody act from now on."""
        self.times.goes_on.set()
        for person in self.people:
            person.act()

    def abort(self) -> None:
        for person in self.people:
            person.abort()


class Arena(_People):
    """An arena and its people, who have entered it."""

    def __init__(
        self, installation: Production | Embedded, arena: int, keys: Sequence[str], pace: float | None = None
    ) -> None:
        super().__init__(installation, keys, pace)
        self._arena = arena

    async def begin(self) -> None:
        """Let it begin in a moment."""
        begins = await asyncio.to_thread(self.installation.run_code, _BEGIN.format(arena=self._arena))
        self.times.began = int(begins.splitlines()[-1]) / 1000


class Ordinary(_People):
    """As many ordinary tables, and the people who hold their seats."""

    def __init__(
        self, installation: Production | Embedded, seated: Sequence[tuple[int, list[str]]], pace: float | None = None
    ) -> None:
        super().__init__(installation, [key for _, keys in seated for key in keys], pace)
        self._tables = [table for table, keys in seated for _ in keys]

    async def begin(self) -> None:
        """Let everybody come to their table."""
        self.times.began = time.time()
        await asyncio.gather(*map(_Person.sit_down, self.people, self._tables))


class Apart:
    """People in a process of their own: what they do holds up nothing that is measured in this one."""

    def __init__(self, make: Callable[[], Arena | Ordinary]) -> None:
        context = get_context("fork")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_live, args=(make, self._pipe, theirs), daemon=True)
        self._process.start()
        theirs.close()

    async def wait_in_lobby(self) -> None:
        self._pipe.send("lobby")
        await asyncio.to_thread(self._pipe.recv)

    def begin(self) -> None:
        """Let it begin, and everybody play from then on."""
        self._pipe.send("begin")

    async def end(self) -> dict[str, int]:
        """Let everybody leave; return how many were dealt, how many deals ended, and how many pushes came."""
        self._pipe.send("end")
        ends = await asyncio.to_thread(self._pipe.recv)
        self._process.join()
        return dict(ends)


def _live(make: Callable[[], Arena | Ordinary], ours: Connection, pipe: Connection) -> None:
    # Held here as well, it would never end by the end of who measures.
    ours.close()
    os.nice(_NICE)
    asyncio.run(_follow(make, pipe))


async def _follow(make: Callable[[], Arena | Ordinary], pipe: Connection) -> None:
    """Do what `Apart` asks for, step by step."""
    running = make()
    running.times.goes_on.set()
    await asyncio.to_thread(pipe.recv)
    await running.wait_in_lobby()
    pipe.send("waiting")
    await asyncio.to_thread(pipe.recv)
    await running.begin()
    await asyncio.to_thread(pipe.recv)
    running.abort()
    times = running.times
    pipe.send({"dealt": len(times.dealt), "deals": times.deals, "pushes": len(times.pushed)})
