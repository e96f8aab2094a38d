"""An arena of people from its start on: seating, dealing, the next pairing, the standings; and as many without it.

Nobody acts before the last has been dealt. Then everybody drops at once, so that deals are short and pairing is most of
the work. The floor are the same people on the same sockets at ordinary tables: nobody is paired anew after a deal.
"""

import asyncio
import json
import statistics
import time
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any

from tests.benchmarks.load.processes import Embedded, Production, by_kind, processor_seconds
from tests.benchmarks.load.sockets import Socket, connect

#: The most at a table.
SEATS = 6
#: Handshakes under way at a time.
_DOORS = 8
#: Seconds between two looks at the standings.
_LOOK = 2.0
#: Seconds that everybody may take to be dealt.
_PATIENCE = 300
#: Enters everybody into an arena; it begins long after, until `_BEGIN`.
_ENTER = """
import json
from django.db import transaction
from lobby.models import Player
from rest_framework.authtoken.models import Token

from tables.models import Entrant, Template, Tournament
from tables.play import store
from tables.tournaments import offers, steps
from wallet.keys.api_tokens import token_text
from wallet.play_money.services import open_wallet
now = store.now_ms()
Template.objects.update(active=False)
template = Template.objects.create(
    title="Load", kind="arena", book="standard-points", minutes=20, seats={seats}, most=5_000, active=False
)
arena = offers.make_tournament(template, starts_ms=now + 86_400_000, opens_ms=now)
steps.step(arena.pk)
keys = []
with transaction.atomic():
    for number in range({people}):
        player = Player.objects.create(username=f"arena{{number}}", password="!")
        open_wallet(player)
        keys.append(token_text(Token.objects.create(user=player)))
        Entrant.objects.create(tournament=arena, user=player, name=str(player))
    Tournament.objects.filter(pk=arena.pk).update(entered={people})
print(json.dumps([arena.pk, keys]))
"""
#: Lets it begin; prints when.
_BEGIN = """
from tables.models import Tournament
from tables.play import store
starts = store.now_ms() + 3_000
Tournament.objects.filter(pk={arena}, status="open").update(starts_ms=starts, next_ms=starts)
print(starts)
"""


class _Times:
    """Seconds from the start to when each was called and dealt, and from each result to the next table; and counts."""

    def __init__(self) -> None:
        self.began = 0.0
        self.seated: list[float] = []
        self.dealt: list[float] = []
        self.paired: list[float] = []
        #: The bytes of each push of the standings.
        self.pushed: list[float] = []
        self.deals = 0
        #: Set once everybody may act.
        self.goes_on = asyncio.Event()


class _Person:
    """Somebody in the arena, or at an ordinary table: drops, and goes on after the result, as soon as it can be."""

    def __init__(self, times: _Times, doors: asyncio.Semaphore, ports: Sequence[int], number: int, key: str) -> None:
        self._times, self._doors, self._ports, self._number, self._key = times, doors, ports, number, key
        self._lobby: Socket | None = None
        self._table: Socket | None = None
        self._coming: set[asyncio.Task[None]] = set()
        self._phase, self._was_dealt = "", False
        #: The move that the last view allows, and its version.
        self._act: str | None = None
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

    def abort(self) -> None:
        for task in self._coming:
            task.cancel()
        for socket in (self._lobby, self._table):
            if socket is not None:
                socket.abort()

    def _hear(self, text: bytes) -> None:
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
        if not text.startswith(b'{"type":"state"') or self._table is None:
            return
        frame = json.loads(text)
        view, before = frame["view"], self._phase
        self._phase = view["phase"]
        if self._phase == "playing" and not self._was_dealt:
            self._was_dealt = True
            self._times.dealt.append(time.time() - self._times.began)
        own = view["me"] or {"seat": None, "moves": []}
        if before == "playing" and self._phase in ("result", "over"):
            self._ended = time.time()
            self._times.deals += own["seat"] == 0
        self._act = next((name for name in ("drop", "continue") if name in own["moves"]), None)
        self._version = frame["version"]
        if self._times.goes_on.is_set():
            self.act()

    def act(self) -> None:
        """Make the move that the last view allows, if any."""
        if self._act is not None and self._table is not None:
            sent = {"type": self._act, "version": self._version, "id": f"{self._version}"}
            self._table.send(json.dumps(sent).encode())


def enter(installation: Production | Embedded, people: int, seats: int) -> tuple[int, list[str]]:
    """Enter so many people into an arena; return it and their keys."""
    code = _ENTER.format(people=people, seats=seats)
    result = installation.manage("shell", "--no-imports", "-c", code, patience=3_600)
    assert result.returncode == 0, result.stderr
    arena, keys = json.loads(result.stdout.splitlines()[-1])
    return int(arena), list(keys)


