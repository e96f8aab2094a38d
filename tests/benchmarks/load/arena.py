"""An arena of people from its start on: seating, dealing, the next pairing, the standings; and as many without it.

Nobody acts before the last has been dealt. Then everybody drops at once, so that deals are short and pairing is most of
the work. Beside other tables they play at a human pace instead, and deals last as long as real ones do. The floor,
which is measured first, are as many people who wait in the lobby, come to ordinary tables and drop there: nobody seats
them or pairs them anew after a deal, and no standings are pushed.
"""

import asyncio
import json
import random
import statistics
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.benchmarks.load.processes import Embedded, Production, by_kind, processor_seconds
from tests.benchmarks.load.sockets import Socket, connect

#: The most at a table.
SEATS = 6
#: Handshakes under way at a time.
_DOORS = 8
#: Seconds between two looks at the standings.
_LOOK = 2.0
#: Seconds after which the floor's tables have been dealt, once all their seats are taken.
_COUNTDOWN = 11.0
#: Seconds between two words on how far it is.
_WORD = 5.0
#: Seconds that everybody may take to be dealt.
_PATIENCE = 300
#: How often somebody with a pace drops on their turn. A deal of six has 35 moves then, as has one of computer players.
_DROPS = 0.25
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
        times: _Times,
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


def enter(installation: Production | Embedded, people: int, seats: int) -> tuple[int, list[str]]:
    """Enter so many people into an arena; return it and their keys."""
    code = _ENTER.format(people=people, seats=seats)
    result = installation.manage("shell", "--no-imports", "-c", code, patience=3_600)
    assert result.returncode == 0, result.stderr
    arena, keys = json.loads(result.stdout.splitlines()[-1])
    return int(arena), list(keys)


class _People:
    """People who wait in the lobby for their tables."""

    def __init__(self, installation: Production | Embedded, keys: Sequence[str], pace: float | None) -> None:
        self.times, self.installation = _Times(), installation
        doors = asyncio.Semaphore(_DOORS)
        self.people = [
            _Person(self.times, doors, installation.ports, number, key, pace) for number, key in enumerate(keys)
        ]

    async def wait_in_lobby(self) -> float:
        """Let everybody wait in the lobby; return what a join took of the web processes, in ms of processor."""
        used = processor_seconds(by_kind(self.installation))["web"]
        await asyncio.gather(*(person.wait_in_lobby() for person in self.people))
        return (processor_seconds(by_kind(self.installation))["web"] - used) * 1000 / len(self.people)

    async def begin(self) -> None:
        """Let them come to their tables."""
        raise NotImplementedError

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


async def run_arena(
    installation: Production | Embedded, arena: int, keys: Sequence[str], seconds: float
) -> dict[str, Any]:
    """Let everybody wait in the lobby, begin, and play for so many seconds after the last has been dealt."""
    running = Arena(installation, arena, keys)
    times, people = running.times, running.people
    tell(f"arena: {len(people)} people have entered")
    web_ms_a_join = await running.wait_in_lobby()
    tell(f"arena: {len(people)} people wait in the lobby")
    await running.begin()
    used = processor_seconds(by_kind(installation))
    await _until(lambda: len(times.dealt) == len(people), "arena", times)
    seating = {kind: round(now - used[kind], 2) for kind, now in processor_seconds(by_kind(installation)).items()}
    running.let_go_on()
    looks, sizes = list[float](), list[int]()

    async def look() -> None:
        while True:
            asked = time.perf_counter()
            sizes.append(await asyncio.to_thread(_standings, installation.ports[0], arena, keys[0]))
            looks.append(time.perf_counter() - asked)
            await asyncio.sleep(_LOOK)

    looking = asyncio.create_task(look())
    figures = await _weighed(installation, times, seconds)
    looking.cancel()
    running.abort()
    tell(f"arena: {times.deals} deals")
    return {
        "people": len(people),
        "web_ms_a_join": round(web_ms_a_join, 2),
        "seated_s": _spread(times.seated),
        "dealt_s": _spread(times.dealt),
        "not_dealt": len(people) - len(times.dealt),
        "seating_processor_s": seating,
        "paired_again_s": _spread(times.paired),
        "dealt_again_s": _spread(times.dealt_again),
        "pushes": len(times.pushed),
        "push_bytes": _spread(times.pushed),
        "standings_bytes": max(sizes, default=0),
        "standings_s": _spread(looks),
        **figures,
    }


