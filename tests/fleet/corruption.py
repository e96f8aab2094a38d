"""Running games whose stored state, and in half of the cases whose event log, is corrupted.

Each must freeze alone, inform its players, and be refunded exactly once from the best record that is left, if
necessary from the books alone.
"""

import json
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any
from unittest.mock import patch

from django.db import connection

from tables import tasks
from tables.errors import TableError
from tables.log.sealing import EVENTS, SNAPSHOTS
from tables.log.triggers import TRIGGERS
from tables.models import LoggedEvent, Match, Seating, Table
from tables.play import services as play
from tables.staff import cancel_match, cancel_table
from tests.fleet.operations import OPS
from tests.fleet.progress import progress
from tests.support.database import Figures, on_its_own, wipe
from tests.support.steering import ask, one_loses_eighty, pass_turn, to_move
from tests.support.tables import Client
from tests.support.world import World, isolated_world
from wallet.audit.audit import audit
from wallet.base import triggers
from wallet.ledger.selectors import balances
from wallet.models import Account, AccountKind, Posting

#: Games.
SIZE = 200
_AT_ONCE = 10
_GIVEN = 10_000


def run(*, seed: int, size: int) -> Figures:
    """Play `size` games, ten at a time on an empty database."""
    return on_its_own("corruption", _play, seed, size)


def _play(seed: int, size: int) -> Figures:
    rng, counts, faults = Random(seed), Counter[str](), list[str]()
    for start in range(0, size, _AT_ONCE):
        wipe()
        progress(start, size, "games")
        for number in range(start, min(start + _AT_ONCE, size)):
            with isolated_world() as world:
                name = f"seed {seed}, game {number}"
                try:
                    _game(world, rng, counts)
                except Exception as fault:
                    faults.append(f"{name}: {type(fault).__name__}: {fault}")
        faults += [f"seed {seed}, games from {start}: {difference}" for difference in audit().differences]
    return {"games": counts["games"], "refunded": counts["refunded"], "happened": dict(counts), "faults": faults[:20]}


def _game(world: World, rng: Random, counts: Counter[str]) -> None:
    counts["games"] += 1
    clients, bystander = _running(world, rng), world.sit(world.table(), amount=80)
    owned = _owned_by(clients)
    ruin, lose = rng.choice(list(RUINS.values())), rng.choice(list(LOSSES.values()))
    row = Table.objects.get(pk=clients[0].table)
    ruin(row, rng)
    lose(row)
    counts.update([ruin.__name__, lose.__name__])
    with patch("tables.play.broadcast.send") as send:
        _act(world, clients, rng)
    row.refresh_from_db()
    assert row.status == Table.Status.FROZEN, f"{ruin.__name__} froze nothing"
    assert [call.args[0] for call in send.call_args_list].count(f"table.{row.pk}") >= 1, "its players were not told"
    assert Table.objects.get(pk=bystander.table).status == Table.Status.OPEN, "another table froze"
    _cancel(row, rng)
    _check_returned(row, clients, owned)
    before = Posting.objects.count()
    try:
        cancel_table(table_id=row.pk, reason="Again", actor=OPS)
        raise AssertionError("it was cancelled twice")
    except TableError:
        assert Posting.objects.count() == before
    counts["refunded"] += 1


def _running(world: World, rng: Random) -> list[Client]:
    """Return a running game of points, pool or best of three; sometimes a player has left, or a deal is scored."""
    kind = rng.choice(("points", "pool", "deals"))
    seats = 2 if kind == "deals" else 3
    stakes: dict[str, Callable[[], Table]] = {
        "points": lambda: world.table(seats=seats),
        "pool": lambda: world.pool(seats),
        "deals": lambda: world.pool(seats, book="standard-deals-3"),
    }
    table = stakes[kind]()
    clients = [world.sit(table) for _ in range(seats)]
    world.deal(table)
    if rng.random() < 0.3:
        one_loses_eighty(clients[0], clients[1], clients)
        return clients
    for _ in range(rng.randrange(6)):
        pass_turn(to_move(clients))
    if seats == 3 and rng.random() < 0.3:
        ask(clients[2], "leave")
    return clients


def _owned_by(clients: list[Client]) -> list[int]:
    """Return what each player owns, on the table and off it.

    A cancelled match must cost them nothing; those who left a points table have paid already.
    """
    return [sum(balance["free"] + balance["in_play"] for balance in balances(client.user)) for client in clients]


