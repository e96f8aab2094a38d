"""An arena of people from its start on: seating, dealing, the next pairing, the standings; and as many without it.

Nobody acts before the last has been dealt. Then everybody drops at once, so that deals are short and pairing is most of
the work. The floor, which is measured first, are as many people who wait in the lobby, come to ordinary tables and drop
there: nobody seats them or pairs them anew after a deal, and no standings are pushed.
"""

import asyncio
import json
import statistics
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.benchmarks.load.people import Arena, Ordinary, Times
from tests.benchmarks.load.processes import Embedded, Production, by_kind, processor_seconds

#: The most at a table.
SEATS = 6
#: Seconds between two looks at the standings.
_LOOK = 2.0
#: Seconds after which the floor's tables have been dealt, once all their seats are taken.
_COUNTDOWN = 11.0
#: Seconds between two words on how far it is.
_WORD = 5.0
#: Seconds that everybody may take to be dealt.
_PATIENCE = 300
#: Enters everybody into an arena; it begins long after, unless it is let begin.
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
    from tables.play.tournament_tables import START_MS

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


async def _weighed(installation: Production | Embedded, times: Times, seconds: float) -> dict[str, Any]:
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


async def _until(happened: Callable[[], bool], side: str, times: Times) -> None:
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
