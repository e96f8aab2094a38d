"""A player written against the published contracts alone."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import websockets

Frame = dict[str, Any]
PASSWORD = "a horse at the table 9"


class Player:
    """A player who signs up over HTTP, plays over the socket, and records every frame received."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.name = "t" + secrets.token_hex(5)
        self.frames: list[Frame] = []
        self.view: Frame = {}
        self.version = -1
        self._ids = 0

    async def sign_up(self) -> None:
        account = {"username": self.name, "password": PASSWORD}
        async with httpx.AsyncClient(base_url=self.address, timeout=30) as http:
            (await http.post("/api/auth/signup/", json=account)).raise_for_status()
        async with httpx.AsyncClient(base_url=self.address, timeout=30) as http:
            answer = await http.post("/api/auth/token/", json=account)
            self.headers = {"Authorization": f"Token {answer.raise_for_status().json()['token']}"}

    async def get(self, path: str, **query: Any) -> Any:
        async with httpx.AsyncClient(base_url=self.address, headers=self.headers, timeout=30) as http:
            return (await http.get(path, params=query)).raise_for_status().json()

    async def post(self, path: str, **content: Any) -> Any:
        async with httpx.AsyncClient(base_url=self.address, headers=self.headers, timeout=30) as http:
            return (await http.post(path, json=content)).raise_for_status().json()

    async def balance(self) -> tuple[int, int]:
        """Return the fun chips that are free and those in play."""
        wallet = await self.get("/api/wallet/")
        entry = next(balance for balance in wallet["balances"] if balance["currency"] == "FUN")
        return entry["free"], entry["in_play"]

    @asynccontextmanager
    async def at(self, table: int) -> AsyncIterator["Player"]:
        """Connect to the table's socket for the block, which starts after the first view has arrived."""
        url = self.address.replace("http", "ws") + f"/ws/tables/{table}/"
        async with websockets.connect(url, additional_headers=self.headers, open_timeout=30) as self.socket:
            await self.until(lambda view: True)
            yield self

    async def receive(self) -> Frame:
        frame: Frame = json.loads(await asyncio.wait_for(self.socket.recv(), 60))
        self.frames.append(frame)
        if frame["type"] == "state" and frame["version"] >= self.version:
            self.version, self.view = frame["version"], frame["view"]
        return frame

    async def until(self, condition: Callable[[Frame], bool]) -> Frame:
        """Wait for the first view, from the next state frame on, for which `wanted` is true, and return it."""
        while True:
            frame = await self.receive()
            if frame["type"] == "state" and condition(self.view):
                return self.view

    async def ask(self, kind: str, **fields: Any) -> Frame:
        """Send a frame and return the `ack` or `error` that answers it."""
        self._ids += 1
        request = f"{self.name}-{self._ids}"
        await self.socket.send(json.dumps({"type": kind, "id": request, **fields}))
        while True:
            frame = await self.receive()
            if frame.get("id") == request:
                return frame

    async def play_until(self, condition: Callable[[Frame], bool]) -> Frame:
        """Draw from the closed deck and discard that card, submit without changes, until `done`; return the view."""
        while not condition(self.view):
            moves = self.view["me"]["moves"] if self.view["me"] else []
            if "draw" in moves:
                await self.ask("draw", pile="closed", version=self.version)
            elif "discard" in moves and self.view["me"]["drawn"]:
                await self.ask("discard", card=self.view["me"]["drawn"], version=self.version)
            elif "submit" in moves:
                await self.ask("submit")
            else:
                await self.receive()
        return self.view


def has_result(view: Frame) -> bool:
    return view["result"] is not None


def my_row(view: Frame, seat: int) -> Frame:
    row: Frame = next(row for row in view["result"]["rows"] if row["seat"] == seat)
    return row