def _act(world: World, clients: list[Client], rng: Random) -> None:
    """Make a move, let somebody connect, or let the clock run out."""
    table = clients[0].table
    world.clock.wait(61)
    try:
        if rng.random() < 0.3:
            play.sit(table_id=table, user=world.person())
        elif rng.random() < 0.5:
            clients[0].send("sort", id="1")
        else:
            play.tick(table_id=table)
    except TableError as error:
        assert error.code == "frozen", error.code
    if Table.objects.get(pk=table).status == Table.Status.OPEN:
        # A state that only the next move shows to be wrong: the clock makes it.
        world.clock.wait(61)
        tasks.sweep()


def _cancel(row: Table, rng: Random) -> None:
    match = Match.objects.filter(table=row, status=Match.Status.OPEN).first()
    if match is not None and rng.random() < 0.5:
        cancel_match(match_id=match.pk, reason="A ruined state", actor=OPS)
    else:
        cancel_table(table_id=row.pk, reason="A ruined state", actor=OPS)


def _check_returned(row: Table, clients: list[Client], owned: list[int]) -> None:
    row.refresh_from_db()
    assert row.status == Table.Status.CLOSED, "it was not closed"
    assert not Match.objects.filter(table=row, status=Match.Status.OPEN).exists(), "its match is still open"
    assert not Seating.objects.filter(table=row, left_at=None).exists(), "somebody is still bound to it"
    names = [f"seating:{pk}" for pk in row.seatings.values_list("pk", flat=True)]
    names += [f"match:{pk}" for pk in row.matches.values_list("pk", flat=True)]
    left = Account.objects.filter(kind__in=(AccountKind.STACK, AccountKind.POT), reference__in=names).exclude(balance=0)
    assert not left, f"{left} still holds something"
    now = [sum(balance["free"] for balance in balances(client.user)) for client in clients]
    assert now == owned, f"{now} were returned, {owned} were owed"


# --- what becomes of the state --------------------------------------------------------------------------------------


def _set(row: Table, snapshot: bytes) -> None:
    Table.objects.filter(pk=row.pk).update(snapshot=snapshot)


def _record(row: Table) -> dict[str, Any]:
    return dict(json.loads(SNAPSHOTS.unseal(Table.objects.get(pk=row.pk))))


def _reseal(row: Table, record: Any) -> None:
    _set(row, SNAPSHOTS.seal(Table.objects.get(pk=row.pk), json.dumps(record).encode()))


def garbage(row: Table, rng: Random) -> None:
    _set(row, rng.randbytes(300))


def bit_flipped(row: Table, rng: Random) -> None:
    sealed = bytearray(Table.objects.get(pk=row.pk).snapshot)
    sealed[rng.randrange(len(sealed))] ^= 1 << rng.randrange(7)
    _set(row, bytes(sealed))


def cut_short(row: Table, rng: Random) -> None:
    sealed = bytes(Table.objects.get(pk=row.pk).snapshot)
    _set(row, sealed[: rng.randrange(len(sealed))])


def of_another_table(row: Table, rng: Random) -> None:
    _set(row, bytes(Table.objects.exclude(pk=row.pk).latest("pk").snapshot))


def of_the_future(row: Table, rng: Random) -> None:
    _reseal(row, {**_record(row), "format": 99, "tokens": []})


def no_state_at_all(row: Table, rng: Random) -> None:
    _reseal(row, rng.choice(([], None, {}, {"format": 1}, "state")))


def card_twice(row: Table, rng: Random) -> None:
    """Put a card into the state twice: the state can be read, but breaks the rules."""
    record = _record(row)
    closed = record["deal"]["closed"]
    closed[-1] = closed[0]
    _reseal(row, record)


def field_lost(row: Table, rng: Random) -> None:
    record = _record(row)
    del record[rng.choice(sorted(record.keys() - {"format"}))]
    _reseal(row, record)


# --- what becomes of the event log ----------------------------------------------------------------------------------


def events_kept(row: Table) -> None:
    """Change nothing: the event log still rebuilds the state."""


def one_event_ruined(row: Table) -> None:
    LoggedEvent.objects.filter(pk=row.events.order_by("pk")[1].pk).update(payload=b"nothing")


def events_of_the_future(row: Table) -> None:
    last = row.events.latest("pk")
    LoggedEvent.objects.filter(pk=last.pk).update(payload=EVENTS.seal(last, b'{"format":99,"type":"card_eaten"}'))


def events_lost(row: Table) -> None:
    triggers.remove(connection, TRIGGERS)
    row.events.all().delete()
    triggers.install(connection, TRIGGERS)


RUINS = {
    each.__name__: each
    for each in (garbage, bit_flipped, cut_short, of_another_table, of_the_future, no_state_at_all, card_twice,
                 field_lost)
}  # fmt: skip
LOSSES = {each.__name__: each for each in (events_kept, one_event_ruined, events_of_the_future, events_lost)}
