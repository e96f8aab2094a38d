"""Hostile frames against a real server: `size` of them, while others play an honest game.

No socket may be closed with 1011, the log may contain no traceback, memory may not grow, and the game must go on.
"""

import asyncio
import json
import os
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import websockets
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.fleet.progress import progress
from tests.support.client import Player
from tests.support.platform import Platform

SIZE = 200_000
#: Frames for each connection: what the token bucket lets through, and then some.
EACH = 44
#: Connections at a time, and accounts behind them.
ABREAST, ACCOUNTS = 8, 8
#: Seconds after which the last question is asked again, and how often: the token bucket may refuse it.
AGAIN, TRIES = 0.3, 100
#: Bytes by which the server may grow, and seconds within which the honest player hears from it.
GROWTH, PATIENCE = 50_000_000, 5.0

Sent = str | bytes | list[str]

VALID: list[dict[str, Any]] = [
    {"type": "sync"},
    {"type": "ping"},
    {"type": "draw", "pile": "closed", "version": 3},
    {"type": "discard", "card": "7H1", "version": 3},
    {"type": "drop", "version": 3},
    {"type": "auto_drop", "on": True},
    {"type": "finish", "card": "JR1", "version": 3},
    {"type": "arrange", "groups": [["7H1", "8H1", "9H1"], ["JR1"]]},
    {"type": "sort"},
    {"type": "submit", "groups": [["7H1", "8H1", "9H1"]]},
    {"type": "continue"},
    {"type": "add_chips", "amount": 80},
    {"type": "rejoin", "accept": True},
    {"type": "offer_split"},
    {"type": "answer_split", "accept": False},
    {"type": "client_seed", "seed": "0" * 32},
]
#: Names that the server's own objects answer to; none may be reached from outside.
NAMES = [
    "connect", "disconnect", "receive", "send", "close", "accept", "dispatch", "expel", "beat", "compare", "catch_up",
    "listen", "websocket.receive", "websocket.disconnect", "websocket_connect", "table.state", "table_state",
    "table.notice", "table_taken_over", "user.turn", "user_signed_out", "lobby.stake", "_listen", "_push", "_answer",
    "__init__", "__class__", "__call__", "on_database", "refresh_groups", "state", "ack", "error", "pong", "sit",
    "tick", "expire", "grant", "deal_prepared", "cancel",
]  # fmt: skip
#: Values of every wrong kind, for any field.
WRONG: list[Any] = [
    None, True, -1, 0, 1.5, 2**53 + 1, 10**30, "", " ", "\x00", "7H1\x00", "\ud800", "é" * 70, "x" * 65, "x" * 2_000,
    [], {}, [[]], [[[]]], [None], [["7H1"] * 15], [["7H1"]] * 200, {"a": {"b": []}}, "' OR 1=1 --", "<script>", "٣",
    "7H1",
]  # fmt: skip


def frames(chance: random.Random) -> Iterator[Sent]:
    """Yield frames of every kind, without end."""
    kinds = [_mutated] * 6 + [_named, _text, _numbers, _binary, _nested, _large, _fragments, _doubled]
    while True:
        yield chance.choice(kinds)(chance)


def _mutated(chance: random.Random) -> Sent:
    frame = dict(chance.choice(VALID))
    for _ in range(chance.randint(1, 2)):
        name = chance.choice([*frame, "id", "version", "type", "seat", "valid", "score", "cards", "__proto__", ""])
        if chance.random() < 0.2:
            frame.pop(name, None)
        else:
            frame[name] = chance.choice(WRONG)
    return json.dumps(frame)


def _named(chance: random.Random) -> Sent:
    return json.dumps({"type": chance.choice(NAMES), "code": 1000, "text": "x", "id": "n"})


def _text(chance: random.Random) -> Sent:
    return chance.choice(
        ["", "{", "[]", "null", "1", '"ping"', "{}", "[[", "}{", '{"type"}', "{'type':'ping'}", "\x00", "\ufeff{}",
         '{"type":"ping",}', '{"type":"\\ud800"}', '{"type":"ping","id":"\\udc00"}', '{"type":"ping"}{"type":"ping"}',
         '{"type":"ping","id":"\\u0000"}', "😀" * 100, " " * 4_000]
    )  # fmt: skip


def _numbers(chance: random.Random) -> Sent:
    number = chance.choice(
        ["NaN", "Infinity", "-Infinity", "1e999", "-0", "0x10", "1e-400", "9" * 5_000, "1." + "0" * 900]
    )
    name = chance.choice(["id", "version", "amount"])
    return f'{{"type":"add_chips","amount":80,"{name}":{number}}}'


def _binary(chance: random.Random) -> Sent:
    return chance.choice([b"", b"\x00", b"\xff\xfe", b'{"type":"ping"}', chance.randbytes(chance.randint(1, 4_000))])


def _nested(chance: random.Random) -> Sent:
    depth = chance.choice([50, 500, 3_900])
    opening, closing = chance.choice([("[", "]"), ('{"a":', "}")])
    return ('{"type":"arrange","groups":' + opening * depth + "1" + closing * depth + "}")[: 8 * 1024]


def _large(chance: random.Random) -> Sent:
    if chance.random() < 0.9:
        return '{"type":"ping","id":"' + "x" * chance.randint(60, 8_100) + '"}'
    return "x" * chance.choice([8 * 1024, 8 * 1024 + 1, 16 * 1024 + 1, 100_000, 1_048_576])