async def run_floor(
    installation: Production | Embedded, seated: Sequence[tuple[int, list[str]]], seconds: float
) -> dict[str, Any]:
    """Let as many people come from the lobby to their ordinary tables, and drop there for so many seconds."""
    running = Ordinary(installation, seated)
    times, people = running.times, running.people
    await running.wait_in_lobby()
    tell(f"floor: {len(people)} people wait in the lobby")
    await asyncio.sleep(_COUNTDOWN)
    used = processor_seconds(by_kind(installation))
    await running.begin()
    await _until(lambda: len(times.dealt) == len(people), "floor", times)
    seating = {kind: round(now - used[kind], 2) for kind, now in processor_seconds(by_kind(installation)).items()}
    running.let_go_on()
    figures = await _weighed(installation, times, seconds)
    running.abort()
    tell(f"floor: {times.deals} deals")
    return {
        "what": "as many people at ordinary tables",
        "dealt_s": _spread(times.dealt),
        "seating_processor_s": seating,
        "dealt_again_s": _spread(times.dealt_again),
        **figures,
    }


def ratio(arena: Mapping[str, Any], floor: Mapping[str, Any]) -> dict[str, float | None]:
    """Return how many times as much the arena takes: seconds to the first and the next deal, processor, bytes a deal.

    The seconds that the arena gives everybody to come to the table are not counted.
    """
    # Here, since the floor loads this package without the platform.
    from tables.tournaments.moments import START_MS

    pairs = {
        "web_processor": [side["processor_ms_a_deal"]["web"] for side in (arena, floor)],
        "bytes_a_deal": [side["bytes_a_deal"] for side in (arena, floor)],
    }
    for name in ("dealt_s", "dealt_again_s"):
        ours, theirs = arena[name] or {}, floor[name] or {}
        pairs |= {f"{name}_{which}": [ours[which] - START_MS / 1000, theirs.get(which)] for which in ours}
    return {name: round(ours / theirs, 2) if theirs else None for name, (ours, theirs) in pairs.items()}


def tell(text: str) -> None:
    """Tell how far the measurement is."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


async def _weighed(installation: Production | Embedded, times: _Times, seconds: float) -> dict[str, Any]:
    """Return the deals that end within so many seconds, and what each costs every kind of process."""
    kinds = by_kind(installation)
    deals, received, used, since = times.deals, times.received, processor_seconds(kinds), time.time()
    await asyncio.sleep(seconds)
    deals, received, lasted = times.deals - deals, times.received - received, time.time() - since
    taken = {kind: now - used[kind] for kind, now in processor_seconds(kinds).items()}
    each = {kind: round(processor * 1000 / max(1, deals), 2) for kind, processor in taken.items()}
    return {
        "deals": deals,
        "deals_s": round(deals / lasted, 2),
        "bytes_a_deal": round(received / max(1, deals)),
        "processor_ms_a_deal": each,
    }


async def _until(happened: Callable[[], bool], side: str, times: _Times) -> None:
    """Wait until it has happened, at most as long as anybody may take to be dealt; tell how many have been."""
    give_up, next_word = time.time() + _PATIENCE, time.time() + _WORD
    while not happened() and time.time() < give_up:
        await asyncio.sleep(0.1)
        if time.time() > next_word:
            next_word += _WORD
            tell(f"{side}: {len(times.seated)} called, {len(times.dealt)} dealt")
    tell(f"{side}: {len(times.dealt)} dealt")


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
