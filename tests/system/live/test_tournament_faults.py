"""Tournaments on an installation as in production, whose processes die, stall and forget at the worst moments.

Whoever makes a step is stopped in the middle of it, within its transaction, by a trigger that waits for the test: then
it is killed there. Sockets play, and places, prizes and every chip are reckoned anew at the end.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from tests.support.cluster import WEBS, WORKERS, Cluster, cluster
from tests.support.contenders import Contender, accounts, contenders
from tests.support.platform import PATIENCE
from tests.support.reckoning import ARENA_CHIPS, Reckoning, drawn, placed, prizes

pytestmark = [pytest.mark.redis, pytest.mark.slow]

TEMPLATE = """
from tables.models import Template
from tables.play import store
from tables.tournaments import offers
template = Template.objects.create(title="Under fire", active=False, entry=101, fee_percent=7, {rules})
now = store.now_ms()
print(offers.make_tournament(template, starts_ms={starts}, opens_ms=now).pk)
"""
KNOCKOUT = "kind='knockout', book='standard-deals-6', seats=4, go_on=2, deals=2, most=8, least=8, prizes=[50, 30, 20]"
ARENA = "kind='arena', book='standard-points', minutes=20, least_deals=1, most=12, prizes=[60, 40]"
FREEZE = """
from tables import staff
from wallet.audit_log.services import PLATFORM
staff.freeze_table(table_id={table}, reason="somebody complained", actor=PLATFORM)
"""
#: What beat sends each second, and nudges for the tables there are, for so many seconds, each delivered twice: half of
#: it expired an hour ago, half never does.
OLD_TASKS = """
from datetime import timedelta
from django.utils import timezone
from config.celery import app
from tables.models import Table
tables = list(Table.objects.values_list("pk", flat=True))
for second in range({seconds}):
    expires = timezone.now() - timedelta(hours=1) if second % 2 else None
    for task, arguments in [("sweep", ()), *(("nudge", (pk,)) for pk in tables)]:
        for _ in range(2):
            task_id = f"old-{{second}}-{{task}}-{{arguments}}"
            app.send_task("tables.tasks." + task, arguments, task_id=task_id, expires=expires)