def _fragments(chance: random.Random) -> Sent:
    text = json.dumps(chance.choice(VALID))
    cut = chance.randint(0, len(text))
    return [text[:cut], "", text[cut:]]


def _doubled(chance: random.Random) -> Sent:
    return chance.choice(
        ['{"type":"ping","type":"leave"}', '{"type":"drop","version":1,"version":2}', '{"id":1,"id":2,"type":"ping"}']
    )


def run(seed: int, size: int) -> dict[str, Any]:
    """Return the figures, and under `faults` everything that is wrong."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        platform = Platform(Path(folder), RUMMY_SOCKETS_PER_ADDRESS="100000")
        platform.start()
        try:
            return asyncio.run(Assault(platform, seed, size).led())
        finally:
            platform.stop()


class Assault:
    """Attackers with many connections, and one honest player."""

    def __init__(self, platform: Platform, seed: int, size: int) -> None:
        self.platform, self.size = platform, size
        self.chance = random.Random(seed)
        self.sent = 0
        self.closed: Counter[int] = Counter()
        self.answers: Counter[str] = Counter()
        self.trips: list[float] = []
        self.moves = 0
        self.faults: list[str] = []

    async def led(self) -> dict[str, Any]:
        attackers = [await self._player() for _ in range(ACCOUNTS)]
        honest = await self._player()
        playing = asyncio.create_task(self._play_honestly(*honest))
        while not self.moves:
            await asyncio.sleep(0.1)
        await self._attack(*attackers[0], 20)
        memory, began = self._memory(), time.monotonic()
        await asyncio.gather(*(self._keep_attacking(*attackers[place % ACCOUNTS]) for place in range(ABREAST)))
        seconds, grown = time.monotonic() - began, self._memory() - memory
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        self._judge(grown)
        slowest = sorted(self.trips)[len(self.trips) * 99 // 100] if self.trips else 0.0
        return {
            "frames": self.sent, "seconds": round(seconds, 1), "closed": {str(k): n for k, n in self.closed.items()},
            "answers": dict(self.answers), "grown_mb": round(grown / 1e6, 1), "honest_moves": self.moves,
            "honest_p99_ms": round(slowest * 1000, 1), "faults": self.faults,
        }  # fmt: skip

    async def _player(self) -> tuple[Player, int]:
        player = Player(self.platform.address)
        await player.sign_up()
        seat = await player.post("/api/practice/", book="standard-points", players=2)
        return player, seat["table"]

    async def _keep_attacking(self, player: Player, table: int) -> None:
        while self.sent < self.size:
            await self._attack(player, table, EACH)
            progress(self.sent, self.size, "frames")

    async def _attack(self, player: Player, table: int, count: int) -> None:
        path = "/ws/lobby/" if self.chance.random() < 0.1 else f"/ws/tables/{table}/"
        url = self.platform.address.replace("http", "ws") + path
        try:
            async with websockets.connect(
                url, additional_headers=player.headers, compression=None, open_timeout=30, close_timeout=1
            ) as line:
                reading = asyncio.create_task(self._read(line))
                for number, frame in zip(range(count), frames(self.chance), strict=False):
                    # Something valid now and then: abuse in a row would end the connection at once.
                    await line.send('{"type":"sync"}' if number % 15 == 14 else frame)
                    self.sent += 1
                for _ in range(TRIES):
                    await line.send('{"type":"ping","id":"last"}')
                    if (await asyncio.wait([reading], timeout=AGAIN))[0]:
                        break
                reading.cancel()
        except ConnectionClosed:
            pass
        except (InvalidHandshake, OSError, TimeoutError) as fault:
            self.answers[type(fault).__name__] += 1
            await asyncio.sleep(0.2)

    async def _read(self, line: Any) -> None:
        try:
            while True:
                frame = json.loads(await line.recv())
                self.answers[frame.get("code", frame["type"])] += 1
                if frame.get("id") == "last":
                    return
        except ConnectionClosed as end:
            self.closed[end.rcvd.code if end.rcvd else 1006] += 1

    async def _play_honestly(self, player: Player, table: int) -> None:
        async with player.at(table):
            while True:
                began = time.monotonic()
                await player.ask("ping")
                self.trips.append(time.monotonic() - began)
                moves = player.view["me"]["moves"] if player.view["me"] else []
                for kind, fields in (
                    ("draw", {"pile": "closed"}), ("discard", {"card": player.view["me"]["drawn"]}), ("submit", {}),
                    ("continue", {}),
                ):  # fmt: skip
                    if kind in moves:
                        self.moves += (await player.ask(kind, **fields))["type"] == "ack"
                        break
                await asyncio.sleep(0.3)

    def _memory(self) -> int:
        pages = Path(f"/proc/{self.platform.processes['web'].pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def _judge(self, grown: int) -> None:
        if self.closed[1011]:
            self.faults.append(f"{self.closed[1011]} sockets were closed with 1011")
        traces = re.findall(r"Traceback[\s\S]{0,1500}", self.platform.log("web"))
        if traces:
            self.faults.append(f"{len(traces)} tracebacks in the log: {traces[0]}")
        if grown > GROWTH:
            self.faults.append(f"the server has grown by {grown} bytes")
        if not self.moves:
            self.faults.append("the honest player made no move")
        if self.trips and max(self.trips) > PATIENCE:
            self.faults.append(f"the honest player waited for {max(self.trips):.1f} s")
