"""The bare floor: what a durable move to six views costs with Django, Channels and a database, and nothing of ours.

No rules, no sealing, no sign-in, no clocks. A table's state lies in memory; a move is one conditional statement with
its event; the tables that wait at the same moment share one commit; after it six views go straight to the sockets.
Started by uvicorn, with FLOOR_DATABASE either a URL of PostgreSQL or the path of a SQLite file.
"""

import asyncio
import json
import os
import sqlite3
from collections.abc import Sequence
from typing import Any, Protocol

import django
import psycopg
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.urls import path

from config.settings.databases import sqlite

TABLES = (
    "CREATE TABLE floor_match (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, state TEXT NOT NULL)",
    "CREATE TABLE floor_event (match_id INTEGER, version INTEGER, payload TEXT, PRIMARY KEY (match_id, version))",
)
_POSTGRES_MOVE = """
    WITH moved AS (UPDATE floor_match SET version = %s, state = %s WHERE id = %s AND version = %s RETURNING id)
    INSERT INTO floor_event (match_id, version, payload) SELECT id, %s, %s FROM moved
"""
#: Matches there are, and moves that share a commit at most.
MATCHES, _BATCH = 2_000, 32
Move = tuple[int, int, str, str]


def fresh_state() -> dict[str, Any]:
    """Return a state of about the size of a table of six."""
    deck = [f"{rank}{suit}" for _ in range(2) for suit in "CDHS" for rank in "A23456789TJQK"]
    players = [
        {"seat": seat, "name": f"player-{seat:04d}", "status": "playing", "stack": 1_000, "total": 0, "misses": 0}
        for seat in range(6)
    ]
    log = [{"number": number, "seat": number % 6, "kind": "discard", "card": "7H"} for number in range(36)]
    return {
        "hands": [deck[seat::8][:13] for seat in range(6)],
        "closed": deck,
        "turn": 0,
        "players": players,
        "log": log,
    }


class Storage(Protocol):
    async def commit(self, moves: Sequence[Move]) -> None:
        """Write (match, version, state, event) of each move in one transaction."""


class Postgres:
    def __init__(self, connection: psycopg.AsyncConnection) -> None:
        self._connection = connection

    async def commit(self, moves: Sequence[Move]) -> None:
        async with self._connection.pipeline():
            await self._connection.execute("BEGIN")
            done = [
                await self._connection.execute(
                    _POSTGRES_MOVE, (version, state, match, version - 1, version, event), prepare=True
                )
                for match, version, state, event in moves
            ]
            await self._connection.execute("COMMIT")
        assert all(each.rowcount == 1 for each in done)


class Sqlite:
    def __init__(self, file: str) -> None:
        self._connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self._connection.executescript(sqlite(file)["OPTIONS"]["init_command"])  # type: ignore[arg-type]

    async def commit(self, moves: Sequence[Move]) -> None:
        await asyncio.to_thread(self._commit, moves)

    def _commit(self, moves: Sequence[Move]) -> None:
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        for match, version, state, event in moves:
            change = "UPDATE floor_match SET version = ?, state = ? WHERE id = ? AND version = ?"
            assert execute(change, (version, state, match, version - 1)).rowcount == 1
            execute("INSERT INTO floor_event VALUES (?, ?, ?)", (match, version, event))
        execute("COMMIT")


def make_database(where: str) -> None:
    """Fill an empty database with the matches."""
    rows = [(number, 0, json.dumps(fresh_state())) for number in range(MATCHES)]
    if where.startswith("postgres"):
        with psycopg.connect(where) as postgres, postgres.cursor() as cursor:
            for statement in TABLES:
                cursor.execute(statement.replace("version INTEGER", "version BIGINT"))
            cursor.executemany("INSERT INTO floor_match VALUES (%s, %s, %s)", rows)
        return
    with sqlite3.connect(where) as file:
        for statement in TABLES:
            file.execute(statement)
        file.executemany("INSERT INTO floor_match VALUES (?, ?, ?)", rows)


class Committer:
    """Holder of the states, which commits what has come together while the last commit was under way."""

    def __init__(self) -> None:
        self._states: dict[int, tuple[int, dict[str, Any]]] = {}
        self._moves: list[tuple[Move, asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def move(self, match: int, seat: int, body: str) -> dict[str, Any]:
        """Turn a card over in the hand of `seat`; return the state once it is durable."""
        self._task = self._task or asyncio.create_task(self._run())
        version, state = self._states.get(match, (0, None)) if match in self._states else (0, fresh_state())
        assert state is not None
        hand = state["hands"][seat]
        hand.append(hand.pop(0))
        state["turn"] = (seat + 1) % 6
        self._states[match] = (version + 1, state)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._moves.append(((match, version + 1, json.dumps(state), body), done))
        self._wake.set()
        await done
        return state

    async def _run(self) -> None:
        storage = await _storage()
        while True:
            await self._wake.wait()
            batch, self._moves = self._moves[:_BATCH], self._moves[_BATCH:]
            if not self._moves:
                self._wake.clear()
            await storage.commit([move for move, _ in batch])
            for _, done in batch:
                done.set_result(None)


async def _storage() -> Storage:
    where = os.environ["FLOOR_DATABASE"]
    if where.startswith("postgres"):
        return Postgres(await psycopg.AsyncConnection.connect(where, autocommit=True))
    return Sqlite(where)


class FloorConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]
    channel_layer_alias = ""
    _seated: dict[int, dict[int, "FloorConsumer"]] = {}
    _committer = Committer()

    async def connect(self) -> None:
        self._match, self._seat = (int(self.scope["url_route"]["kwargs"][name]) for name in ("match", "seat"))
        self._seated.setdefault(self._match, {})[self._seat] = self
        await self.accept()

    async def disconnect(self, code: int) -> None:
        self._seated[self._match].pop(self._seat, None)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        body = json.dumps(json.loads(text_data or "{}"))
        state = await self._committer.move(self._match, self._seat, body)
        public = json.dumps({"turn": state["turn"], "players": state["players"], "closed": len(state["closed"])})
        for seat, consumer in self._seated[self._match].items():
            own = json.dumps(state["hands"][seat])
            await consumer.send(text_data=f'{{"type":"state","public":{public},"hand":{own}}}')


if "FLOOR_DATABASE" in os.environ:
    settings.configure(ALLOWED_HOSTS=["*"], INSTALLED_APPS=["channels"], CHANNEL_LAYERS={})
    django.setup()
    application = ProtocolTypeRouter(
        {"websocket": URLRouter([path("<int:match>/<int:seat>/", FloorConsumer.as_asgi())])}  # type: ignore[arg-type]
    )
