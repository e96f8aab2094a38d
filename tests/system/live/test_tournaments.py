"""The free sit-and-go and an arena of 36, played through real sockets by clients who know the contract alone.

Draw, chips, places and prizes are reckoned anew from what each of them sees.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.contenders import Contender, accounts, contenders
from tests.support.platform import PATIENCE, Platform
from tests.support.reckoning import ARENA_CHIPS, Reckoning, committed, drawn, placed, prizes

pytestmark = pytest.mark.slow

#: An arena of the shortest time there is; its last half minute, in which no deal begins, is left out.
ARENA = """
from tables.models import Template
from tables.play import store
from tables.tournaments import offers, steps
template = Template.objects.create(title="Thirty-six", kind="arena", book="standard-points", minutes=1, least_deals=1,
    entry=101, fee_percent=7, prizes=[50, 30, 20], most=36, active=False)
now = store.now_ms()
arena = offers.make_tournament(template, starts_ms=now + 3_600_000, opens_ms=now)
steps.step(arena.pk)
print(arena.pk)
"""
START = """
from tables.models import Tournament
from tables.play import store
Tournament.objects.filter(pk={pk}).update(starts_ms=store.now_ms(), next_ms=store.now_ms())
"""
#: As if it had begun so much earlier: an arena lasts as long as was published.
END = """
from django.db.models import F
from tables.models import Tournament
from tables.play import store
now = store.now_ms()
Tournament.objects.filter(pk={pk}).update(starts_ms=F("starts_ms") - F("ends_ms") + now, ends_ms=now)
"""


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    running = Platform(Path(tmp_path_factory.mktemp("tournaments")))
    running.play()
    yield running
    audit = running.manage("audit_ledger", "--json")
    running.stop()
    assert audit.returncode == 0, audit.stdout


@pytest.fixture(scope="module")
def people(platform: Platform) -> list[tuple[str, str]]:
    return accounts(platform, *(f"player.{number:02d}" for number in range(40)))


async def standings(contender: Contender, tournament: int) -> list[dict[str, Any]]:
    answer: list[dict[str, Any]] = (await contender.get(f"/api/tournaments/{tournament}/standings/"))["results"]
    return answer


async def reckoned(players: Sequence[Contender], title: str, *, first: int, arena: bool) -> Reckoning:
    reckoning = Reckoning(first, arena)
    for player in players:
        reckoning.add(player.name, await player.deals(title))
    return reckoning


def test_forty_want_the_free_sit_and_go_and_six_play_it_to_their_places_over_a_kill(
    platform: Platform, people: list[tuple[str, str]]
) -> None:
    """It is what a new installation offers; the platform is killed in the middle of a deal."""

    async def story() -> None:
        async with contenders(people, platform.address) as everybody:
            open_now = (await everybody[0].get("/api/tournaments/", status="open", kind="knockout"))["results"]
            six = next(each["id"] for each in open_now if each["entry"] == 0 and each["most"] == 6)
            before = await everybody[0].get(f"/api/tournaments/{six}/")
            answers = await asyncio.gather(*(player.enter(six) for player in everybody))
            codes = Counter(answer.get("code", "") for answer in answers)
            # Once it is full it begins, and is closed.
            assert codes[""] == 6 and codes["tournament_full"] + codes["entry_closed"] == 34
            players = [player for player, answer in zip(everybody, answers, strict=True) if "code" not in answer]
            assert (await players[0].enter(six))["entered"], "asked again, answered again"
            playing = [asyncio.create_task(player.play(six)) for player in players]
            async with asyncio.timeout(PATIENCE):
                while not any(player.moved for player in players):
                    await asyncio.sleep(0.05)
                await asyncio.to_thread(platform.kill)
                await asyncio.to_thread(platform.play)
                await asyncio.gather(*playing)
            await check_knock_out(players, six, before)

    asyncio.run(story())


async def check_knock_out(players: Sequence[Contender], six: int, before: dict[str, Any]) -> None:
    """Hold the draw, the chips and the places against our own reckoning."""
    after = await players[0].get(f"/api/tournaments/{six}/")
    [played] = [each for each in after["rounds"] if each["begins_at"]]
    assert played["commitment"] == before["rounds"][0]["commitment"], "published before anybody could enter"
    proof = played["proof"]
    seed = bytes.fromhex(proof["seed"])
    assert committed(six, 1, seed) == played["commitment"]
    assert proof["tables"] == [drawn(six, 1, seed, proof["entrants"])]
    assert {proof["names"][str(pk)] for pk in proof["entrants"]} == {player.name for player in players}

    sums = {
        name: own
        for name, by_table in (await reckoned(players, before["title"], first=160, arena=False)).reckon().items()
        for own in by_table.values()
    }
    rows = {row["name"]: row for row in await standings(players[0], six)}
    assert sum(own.chips for own in sums.values()) == 6 * 160 and {own.deals for own in sums.values()} == {2}
    found = {name: (row["chips"], row["deals_won"], row["points_lost"]) for name, row in rows.items()}
    assert found == {name: (own.chips, own.won, own.lost) for name, own in sums.items()}
    places = placed({name: own.merit() for name, own in sums.items()})
    assert {name: row["place"] for name, row in rows.items()} == places
    for player in players:
        told = [frame for frame in player.frames if frame["type"] == "tournament_over"]
        assert [(frame["place"], frame["prize"]) for frame in told] in ([], [(places[player.name], 0)])
        assert await player.chips() == (10_000, 0)


def test_an_arena_of_thirty_six_is_played_through_sockets(platform: Platform, people: list[tuple[str, str]]) -> None:
    async def story() -> None:
        async with contenders(people[:36], platform.address) as players:
            arena = int(await asyncio.to_thread(platform.run_code, ARENA))
            answers = await asyncio.gather(*(player.enter(arena) for player in players))
            assert all(answer["entered"] for answer in answers), answers
            playing = [asyncio.create_task(player.play(arena)) for player in players]
            await asyncio.to_thread(platform.run_code, START.format(pk=arena))
            async with asyncio.timeout(PATIENCE):
                while not await all_have_played(players[0], arena):
                    await asyncio.sleep(1)
                await asyncio.to_thread(platform.run_code, END.format(pk=arena))
                await asyncio.gather(*playing)
            await check_arena(players, arena)

    asyncio.run(story())


async def all_have_played(contender: Contender, arena: int) -> bool:
    """Return whether everybody has played a deal, or none begins any more."""
    now = await contender.get(f"/api/tournaments/{arena}/")
    rows = await standings(contender, arena)
    return now["status"] == "over" or all(row["deals_won"] or row["points_lost"] for row in rows)


async def check_arena(players: Sequence[Contender], arena: int) -> None:
    """Hold the pairing, chips, places and prizes against our own reckoning."""
    reckoning = await reckoned(players, "Thirty-six", first=ARENA_CHIPS, arena=True)
    assert all(2 <= len(rows) <= 6 for rows in reckoning.by_deal.values())
    sums = {name: by_table[0] for name, by_table in reckoning.reckon().items()}
    assert len(sums) == 36, "everybody has played"
    assert sum(own.chips - ARENA_CHIPS * own.refilled for own in sums.values()) == 36 * ARENA_CHIPS
    rows = {row["name"]: row for row in await standings(players[0], arena)}
    found = {name: (row["chips"], row["deals_won"], row["points_lost"], row["refilled"]) for name, row in rows.items()}
    assert found == {name: (own.chips, own.won, own.lost, own.refilled) for name, own in sums.items()}

    places = placed({name: own.merit() for name, own in sums.items()})
    assert {name: row["place"] for name, row in rows.items()} == {name: places.get(name) for name in rows}
    after = await players[0].get(f"/api/tournaments/{arena}/")
    pot, fee = 36 * 101, 36 * 101 * 7 // 100
    assert after["fee"] == fee
    entered = await in_order_of_entry(players[0], arena)
    won = prizes(pot - fee, [50, 30, 20], places, entered)
    assert sum(won.values()) == pot - fee
    assert {name: row["prize"] for name, row in rows.items()} == {name: won.get(name, 0) for name in rows}
    for player in players:
        assert await player.chips() == (10_000 - 101 + won.get(player.name, 0), 0)


async def in_order_of_entry(contender: Contender, arena: int) -> list[str]:
    rows = await standings(contender, arena)
    return [row["name"] for row in sorted(rows, key=lambda row: row["id"])]
