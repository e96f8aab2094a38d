"""Players like those of the page: one socket, a ping every five seconds, a move after some thought."""

import asyncio
import contextlib
import itertools
import json
import random
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import httpx
import websockets
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.support.strategies import waits

Frame = dict[str, Any]

_VERSIONED = {"draw", "discard", "drop", "finish", "submit"}
#: Seconds between two pings, as in the page.
PING = 5.0
#: How often, at their turn, a player shows what they hold, and drops.
_SHOWS, _DROPS = 0.02, 0.01


@dataclass
class Observations:
    """What all players of a run have received, with the moments (monotonic seconds)."""

    #: (moment of the answer, milliseconds from the move to it, table).
    moves: list[tuple[float, float, int]] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    closed: Counter[int] = field(default_factory=Counter)
    #: By table and version: when the move was sent that led there, and when its frame came to the others.
    sent_at: dict[tuple[int, int], float] = field(default_factory=dict)
    arrived_at: dict[tuple[int, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    unanswered: int = 0

    def move_times(self, since: float, until: float, *, without: int = 0) -> list[float]:
        """Return the milliseconds of every move answered in that time, except at one table."""
        return [ms for moment, ms, table in self.moves if since <= moment <= until and table != without]

    def push_times(self, since: float, until: float) -> list[float]:
        """Return the milliseconds from each move in that time to its frame at each other player of the table."""
        moves = [(key, moment) for key, moment in self.sent_at.items() if since <= moment <= until]
        return [(arrival - moment) * 1000 for key, moment in moves for arrival in self.arrived_at[key]]


class Player:
    """A player who sits down, plays until stopped, and reconnects after every cut."""

    def __init__(self, address: str, token: str, stake: int, observations: Observations, pace: float) -> None:
        self.address, self.stake, self.observations, self.pace = address, stake, observations, pace
        self.headers = {"Authorization": f"Token {token}"}
        self.table = 0
        self.view: Frame | None = None
        self.stopping = False
        self._version = -1
        self._random = random.Random(token)
        self._numbers = itertools.count()
        self._asked: dict[str, float] = {}
        self._thinking: asyncio.Task[None] | None = None

    async def sit(self, http: httpx.AsyncClient) -> None:
        """Take a seat."""
        for turn in range(50):
            # For several deals where they have so much, else for one.
            wish = {} if turn % 2 else {"buy_in": 800}
            with contextlib.suppress(httpx.HTTPError):
                answer = await http.post(
                    f"{self.address}/api/stakes/{self.stake}/seats/", json=wish, headers=self.headers
                )
                if answer.status_code in (200, 201):
                    self.table = answer.json()["table"]
                    return
            await asyncio.sleep(0.3)
        raise AssertionError("no seat was to be had")

    async def live(self) -> None:
        """Play until stopped."""
        url = self.address.replace("http", "ws") + f"/ws/tables/{self.table}/"
        while not self.stopping:
            try:
                async with websockets.connect(
                    url, additional_headers=self.headers, open_timeout=30, ping_interval=None, compression=None
                ) as line:
                    await self._talk(line)
            except ConnectionClosed as end:
                if not self.stopping:
                    self.observations.closed[end.rcvd.code if end.rcvd else 1006] += 1
            except (OSError, InvalidHandshake, TimeoutError):
                self.observations.closed[0] += 1
            if not self.stopping:
                self.observations.unanswered += len(self._asked)
                self._asked.clear()
                await asyncio.sleep(self._random.uniform(0.2, 1.0))

    async def _talk(self, line: Any) -> None:
        pinging = asyncio.create_task(self._ping(line))
        try:
            async for text in line:
                self._take(json.loads(text))
                if self.stopping:
                    return
                if self._thinking is None or self._thinking.done():
                    self._thinking = asyncio.create_task(self._think(line))
        finally:
            pinging.cancel()
            if self._thinking is not None:
                self._thinking.cancel()

    async def _ping(self, line: Any) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                await asyncio.sleep(PING)
                await line.send('{"type":"ping"}')

    def _take(self, frame: Frame) -> None:
        now = time.monotonic()
        if frame["type"] == "state":
            if frame["version"] > self._version >= 0:
                self.observations.arrived_at[self.table, frame["version"]].append(now)
            self._version, self.view = frame["version"], frame["view"]
        elif (sent := self._asked.pop(str(frame.get("id")), None)) is not None:
            if frame["type"] == "ack":
                self.observations.moves.append((now, (now - sent) * 1000, self.table))
                self.observations.sent_at[self.table, frame["version"]] = sent
            else:
                self.observations.refused[frame["code"]] += 1

    async def _think(self, line: Any) -> None:
        """Wait and then make a move, if there is one; the next frame brings the next decision."""
        if self.view is None or self._chosen(self.view) is None or self._asked:
            return
        await asyncio.sleep(self._random.uniform(0.5, 1.5) * self.pace)
        move = self._chosen(self.view)
        if move is None:
            return
        request = f"{self.headers['Authorization'][-8:]}-{next(self._numbers)}"
        versioned = {"version": self._version} if move["type"] in _VERSIONED else {}
        self._asked[request] = time.monotonic()
        with contextlib.suppress(ConnectionClosed):
            await line.send(json.dumps({**move, **versioned, "id": request}))

    def _chosen(self, view: Frame) -> Frame | None:
        if not view["me"]:
            return None
        moves = view["me"]["moves"]
        if "continue" in moves:
            return {"type": "continue"}
        if "finish" in moves and self._random.random() < _SHOWS:
            return {"type": "finish", "card": view["me"]["drawn"]}
        if "drop" in moves and self._random.random() < _DROPS:
            return {"type": "drop"}
        move = waits(view)
        return None if move is None or move.get("card", "") is None else move
