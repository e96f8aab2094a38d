"""Growth of the database by a deal of six players: while it is played, and after it is packed and pruned.

    RUMMY_TEST_DATABASE_URL=postgres://… python -m tests.fleet growth --size 40

Computer players play whole deals of points through the services; each request has an id of its own. Bytes are those of
tables, indexes and TOAST after `VACUUM FULL`, without free space. On SQLite only the sum is known.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db import connection
from django.test import override_settings

from rules import bots
from rules.fairness import verify
from tables.history import proofs
from tables.log import upkeep
from tables.models import Deal, LoggedEvent, ServerHeartbeat, Table
from tables.play import services as play
from tests.support.database import Figures, on_its_own
from tests.support.tables import Client
from tests.support.world import World, isolated_world
from wallet.audit import audit

#: Deals, and how many of them are played at one table: nobody runs out of chips.
SIZE, AT_A_TABLE = 40, 8
SEATS = 6
#: Nobody shows before so many rounds: people are slower than computer players.
ROUNDS = 6
_PLAYED = ("playing", "melding")
#: Bytes that a deal may take after a day.
MOST = 20_000
Bytes = dict[str, int]


def run(*, seed: int, size: int) -> Figures:
    """Play `size` deals and return the bytes of each by database table; the faults are the findings of the audit."""
    return on_its_own("growth", _measure, seed, size)


def _measure(seed: int, size: int) -> Figures:
    with isolated_world() as world:
        # What is played is over by the machine's clock, too, by which upkeep goes.
        world.clock.now -= 3_600_000
        tables = [_seated(world) for _ in range(0, size, AT_A_TABLE)]
        before = bytes_by_table()
        for number in range(size):
            play_deal(world, tables[number // AT_A_TABLE])
        events, live = LoggedEvent.objects.count() // size, bytes_by_table()
        with override_settings(ANSWERS_KEPT_HOURS=0, EVENTS_KEPT_HOURS=0):
            upkeep_counts = upkeep.run_upkeep(upkeep.ALL)
        packed = _per_deal(before, bytes_by_table(), size)
    faults = [str(each) for each in audit.audit().differences]
    faults += [f"deal {deal.pk}: {wrong}" for deal in _over() for wrong in verify(proofs.proof(deal))]
    if packed["all"] > MOST:
        faults.append(f"a packed deal takes {packed['all']} bytes")
    per_deal = {"events": events, "live": _per_deal(before, live, size), "packed": packed}
    return {"deals": size, "database": connection.vendor, **per_deal, **upkeep_counts, "faults": faults}


def _over() -> Iterable[Deal]:
    return Deal.objects.filter(status=Deal.Status.OVER).select_related("match__table")


def _seated(world: World) -> list[Client]:
    table = world.table(seats=SEATS)
    return [world.sit(table) for _ in range(SEATS)]


def play_deal(world: World, clients: list[Client]) -> None:
    """Play one deal to its result, and let everybody see it."""
    while clients[0].view()["phase"] not in _PLAYED:
        _run_out_clock(world, clients[0].table)
    for client in clients:
        _send(client, {"type": "sort"})
    for _ in range(ROUNDS * SEATS):
        _pass(clients[clients[0].view()["deal"]["turn_seat"]])
    while (client := _next_to_act(clients)) is not None:
        frame = bots.choose(client.view())
        assert frame is not None, "who is awaited has something to do"
        _send(client, frame)
    world.clock.wait(2)
    for client in clients:
        _send(client, {"type": "continue"})


def _run_out_clock(world: World, table_id: int) -> None:
    """Let the clock before the deal run out."""
    world.clock.now = Table.objects.get(pk=table_id).deadline_ms or world.clock.now
    ServerHeartbeat.objects.update(at_ms=world.clock.now)
    play.tick(table_id=table_id)


def _pass(client: Client) -> None:
    """Draw a card, and discard it."""
    _send(client, {"type": "draw", "pile": "closed"})
    _send(client, {"type": "discard", "card": client.me["drawn"]})


def _next_to_act(clients: list[Client]) -> Client | None:
    """Return the seat that has to act in the running deal, or None once the result is shown."""
    view = clients[0].view()
    if view["phase"] not in _PLAYED:
        return None
    if view["phase"] == "playing":
        return clients[view["deal"]["turn_seat"]]
    return next(client for client in clients if "submit" in client.me["moves"])


def _send(client: Client, frame: dict[str, Any]) -> None:
    client.send(**{"frame_type" if key == "type" else key: value for key, value in frame.items()}, id=next(_ids))


def _request_ids() -> Iterator[str]:
    """Yield request ids as long as a browser's, which are UUIDs."""
    number = 0
    while True:
        number += 1
        yield f"{number:036d}"


_ids = _request_ids()


def bytes_by_table() -> Bytes:
    """Return the bytes of each table with its indexes and TOAST, without free space; on SQLite only their sum."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("VACUUM")
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
            return {"": int(cursor.fetchone()[0])}
        cursor.execute("VACUUM FULL")
        cursor.execute("SELECT relname, pg_total_relation_size(relid) FROM pg_stat_user_tables")
        return dict(cursor.fetchall())


def _per_deal(before: Bytes, after: Bytes, deals: int) -> Bytes:
    """Return the bytes that each table gained per deal, and their sum; leave out tables that did not grow."""
    grown = {name: (size - before.get(name, 0)) // deals for name, size in after.items()}
    named = {name: size for name, size in sorted(grown.items()) if size and name}
    return named | {"all": sum(grown.values())}
