"""Players who keep every answer, reconnect after every cut, and repeat unanswered requests under the same id."""

import asyncio
import contextlib
import itertools
import json
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx
import websockets
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.support.strategies import waits

Frame = dict[str, Any]

_VERSIONED = {"draw", "discard", "drop", "finish", "submit"}
#: Seconds between two pings, as in the page; until a refused one is sent again; until an unanswered one is a dead line.
PING, AGAIN, DEAD = 5.0, 0.5, 6.0


@dataclass
class Record:
    """What all bots of a run have received."""

    #: By request id: the table and the answer.
    acked: dict[str, tuple[int, Frame]] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    closed: Counter[int] = field(default_factory=Counter)
    asked_again: int = 0
    matches: int = 0
    older_after_newer: int = 0
    #: Milliseconds from a move to its answer.
    trips: list[float] = field(default_factory=list)


class Bot:
    """One player, who sits down at a stake, plays, and sits down again after the match, until told to go home."""

    def __init__(
        self, address: str, http: httpx.AsyncClient, token: str, stake: int, record: Record, pace: float
    ) -> None:
        self.address, self.http, self.stake, self.record, self.pace = address, http, stake, record, pace
        self.headers = {"Authorization": f"Token {token}"}
        self.name = token[:10]
        self.table = 0
        self.view: Frame | None = None
        self.version = -1
        self.going_home = False
        #: They play this one match to its end and go.
        self.once = False
        #: They show whatever they hold as soon as they may, so that deals are short.
        self.hasty = False
        self.answered_at: list[tuple[float, float]] = []
        self._random = random.Random(token)
        self._numbers = itertools.count()
        self._pending: Frame | None = None
        self._sent = self._pinged = self._ping_due = self._ready = self._cut_at = 0.0
        self._ping_id: str | None = None
        self._behind = False

    def first_answer_since(self, moment: float) -> float | None:
        """Return the seconds from that moment to the first answer to a request made after it and after the last cut.

        Return None if there was none yet.
        """
        since = max(moment, self._cut_at)
        return next((answer - moment for asked, answer in self.answered_at if asked >= since), None)

    def ask(self) -> None:
        """Make a request at once, and again after each reconnection, to measure the time without an answer."""
        self._ping_id, self._ping_due = None, 0.0

    async def live(self) -> None:
        """Play match after match until told to go home, then leave the seat."""
        while not self.going_home:
            await self._sit()
            if self.table:
                await self._play()
                if self.once:
                    return

    async def _sit(self) -> None:
        self.table, self.view, self.version = 0, None, -1
        try:
            # For several deals where they have so much, else for one.
            for wish in ({"buy_in": 800}, {}):
                answer = await self.http.post(f"/api/stakes/{self.stake}/seats/", json=wish, headers=self.headers)
                if answer.status_code in (200, 201):
                    self.table = answer.json()["table"]
                    return
        except httpx.HTTPError:
            pass
        await asyncio.sleep(0.5)

    async def _play(self) -> None:
        url = self.address.replace("http", "ws") + f"/ws/tables/{self.table}/"
        tries = 0
        while True:
            try:
                async with websockets.connect(
                    url, additional_headers=self.headers, open_timeout=5, ping_interval=None, compression=None
                ) as line:
                    tries = 0
                    self.ask()
                    self.version = -1
                    await self._talk(line)
                    return
            except ConnectionClosed as end:
                self.record.closed[end.rcvd.code if end.rcvd else 1006] += 1
            except (OSError, InvalidHandshake, TimeoutError):
                pass
            self._cut_at = time.monotonic()
            tries = min(tries + 1, 5)
            await asyncio.sleep(self._random.uniform(0.05, 0.2 * 2**tries))

    async def _talk(self, line: Any) -> None:
        if self._pending is not None:
            self.record.asked_again += 1
            await self._send(line, self._pending)
        while not self._done():
            with contextlib.suppress(TimeoutError):
                self._take(json.loads(await asyncio.wait_for(line.recv(), 0.2)))
            await self._look(line)

    def _done(self) -> bool:
        if self.view is None:
            return False
        if self.view["phase"] == "over":
            self.record.matches += 1
            return True
        return self.view["me"] is None

    def _take(self, frame: Frame) -> None:
        now = time.monotonic()
        if frame["type"] == "state":
            self.record.older_after_newer += frame["version"] < self.version
            self.version, self.view = frame["version"], frame["view"]
        elif frame["type"] == "pong" and frame.get("id") == self._ping_id:
            self.answered_at.append((self._pinged, now))
            self._ping_id, self._ping_due = None, now + PING
        elif self._pending is not None and frame.get("id") == self._pending["id"]:
            self._answered(frame, now)
        elif frame["type"] == "error":
            self.record.refused[frame["code"]] += 1
            self._ping_id, self._ping_due = None, now + AGAIN

    def _answered(self, frame: Frame, now: float) -> None:
        assert self._pending is not None
        if frame["type"] == "error" and frame["code"] in ("try_again", "rate_limited"):
            self.record.refused[frame["code"]] += 1
            self._sent = now - DEAD + 1
            return
        if frame["type"] == "ack":
            self.record.acked[self._pending["id"]] = (self.table, frame)
            self.record.trips.append((now - self._sent) * 1000)
        else:
            self.record.refused[frame["code"]] += 1
            self._behind = frame["code"] == "stale"
        self.answered_at.append((self._sent, now))
        self._pending = None
        self._ready = now + self._random.uniform(0.5, 1.5) * self.pace

    async def _look(self, line: Any) -> None:
        now = time.monotonic()
        if self._pending is not None:
            if now - self._sent > DEAD:
                self.record.asked_again += 1
                await self._send(line, self._pending)
        elif (
            self.view is not None
            and self.version >= 0
            and now >= self._ready
            and (move := self._choose(self.view)) is not None
        ):
            self._pending = {**move, "id": f"{self.name}-{self.table}-{next(self._numbers)}"}
            if move["type"] in _VERSIONED:
                self._pending["version"] = self.version
            await self._send(line, self._pending)
            return
        if self._behind:
            self._behind = False
            await line.send('{"type":"sync"}')
        if self._ping_id is None and now > self._ping_due:
            self._ping_id = f"p{next(self._numbers)}"
            self._pinged = now
            await line.send(json.dumps({"type": "ping", "id": self._ping_id}))
        elif self._ping_id is not None and now - self._pinged > DEAD:
            raise TimeoutError

    async def _send(self, line: Any, frame: Frame) -> None:
        self._sent = time.monotonic()
        await line.send(json.dumps(frame))

    def _choose(self, view: Frame) -> Frame | None:
        moves = view["me"]["moves"] if view["me"] else []
        if self.going_home and "leave" in moves:
            return {"type": "leave"}
        if "continue" in moves:
            return {"type": "continue"}
        if "finish" in moves and (self.hasty or self._random.random() < 0.1):
            return {"type": "finish", "card": view["me"]["drawn"]}
        if "drop" in moves and not self.hasty and self._random.random() < 0.15:
            return {"type": "drop"}
        if "answer_split" in moves:
            return {"type": "answer_split", "accept": True}
        if "rejoin" in moves:
            return {"type": "rejoin", "accept": False}
        wanted = waits(view) if view["me"] else None
        return None if wanted is not None and wanted.get("card", "") is None else wanted
