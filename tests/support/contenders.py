"""Players of tournaments written against the published contracts alone (contracts.md, section 7).

The lobby's socket calls them to each table; a push is a hint, so they ask as well. They come back after every cut, to
any web process, and repeat what was not answered under the same id. Their deals are short: they drop at their first
turn, or finish with nothing.
"""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from itertools import cycle
from typing import Any

import httpx
import websockets
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.support.client import PASSWORD
from tests.support.platform import Platform
from tests.support.strategies import drops, shows_nothing, waits

Frame = dict[str, Any]

#: Seconds after which they ask where they are wanted, if nobody has called; until a cut line is taken up again; and
#: after which a line that says nothing is dead.
LOOK, AGAIN, DEAD = 3.0, 0.5, 15.0
_CUT = (ConnectionClosed, InvalidHandshake, OSError, TimeoutError, httpx.HTTPError)
_OVER = ("over", "cancelled")
_VERSIONED = {"draw", "discard", "drop", "finish", "submit"}

#: Accounts with their tokens, made beside the site: it lets one address sign up only so often.
ACCOUNTS = """
import json
from rest_framework.authtoken.models import Token
from lobby.accounts.services import sign_up
from wallet.keys.api_tokens import token_text
people = [sign_up(username=name, password={password!r}) for name in {names}]
print(json.dumps([token_text(Token.objects.create(user=each)) for each in people]))
"""


class Contender:
    """Somebody who enters a tournament and plays it to its end; `frames` are those of the lobby's socket."""

    def __init__(self, addresses: Iterable[str], http: httpx.AsyncClient, name: str, token: str) -> None:
        self.http, self.name = http, name
        self.headers = {"Authorization": f"Token {token}"}
        self.frames: list[Frame] = []
        #: They think for as long as this is set.
        self.thinks = False
        #: Whether they have made a move, which was answered.
        self.moved = False
        self._addresses = cycle(addresses)
        self.address = next(self._addresses)
        self._tables: dict[int, asyncio.Task[None]] = {}
        self._numbers = 0

    async def ask(self, method: str, path: str, **query: Any) -> httpx.Response:
        """Ask, at another address after a cut, until there is an answer; what is asked twice is done once."""
        while True:
            with suppress(httpx.HTTPError):
                answer = await self.http.request(method, self.address + path, params=query, headers=self.headers)
                if answer.status_code < 500:
                    return answer
            await self._elsewhere()

    async def get(self, path: str, **query: Any) -> Any:
        return (await self.ask("GET", path, **query)).raise_for_status().json()

    async def enter(self, tournament: int) -> Frame:
        """Enter; return the answer, which is a refusal if it has a `code`."""
        answer: Frame = (await self.ask("POST", f"/api/tournaments/{tournament}/entry/")).json()
        return answer

    async def play(self, tournament: int) -> None:
        """Play the tournament until it is over."""
        over = False
        while not over:
            with suppress(*_CUT):
                async with self._line("lobby") as lobby:
                    while not (over := await self._is_over(tournament)):
                        await self._called(lobby)
            await self._elsewhere()
        for table in self._tables.values():
            table.cancel()

    async def _called(self, lobby: Any) -> None:
        """Wait until somebody calls, at most for LOOK."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK):
                while not (frame := json.loads(await lobby.recv()))["type"].startswith("tournament"):
                    pass
                self.frames.append(frame)

    async def _is_over(self, tournament: int) -> bool:
        """Go to one's table, if there is one, and return whether the tournament is over."""
        now = await self.get(f"/api/tournaments/{tournament}/")
        table = (now["me"] or {}).get("table")
        if table and (table not in self._tables or self._tables[table].done()):
            self._tables[table] = asyncio.create_task(self._sit(table))
        return now["status"] in _OVER

    async def _sit(self, table: int) -> None:
        """Play at the table until it is over."""
        unanswered: Frame | None = None
        while True:
            with suppress(*_CUT):
                async with self._line(f"tables/{table}") as line:
                    version, view, answered_at = -1, dict[str, Any](), -1
                    if unanswered is not None:
                        await line.send(json.dumps(unanswered))
                    while True:
                        frame = await self._heard(line)
                        if frame["type"] == "state" and frame["version"] >= version:
                            version, view = frame["version"], frame["view"]
                            if view["phase"] == "over" or view["me"] is None:
                                return
                        elif unanswered is not None and frame.get("id") == unanswered["id"]:
                            answered_at, unanswered, self.moved = frame["version"], None, True
                        if unanswered is None and version >= answered_at and (move := self._choose(view)) is not None:
                            self._numbers += 1
                            unanswered = {**move, "id": f"{self.name}-{self._numbers}"}
                            if move["type"] in _VERSIONED:
                                unanswered["version"] = version
                            await line.send(json.dumps(unanswered))
            await self._elsewhere()

    async def _heard(self, line: Any) -> Frame:
        """Return the next frame; where nobody says anything, ask for one."""
        with suppress(TimeoutError):
            return dict(json.loads(await asyncio.wait_for(line.recv(), LOOK)))
        await line.send('{"type":"ping"}')
        return dict(json.loads(await asyncio.wait_for(line.recv(), DEAD)))

    def _choose(self, view: Frame) -> Frame | None:
        if not view or view["me"] is None or self.thinks:
            return None
        if "continue" in view["me"]["moves"]:
            return {"type": "continue"}
        deal = (view["deal"] or {}).get("number")
        if zlib.crc32(f"{self.name} {view['table']['id']} {deal}".encode()) % 4 == 0:
            return shows_nothing(view)
        return drops(view) or waits(view)

    @asynccontextmanager
    async def _line(self, path: str) -> AsyncIterator[Any]:
        url = self.address.replace("http", "ws") + f"/ws/{path}/"
        async with websockets.connect(
            url, additional_headers=self.headers, open_timeout=DEAD, ping_interval=None, compression=None
        ) as line:
            yield line

    async def _elsewhere(self) -> None:
        self.address = next(self._addresses)
        await asyncio.sleep(AGAIN)

    async def deals(self, title: str) -> list[Frame]:
        """Return one's own deals of the tournament of this title by the history."""
        page = await self.get("/api/history/")
        found = page["results"]
        while page["next"]:
            page = (await self.http.get(page["next"], headers=self.headers)).raise_for_status().json()
            found += page["results"]
        return [deal for deal in found if (deal["currency"], deal["title"]) == ("TOURNAMENT", title)]

    async def chips(self) -> tuple[int, int]:
        """Return the fun chips that are free and those in play."""
        balances = (await self.get("/api/wallet/"))["balances"]
        own = next(balance for balance in balances if balance["currency"] == "FUN")
        return own["free"], own["in_play"]


def accounts(platform: Platform, *names: str) -> list[tuple[str, str]]:
    """Make an account of each of these names; return them with their tokens."""
    printed = platform.run_code(ACCOUNTS.format(names=list(names), password=PASSWORD))
    return list(zip(names, json.loads(printed.splitlines()[-1]), strict=True))


@asynccontextmanager
async def contenders(people: Iterable[tuple[str, str]], *addresses: str) -> AsyncIterator[list[Contender]]:
    """Yield a contender for each of these accounts; one after the other the web processes are at the addresses."""
    async with httpx.AsyncClient(timeout=30, limits=httpx.Limits(max_connections=40)) as http:
        yield [Contender(addresses, http, *each) for each in people]