"""
#: Whoever changes this row in this way waits for whoever holds the lock.
STAND = """
CREATE OR REPLACE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN PERFORM pg_advisory_xact_lock_shared({lock}); RETURN NEW; END $$;
CREATE OR REPLACE TRIGGER stand_still BEFORE UPDATE ON {table} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION stand_still()
"""
LOCK = 34
STANDS = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
#: When the first round ended and the second began, and how long nobody served meanwhile.
BREAK = """
SELECT e.ended_ms, n.began_ms FROM tables_round e JOIN tables_round n USING (tournament_id)
WHERE tournament_id = %s AND e.number = 1 AND n.number = 2
"""
OUTAGES = "SELECT coalesce(sum(ended_ms - began_ms), 0) FROM tables_outage WHERE ended_ms BETWEEN %s AND %s"
#: Seconds for which no web process is started again.
AWAY = 2
DRAWS = ("tables_round", "OLD.began_ms IS NULL AND NEW.began_ms IS NOT NULL")
PAYS = ("tables_tournament", "OLD.status = 'running' AND NEW.status = 'over'")


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    # No folder of pytest's: another run would close it to the user who runs PostgreSQL.
    with tempfile.TemporaryDirectory(prefix="under-fire-") as folder, cluster(Path(folder)) as up:
        yield up


def addresses(running: Cluster) -> list[str]:
    return [f"http://127.0.0.1:{running.ports[web]}" for web in WEBS]


async def made(running: Cluster, rules: str, starts: str = "None") -> int:
    """Make a tournament, and wait until it may be entered."""
    tournament = int(await asyncio.to_thread(running.run_code, TEMPLATE.format(rules=rules, starts=starts)))
    await until(running, "SELECT 1 FROM tables_tournament WHERE id = %s AND status = 'open'", tournament)
    return tournament


async def until(running: Cluster, query: str, *arguments: Any) -> Any:
    """Wait until the query finds something, and return its first row."""
    async with (
        asyncio.timeout(PATIENCE),
        await psycopg.AsyncConnection.connect(running.environment["RUMMY_DATABASE_URL"], autocommit=True) as database,
    ):
        while (found := await (await database.execute(query, arguments)).fetchone()) is None:
            await asyncio.sleep(0.05)
        return found


@asynccontextmanager
async def standing_still(running: Cluster, table: str, when: str) -> AsyncIterator[Callable[[], Awaitable[Any]]]:
    """Within the block whoever makes this change stands still in their transaction; yield what waits for somebody."""
    address = running.environment["RUMMY_DATABASE_URL"]
    async with await psycopg.AsyncConnection.connect(address, autocommit=True) as holding:
        await holding.execute(f"SELECT pg_advisory_lock({LOCK})")
        await holding.execute(STAND.format(lock=LOCK, table=table, when=when))
        yield partial(until, running, STANDS)
    # The session that held the lock is gone: nobody stands still here any more.


def strike(running: Cluster, *names: str) -> None:
    for name in names:
        running.strike(name)


def empty_redis(running: Cluster) -> None:
    with redis.Redis.from_url(running.environment["RUMMY_REDIS_URL"]) as server:
        server.flushall()


def check_books(running: Cluster) -> None:
    audit = running.manage("audit_ledger", "--json")
    assert audit.returncode == 0, audit.stdout


async def rows_of(player: Contender, tournament: int) -> dict[str, dict[str, Any]]:
    page = await player.get(f"/api/tournaments/{tournament}/standings/")
    return {row["name"]: row for row in page["results"]}


async def check_purses(players: Sequence[Contender], won: dict[str, int]) -> None:
    """Check that everybody paid one entry, was paid their prize once, and has nothing left in play."""
    for player in players:
        assert await player.chips() == (10_000 - 101 + won.get(player.name, 0), 0), player.name


def test_a_knock_out_outlives_its_processes_in_the_draw_between_rounds_and_in_the_prizes(running: Cluster) -> None:
    async def story() -> None:
        people = await asyncio.to_thread(accounts, running, *(f"fire.{number}" for number in range(8)))
        async with contenders(people, *addresses(running)) as players:
            tournament = await made(running, KNOCKOUT)
            async with standing_still(running, *DRAWS) as somebody_stands:
                for player in players:
                    assert (await player.enter(tournament))["entered"]
                playing = [asyncio.create_task(player.play(tournament)) for player in players]
                await somebody_stands()
                empty_redis(running)
                strike(running, *WORKERS, "beat")
            round_over = "SELECT 1 FROM tables_round WHERE tournament_id = %s AND number = 1 AND ended_ms IS NOT NULL"
            await until(running, round_over, tournament)
            async with standing_still(running, *PAYS) as somebody_stands:
                running.down.update(WEBS)
                strike(running, *WEBS, *WORKERS, "beat")
                empty_redis(running)
                await asyncio.sleep(AWAY)
                running.down.clear()
                await somebody_stands()
                strike(running, *WORKERS, "beat", "web1")
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(*playing)
            await check_knock_out(running, players, tournament)

    asyncio.run(story())
    check_books(running)


async def check_knock_out(running: Cluster, players: Sequence[Contender], tournament: int) -> None:
    reckoning = Reckoning(160, arena=False)
    for player in players:
        reckoning.add(player.name, await player.deals("Under fire"))
    sums, after = reckoning.reckon(), await players[0].get(f"/api/tournaments/{tournament}/")
    played = [each for each in after["rounds"] if each["begins_at"]]
    assert [(each["number"], each["tables"]) for each in played] == [(1, 2), (2, 1)]
    for each in played:
        proof = each["proof"]
        order = drawn(tournament, each["number"], bytes.fromhex(proof["seed"]), proof["entrants"])
        assert [pk for table in proof["tables"] for pk in table] == order
    names = {int(pk): name for each in played for pk, name in each["proof"]["names"].items()}
    finalists = [names[pk] for pk in played[1]["proof"]["entrants"]]
    final = max(table for by_table in sums.values() for table in by_table)
    first = {name: min(by_table) for name, by_table in sums.items()}
    entered = [player.name for player in players]
    for table in set(first.values()):
        merits = {name: (*sums[name][table].merit(), -entered.index(name)) for name in entered if first[name] == table}
        best = sorted(merits, key=lambda name: merits[name], reverse=True)[:2]
        assert set(best) == set(finalists) & set(merits), "the two best of each table go on"
    last = {name: sums[name][final if name in finalists else first[name]] for name in entered}
    assert {own.deals for own in last.values()} == {2}
    places = placed({name: (name in finalists, *own.merit()) for name, own in last.items()})
    won = prizes(808 - 56, [50, 30, 20], places, entered)
    rows = await rows_of(players[0], tournament)
    assert {name: (row["place"], row["prize"], row["chips"]) for name, row in rows.items()} == {
        name: (places[name], won.get(name, 0), last[name].chips) for name in entered
    }
    await check_purses(players, won)
    ended, began = await until(running, BREAK, tournament)
    [away] = await until(running, OUTAGES, ended, began)
    assert away >= 1_000 * AWAY, "no web process served for a while"
    assert began - ended >= 15_000 + away - 1_000, "the break was had, although they were all away in it"


def test_an_arena_whose_time_ends_while_nobody_serves_with_a_frozen_table_and_old_tasks(running: Cluster) -> None:
    async def story() -> None:
        people = await asyncio.to_thread(accounts, running, *(f"arena.{number}" for number in range(8)))
        async with contenders(people, *addresses(running)) as players:
            tournament = await made(running, ARENA, starts="now + 3_600_000")
            for player in players:
                player.thinks = True
                assert (await player.enter(tournament))["entered"]
            playing = [asyncio.create_task(player.play(tournament)) for player in players]
            starts = "UPDATE tables_tournament SET starts_ms = {now}, next_ms = {now} WHERE id = %s RETURNING 1"
            now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
            await until(running, starts.format(now=now), tournament)
            [frozen] = await until(
                running, "SELECT min(id) FROM tables_table WHERE tournament_id = %s HAVING count(*) = 2", tournament
            )
            await until(running, "SELECT 1 FROM tables_table WHERE id = %s AND phase = 'playing'", frozen)
            await asyncio.to_thread(running.run_code, FREEZE.format(table=frozen))
            for player in players:
                player.thinks = False
            # The workers are away, and come back to old tasks.
            running.down.update(WORKERS)
            strike(running, *WORKERS)
            await asyncio.to_thread(running.run_code, OLD_TASKS.format(seconds=100))
            running.down.clear()
            played = "SELECT 1 FROM tables_entrant WHERE tournament_id = %s AND deals >= 2 HAVING count(*) >= 4"
            await until(running, played, tournament)
            # Its time ends while no web process serves, though the workers do. As if it had begun so much earlier.
            sooner = f"starts_ms = starts_ms - ends_ms + {now} + 5000, ends_ms = {now} + 6000"
            ends = f"UPDATE tables_tournament SET {sooner} WHERE id = %s RETURNING ends_ms"
            [ended] = await until(running, ends, tournament)
            running.down.update(WEBS)
            strike(running, *WEBS)
            await until(running, f"SELECT 1 WHERE {now} > %s", ended + 4_000)
            assert await until(running, "SELECT status FROM tables_tournament WHERE id = %s", tournament) == (
                "running",
            )
            running.down.clear()
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(*playing)
            [over, moved] = await until(
                running, "SELECT over_ms, ends_ms FROM tables_tournament WHERE id = %s", tournament
            )
            assert over >= moved >= ended + 4_000, "the time of the outage was given back"
            await check_arena(players, tournament, frozen)
            [left] = await until(
                running, "SELECT count(*) FROM tables_table WHERE tournament_id = %s AND status <> 'closed'", tournament
            )
            assert left == 0

    asyncio.run(story())
    check_books(running)


async def check_arena(players: Sequence[Contender], tournament: int, frozen: int) -> None:
    reckoning = Reckoning(ARENA_CHIPS, arena=True)
    for player in players:
        reckoning.add(player.name, await player.deals("Under fire"))
    assert frozen not in {row["table"] for deal in reckoning.by_deal.values() for row in deal.values()}
    sums = {name: by_table[0] for name, by_table in reckoning.reckon().items()}
    rows = await rows_of(players[0], tournament)
    for name, row in rows.items():
        own = sums.get(name)
        chips = (ARENA_CHIPS, 0, 0) if own is None else (own.chips, own.won, own.lost)
        assert (row["chips"], row["deals_won"], row["points_lost"]) == chips
    places = placed({name: own.merit() for name, own in sums.items()})
    won = prizes(808 - 56, [60, 40], places, [player.name for player in players])
    assert {name: (row["place"], row["prize"]) for name, row in rows.items()} == {
        name: (places.get(name), won.get(name, 0)) for name in rows
    }
    await check_purses(players, won)
