"""Tables of players who move as fast as they may, or at a human pace; all times are taken here, at the client."""

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from tests.benchmarks.load.sockets import Socket, connect

_VERSION = re.compile(rb'"version":(\d+)')
_TURN = re.compile(rb'"turn_seat":(\d+)')
#: Handshakes under way at a time, and how often one is tried.
_DOORS, _TRIES = 8, 8
#: Seconds that a move may take before it counts as stuck.
_PATIENCE = 30


@dataclass
class Times:
    """Seconds from sending a move (or from when it was due) to its answers, and what went wrong meanwhile."""

    own: list[float] = field(default_factory=list)
    ack: list[float] = field(default_factory=list)
    others: list[float] = field(default_factory=list)
    moves: int = 0
    stuck: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    measuring: bool = False

    def take(self, into: list[float], since: float) -> None:
        if self.measuring:
            into.append(perf_counter() - since)


class LoadTable:
    """Sockets at one table, one move under way at a time: the next when all of them have the last.

    `_next_move` and `_understand` are the language that the server speaks.
    """

    def __init__(self, times: Times) -> None:
        self.times = times
        self.sockets: list[Socket] = []
        self.running = False
        self._mover, self._sent_at = 0, 0.0
        #: Seats that have not seen the move yet, and whether its mover has been answered.
        self._waiting: set[int] = set()
        self._answered = True
        self._done: asyncio.Future[None] | None = None

    async def join(self, ports: Sequence[int], path: str, tokens: Sequence[str]) -> None:
        for seat, token in enumerate(tokens):
            self.sockets.append(await self._connect(ports[seat % len(ports)], path, token, seat))

    async def _connect(self, port: int, path: str, token: str, seat: int) -> Socket:
        for tries in range(_TRIES):
            try:
                return await connect(port, path.format(seat=seat), token, lambda text: self._understand(seat, text))
            except ConnectionError:
                if tries == _TRIES - 1:
                    raise
                await asyncio.sleep(1)
        raise AssertionError

    def move(self, since: float | None = None) -> bool:
        """Send the next move, timed from now or from when it was due; whether there was one to send."""
        if self._waiting or (made := self._next_move()) is None:
            return False
        self._mover, frame = made
        self._sent_at = since or perf_counter()
        self._waiting, self._answered = set(range(len(self.sockets))), False
        self.sockets[self._mover].send(frame)
        return True

    def _next_move(self) -> tuple[int, bytes] | None:
        raise NotImplementedError

    def _understand(self, seat: int, text: bytes) -> None:
        raise NotImplementedError

    def _saw(self, seat: int) -> None:
        if seat in self._waiting:
            self._waiting.discard(seat)
            self.times.take(self.times.own if seat == self._mover else self.times.others, self._sent_at)
            self._go_on()

    def _acknowledged(self) -> None:
        if not self._answered:
            self._answered = True
            self.times.take(self.times.ack, self._sent_at)
            self._go_on()

    def _refused(self, code: str) -> None:
        """Try again a little later: the view that it was made from was an old one."""
        self.times.refused[code] += 1
        self._waiting, self._answered = set(), True
        asyncio.get_running_loop().call_later(0.2, lambda: self.running and self.move())

    def _go_on(self) -> None:
        if self._waiting or not self._answered:
            return
        self.times.moves += self.times.measuring
        if self._done is not None and not self._done.done():
            self._done.set_result(None)
        elif self.running:
            self.move()

    async def play_paced(self, interval: float, until: float) -> None:
        """Make one move each `interval` seconds, timed from when it was due, however late the server is."""
        due = perf_counter() + random.random() * interval
        while due < until:
            await asyncio.sleep(max(0, due - perf_counter()))
            self._done = asyncio.get_running_loop().create_future()
            if self.move(due):
                try:
                    await asyncio.wait_for(self._done, _PATIENCE)
                except TimeoutError:
                    self.times.stuck += 1
                    self._waiting = set()
            due += interval


class RummyTable(LoadTable):
    """Whoever's turn it is draws from the closed deck and discards that card; it goes on for ever."""

    def __init__(self, times: Times, name: str) -> None:
        super().__init__(times)
        self._name, self._count, self._version = name, 0, 0
        self._latest: dict[int, tuple[int, bytes]] = {}

    @property
    def is_dealt(self) -> bool:
        return any(b'"phase":"playing"' in text for _, text in self._latest.values())

    def _understand(self, seat: int, text: bytes) -> None:
        if text.startswith(b'{"type":"state"'):
            version = int(_search(_VERSION, text, 80))
            self._latest[seat] = (version, text)
            if version > self._version:
                self._saw(seat)
        elif text.startswith(b'{"type":"ack"'):
            self._acknowledged()
        elif text.startswith(b'{"type":"error"'):
            self._refused(str(json.loads(text)["code"]))

    def _next_move(self) -> tuple[int, bytes] | None:
        if not self._latest:
            return None
        turn = _TURN.search(max(self._latest.values())[1])
        if turn is None or (seat := int(turn[1])) not in self._latest:
            return None
        self._version, text = self._latest[seat]
        me = json.loads(text)["view"]["me"]
        if "draw" in me["moves"]:
            move = b'"type":"draw","pile":"closed"'
        elif "discard" in me["moves"] and me["drawn"]:
            move = b'"type":"discard","card":"%s"' % me["drawn"].encode()
        else:
            return None
        self._count += 1
        return seat, b'{%s,"version":%d,"id":"%s-%d"}' % (move, self._version, self._name.encode(), self._count)


class FloorTable(LoadTable):
    """Seats move in turn; the floor knows no rule that could refuse it."""

    _turn = 0

    def _understand(self, seat: int, text: bytes) -> None:
        if seat == self._mover:
            self._acknowledged()
        self._saw(seat)

    def _next_move(self) -> tuple[int, bytes] | None:
        self._turn = (self._turn + 1) % len(self.sockets)
        return self._turn, b'{"type":"discard","card":"7H","id":"0123456789"}'


def _search(pattern: re.Pattern[bytes], text: bytes, within: int) -> bytes:
    match = pattern.search(text, 0, within)
    assert match is not None, text[:within]
    return match[1]


async def join_all(joining: Iterable[tuple[LoadTable, Sequence[int], str, Sequence[str]]]) -> None:
    """Open the sockets of every (table, ports, path, tokens), at the ports in turn, a few handshakes at a time."""
    doors = asyncio.Semaphore(_DOORS)

    async def join(table: LoadTable, ports: Sequence[int], path: str, tokens: Sequence[str]) -> None:
        async with doors:
            await table.join(ports, path, tokens)

    await asyncio.gather(*(join(*each) for each in joining))


async def play(
    tables: Sequence[LoadTable], seconds: float, *, interval: float | None, on_measuring: Callable[[int], None]
) -> float:
    """Let all tables move for so long, measured but for the first fifth; return the measured seconds.

    Without `interval` every table moves as fast as it can. `on_measuring(-1)` is called when the measured part begins,
    and `on_measuring(1)` when it ends.
    """
    times, until = tables[0].times, perf_counter() + seconds
    for table in tables:
        table.running = interval is None
    paced = [asyncio.create_task(table.play_paced(interval, until)) for table in tables] if interval else []
    for table in tables:
        if interval is None:
            table.move()
    await asyncio.sleep(seconds / 5)
    on_measuring(-1)
    began, times.measuring = perf_counter(), True
    await asyncio.sleep(seconds * 4 / 5)
    times.measuring = False
    on_measuring(1)
    measured = perf_counter() - began
    for table in tables:
        table.running = False
    await asyncio.gather(*paced)
    return measured