async def run_arena(
    installation: Production | Embedded, arena: int, keys: Sequence[str], seconds: float
) -> dict[str, Any]:
    """Let everybody wait in the lobby, begin, and play for so many seconds after the last has been dealt."""
    times, doors, ports = _Times(), asyncio.Semaphore(_DOORS), installation.ports
    people = [_Person(times, doors, ports, number, key) for number, key in enumerate(keys)]
    await asyncio.gather(*(person.wait_in_lobby() for person in people))
    begins = await asyncio.to_thread(installation.run_code, _BEGIN.format(arena=arena))
    times.began, used = int(begins.splitlines()[-1]) / 1000, processor_seconds(by_kind(installation))
    await _until(lambda: len(times.dealt) == len(people))
    seating = {kind: round(now - used[kind], 2) for kind, now in processor_seconds(by_kind(installation)).items()}
    times.goes_on.set()
    for person in people:
        person.act()
    looks, sizes = list[float](), list[int]()

    async def look() -> None:
        while True:
            asked = time.perf_counter()
            sizes.append(await asyncio.to_thread(_standings, ports[0], arena, keys[0]))
            looks.append(time.perf_counter() - asked)
            await asyncio.sleep(_LOOK)

    looking = asyncio.create_task(look())
    figures = await _weighed(installation, times, seconds)
    looking.cancel()
    for person in people:
        person.abort()
    return {
        "people": len(people),
        "seated_s": _spread(times.seated),
        "dealt_s": _spread(times.dealt),
        "not_dealt": len(people) - len(times.dealt),
        "seating_processor_s": seating,
        "paired_again_s": _spread(times.paired),
        "pushes": len(times.pushed),
        "push_bytes": _spread(times.pushed),
        "standings_bytes": max(sizes, default=0),
        "standings_s": _spread(looks),
        **figures,
    }


async def play_on(installation: Production | Embedded, arena: int, keys: Sequence[str]) -> str:
    """Let everybody wait in the lobby and play in the arena, which begins if it has not, until this is cancelled."""
    times, doors, ports = _Times(), asyncio.Semaphore(_DOORS), installation.ports
    times.goes_on.set()
    people = [_Person(times, doors, ports, number, key) for number, key in enumerate(keys)]
    try:
        await asyncio.gather(*(person.wait_in_lobby() for person in people))
        begins = await asyncio.to_thread(installation.run_code, _BEGIN.format(arena=arena))
        times.began = int(begins.splitlines()[-1]) / 1000
        await asyncio.Event().wait()
    finally:
        for person in people:
            person.abort()
    return "over"


async def run_floor(
    installation: Production | Embedded, seated: Sequence[tuple[int, list[str]]], seconds: float
) -> dict[str, Any]:
    """Let as many people drop at ordinary tables for so many seconds, after a deal at each."""
    times, doors, ports = _Times(), asyncio.Semaphore(_DOORS), installation.ports
    times.goes_on.set()
    coming = [
        (_Person(times, doors, ports, number, key), table)
        for number, (table, keys) in enumerate(seated)
        for key in keys
    ]
    await asyncio.gather(*(person.sit_down(table) for person, table in coming))
    await _until(lambda: times.deals >= len(seated))
    figures = await _weighed(installation, times, seconds)
    for person, _ in coming:
        person.abort()
    return {"what": "the same people at ordinary tables", **figures}


async def _weighed(installation: Production | Embedded, times: _Times, seconds: float) -> dict[str, Any]:
    """Return the deals that end within so many seconds, and what each costs every kind of process."""
    kinds = by_kind(installation)
    deals, used, since = times.deals, processor_seconds(kinds), time.time()
    await asyncio.sleep(seconds)
    deals, lasted = times.deals - deals, time.time() - since
    taken = {kind: now - used[kind] for kind, now in processor_seconds(kinds).items()}
    each = {kind: round(processor * 1000 / max(1, deals), 2) for kind, processor in taken.items()}
    return {"deals": deals, "deals_s": round(deals / lasted, 2), "processor_ms_a_deal": each}


async def _until(happened: Callable[[], bool]) -> None:
    """Wait until it has happened, at most as long as anybody may take to be dealt."""
    give_up = time.time() + _PATIENCE
    while not happened() and time.time() < give_up:
        await asyncio.sleep(0.1)


def _standings(port: int, arena: int, key: str) -> int:
    """Ask for the first page of the standings; return its size in bytes."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/tournaments/{arena}/standings/", headers={"Authorization": f"Token {key}"}
    )
    with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:
        return len(answer.read())


def _spread(values: Sequence[float]) -> dict[str, float] | None:
    if len(values) < 2:
        return None
    return {"median": round(statistics.median(values), 3), "most": round(max(values), 3)}
