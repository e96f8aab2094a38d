"""Races: joins, last seats, rejoins, splits and settlements, each requested by many threads at once.

Each seat must be taken and paid for once, losers of a race must have paid nothing, and each act must take effect once.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from tables.errors import TableError
from tables.models import LoggedEvent, Seating, Table
from tables.play import services as play
from tests.fleet.operations import ACTS
from tests.support import connections
from tests.support.database import Figures, on_its_own, wipe
from tests.support.side_by_side import at_once
from tests.support.world import World, isolated_world
from wallet.audit.audit import audit
from wallet.base.errors import WalletError
from wallet.ledger.selectors import balances, stack
from wallet.models import Posting

#: Last seats fought for; the other races come with a fraction of that.
SIZE = 500
_REFUSALS = (TableError, WalletError)


def run(*, seed: int, size: int) -> Figures:
    """Run `size` races for a last seat, two fifths as many of 64 joins by one player, and fewer of the others."""
    return on_its_own("seat_races", _play, seed, size)


def _play(seed: int, size: int) -> Figures:
    faults: list[str] = []
    figures: dict[str, Any] = {}
    plan: list[tuple[Callable[..., int], int, int]] = [
        (last_seat, size, 3),
        (one_player_many_windows, max(1, size * 2 // 5), 64),
        (in_and_out, max(1, size // 50), 5),
        (rejoins, max(1, size // 20), 32),
        (splits, max(1, size // 20), 32),
        (settlements, max(1, size // 20), 32),
        (prizes, max(1, size // 20), 32),
    ]
    for race, rounds, threads in plan:
        figures[race.__name__] = _rounds(race, rounds, threads, faults)
    return {**figures, "faults": faults[:20]}


def _rounds(race: Callable[..., int], rounds: int, threads: int, faults: list[str]) -> dict[str, int]:
    calls = 0
    for number in range(rounds):
        if number % 50 == 0:
            wipe()
        with isolated_world() as world:
            try:
                calls += race(world, threads)
            except Exception as fault:
                faults.append(f"{race.__name__}: {type(fault).__name__}: {fault}")
    faults += [f"after {race.__name__}: {difference}" for difference in audit().differences[:3]]
    return {"rounds": rounds, "calls": calls}


def last_seat(world: World, threads: int) -> int:
    """Let many players ask for one seat: one sits and has paid, the others get `table_full` and have paid nothing."""
    table = world.pool(2)
    world.sit(table)
    users = [world.person() for _ in range(threads)]
    answers = at_once([lambda user=user: play.sit(table_id=table.pk, user=user) for user in users])
    assert Counter(each if isinstance(each, str) else "seated" for each in answers) == {
        "seated": 1, "table_full": threads - 1,
    }, answers  # fmt: skip
    assert sorted(_in_play(user) for user in users) == [0] * (threads - 1) + [100]
    _check_seats(table)
    return threads


def one_player_many_windows(world: World, threads: int) -> int:
    """Let one player ask many times at five tables: they get three seats and pay once for each."""
    tables, user = [world.table(seats=6) for _ in range(5)], world.person()
    wishes = [tables[number % 5] for number in range(max(threads, 5))]
    answers = at_once([lambda table=table: play.sit(table_id=table.pk, user=user, amount=100) for table in wishes])
    seats = {(each.table_id, each.seat) for each in answers if isinstance(each, Seating)}
    assert len(seats) == 3, f"seats {seats}"
    assert {each for each in answers if isinstance(each, str)} == {"too_many_tables"}
    assert Seating.objects.filter(user=user).count() == 3
    assert _in_play(user) == 300
    for table in tables:
        _check_seats(table)
    return threads


def in_and_out(world: World, threads: int) -> int:
    """Let one player sit and leave in several windows at full speed: they keep one seat at most and lose no chip."""
    table, user = world.table(seats=6), world.person()
    other = world.sit(table, amount=100)
    rounds = 20

    def toggle() -> None:
        for _ in range(rounds):
            for act in (_sit, _leave):
                try:
                    act(table.pk, user)
                except _REFUSALS:
                    continue

    with patch("tables.play.seating.MOST_IDLE_STAYS", 10**9):
        at_once([toggle] * threads)
    assert Seating.objects.filter(user=user, freed_at=None).count() <= 1
    (balance,) = balances(user)
    assert balance["free"] + balance["in_play"] == 10_000
    assert _in_play(other.user) == 100
    _check_seats(table)
    return 2 * rounds * threads


def rejoins(world: World, threads: int) -> int:
    """Accept one rejoin offer many times at once: it costs one entry."""
    act = ACTS["rejoin"](world)
    keys = Posting.objects.filter(key__contains=":rejoin:")
    _once(act, threads, lambda: (keys.count(), LoggedEvent.objects.filter(kind="player_rejoined").count()))
    return threads


def splits(world: World, threads: int) -> int:
    """Give the last agreement to a split many times at once: there is one prize."""
    _once(ACTS["split"](world), threads, lambda: (_prizes(), LoggedEvent.objects.filter(kind="prize_awarded").count()))
    return threads


def settlements(world: World, threads: int) -> int:
    """End a deal by a drop and by the clock, many times at once: there is one settlement."""
    act = ACTS["settle"](world)
    table = Table.objects.latest("pk")
    world.clock.now = (table.deadline_ms or 0) - 1
    keys = Posting.objects.filter(key__endswith=":settle")

    def tick() -> None:
        world.clock.now = table.deadline_ms or 0
        play.tick(table_id=table.pk)

    _once(act, threads, lambda: (keys.count(), LoggedEvent.objects.filter(kind="deal_settled").count()), tick)
    return threads


def prizes(world: World, threads: int) -> int:
    """End a match by a player's leaving and by the clock, many times at once: there is one prize."""
    act = ACTS["prize"](world)
    table = Table.objects.latest("pk")
    count = lambda: (_prizes(), LoggedEvent.objects.filter(kind="prize_awarded").count())  # noqa: E731
    _once(act, threads, count, lambda: play.tick(table_id=table.pk))
    return threads


def _once(
    act: Callable[[], Any], threads: int, count: Callable[[], tuple[int, int]], rival: Callable[[], Any] | None = None
) -> None:
    before = count()
    at_once([rival if rival is not None and number % 2 else act for number in range(threads)])
    gained = tuple(now - then for now, then in zip(count(), before, strict=True))
    assert gained == (1, 1), f"it happened {gained} times"


def _prizes() -> int:
    return Posting.objects.filter(key__endswith=":prize").count()


def _sit(table: int, user: Any) -> None:
    play.sit(table_id=table, user=user, amount=100)


def _leave(table: int, user: Any) -> None:
    from tables.play import protocol

    connections.connect(table_id=table, user_id=user.pk, connection="tab")
    play.play(table_id=table, user_id=user.pk, connection="tab", frame=protocol.Frame(type="leave"))


def _in_play(user: Any) -> int:
    return sum(balance["in_play"] for balance in balances(user))


def _check_seats(table: Table) -> None:
    """Check that no seat is taken twice, that there are not too many, and that each has its chips."""
    taken = Seating.objects.filter(table=table, freed_at=None)
    seats = [seating.seat for seating in taken]
    assert len(seats) == len(set(seats)) <= table.seats, f"seats {seats}"
    assert all(stack(seating.pk) for seating in taken), "a seat was not paid for"
    free = Seating.objects.filter(table=table).exclude(freed_at=None)
    assert not any(stack(seating.pk) for seating in free), "a seat that is free again still holds chips"
