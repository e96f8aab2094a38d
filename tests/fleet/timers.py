"""Deadlines raced by players, workers and each other, in real time and many threads, by the database's clock.

Races: a discard and the end of its extra time come within five milliseconds of each other. Lost: no nudge arrives, only
one sweep a second. Doubled: eight sweepers and five nudges meet each deadline at once. Faults are counted from the
event log: a turn that ended twice, a clock that ran out early, a deadline that was missed.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from random import Random
from typing import Any
from unittest.mock import patch

from django.db import connection

from rules.game.state import Clocks
from tables import tasks
from tables.errors import TableError
from tables.models import LoggedEvent, Table
from tables.play import clocks as timers, services as play, store
from tests.support.database import Figures, on_its_own, wipe
from tests.support.tables import Client, read_event
from tests.support.world import World

#: Races; the other figures come with as many tables as a tenth of that.
SIZE = 2_000
#: So many tables race side by side, two threads each.
_LANES = 4
_JITTER_MS = 5
#: Long enough to draw a card within, short enough to wait for.
_RACING = Clocks(start_two=1, turn=250, extra=150)
_SWEPT = Clocks(start_two=1_500, turn=1_500, extra=1_500, result=1_500)
#: So many ms does it take at most to make a table and seat two.
_SEATED = 150
_SWEEPERS, _NUDGES = 8, 5
#: With every nudge lost, so late may the slowest in a hundred clocks be seen.
LATE_MS = 1_500


def run(*, seed: int, size: int) -> Figures:
    """Run `size` races, and the other two parts with a twentieth as many tables."""
    return on_its_own("timers", _play, seed, size)


def _play(seed: int, size: int) -> Figures:
    faults: list[str] = []
    with ExitStack() as stack:
        stack.enter_context(patch("tables.play.broadcast.send", lambda group, message: None))
        stack.enter_context(patch("tables.play.clocks._nudge", lambda table_id, delay: None))
        wipe()
        race_figures = races(seed, size, faults)
        wipe()
        late = lateness(max(2, size // 20), faults)
        wipe()
        at_once_figures = at_once(max(2, size // 20), faults)
    return {**race_figures, **late, **at_once_figures, "faults": faults[:20]}


# --- races ----------------------------------------------------------------------------------------------------------


def races(seed: int, size: int, faults: list[str]) -> Figures:
    """Return how many turns ended, by the player (`acts`) or the platform (`expired`).

    `close` counts those in which both tried within the jitter around the deadline.
    """
    lanes = min(_LANES, size)
    each = -(-size // lanes)
    with ThreadPoolExecutor(3 * lanes) as pool:
        running = [pool.submit(_lane, pool, each, Random(f"{seed}/{lane}")) for lane in range(lanes)]
        close = sum(lane.result() for lane in running)
    counts: Counter[str] = Counter()
    for table in Table.objects.all():
        counts.update(_turns_of(table.pk, faults))
    return {"close": close, **counts}


def _lane(pool: ThreadPoolExecutor, rounds: int, rng: Random) -> int:
    """Race `rounds` turns one after the other, at a new table after each deal; return how many were close."""
    close, clients = 0, _duel(_RACING)
    try:
        for _ in range(rounds):
            if clients[0].view()["phase"] != "playing":
                clients = _duel(_RACING)
            close += _race(pool, clients, rng)
    finally:
        connection.close()
    return close


def _race(pool: ThreadPoolExecutor, clients: list[Client], rng: Random) -> bool:
    """Race one turn, and return whether it was close. On a slow machine it may be over before a card is drawn."""
    table = clients[0].table
    seat = (clients[0].view()["deal"] or {}).get("turn_seat")
    mover = next((client for client in clients if _me(client).get("seat") == seat), None)
    if mover is None:
        return False
    _try(lambda: mover.send("draw", pile="closed"))
    drawn = _me(mover).get("drawn")
    _wait_until(_deadline(table), 1)
    _try(lambda: play.tick(table_id=table))
    deadline = _deadline(table)
    if drawn is None or _me(mover).get("drawn") != drawn:
        return False
    # The player's way to the lock is the longer one: looked at alone, they would nearly always be late.
    acts, expires = rng.uniform(-3 * _JITTER_MS, _JITTER_MS), rng.uniform(-_JITTER_MS, _JITTER_MS)
    discards = pool.submit(_at, deadline, acts, lambda: mover.send("discard", card=drawn))
    ticks = pool.submit(_at, deadline, expires, lambda: play.tick(table_id=table))
    discards.result()
    ticks.result()
    _try(lambda: play.tick(table_id=table))
    return True


def _me(client: Client) -> dict[str, Any]:
    return client.view()["me"] or {}


def _at(deadline: int, jitter: float, act: Callable[[], Any]) -> None:
    try:
        _wait_until(deadline, jitter)
        _try(act)
    finally:
        connection.close()


def _try(act: Callable[[], Any]) -> None:
    try:
        act()
    except TableError as error:
        if error.code == "frozen":
            raise


def _deadline(table: int) -> int:
    return Table.objects.values_list("deadline_ms", flat=True).get(pk=table) or store.now_ms()


def _wait_until(deadline: int, jitter: float) -> None:
    time.sleep(max(0.0, (deadline + jitter - store.now_ms()) / 1000))


def _turns_of(table: int, faults: list[str]) -> Counter[str]:
    """Count how the turns of the table ended; every one but the last must end exactly once, and none too early."""
    counts: Counter[str] = Counter()
    ends, extra = 0, 0
    for row in LoggedEvent.objects.filter(table=table).order_by("version", "number"):
        event: Any = read_event(row)
        if row.kind == "turn_began":
            if ends != 1 and counts["turns"] + ends > 0:
                faults.append(f"table {table}: a turn ended {ends} times before version {row.version}")
            ends, extra = 0, 0
        elif row.kind == "extra_time_began":
            extra = event.clock.deadline
        elif row.kind in ("card_discarded", "player_dropped"):
            ends += 1
            by_platform = event.by.value == "platform"
            counts["turns"] += 1
            counts["expired" if by_platform else "acts"] += 1
            if by_platform and row.at_ms < extra:
                faults.append(f"table {table}: expired {extra - row.at_ms} ms early at version {row.version}")
            if not by_platform and extra and row.at_ms >= extra:
                faults.append(f"table {table}: acted {row.at_ms - extra} ms late at version {row.version}")
    return counts


def _duel(clocks: Clocks) -> list[Client]:
    """Return two players in a running deal, on the real clock."""
    world = World()
    table = world.table(clocks=clocks)
    clients = [world.sit(table, amount=800) for _ in range(2)]
    while Table.objects.get(pk=table.pk).phase != "playing":
        _wait_until(_deadline(table.pk), 1)
        play.tick(table_id=table.pk)
    return clients


# --- every nudge lost -----------------------------------------------------------------------------------------------


def lateness(size: int, faults: list[str]) -> Figures:
    """Sweep tables that nobody plays at once a second; return how late, in ms, their deadlines were noticed."""
    # All sit before the first clock runs out: what is measured is the sweep, not how fast tables are made.
    clocks = replace(_SWEPT, start_two=_SWEPT.start_two + _SEATED * size)
    world = World()
    over = threading.Event()
    sweeper = threading.Thread(target=_sweep_each_second, args=(over,))
    sweeper.start()
    for _ in range(size):
        table = world.table(clocks=clocks)
        for _ in range(2):
            world.sit(table, amount=80)
    time.sleep(clocks.start_two / 1000 + 6)
    over.set()
    sweeper.join()
    late = _delays(faults)
    missed = len(timers.overdue_tables(store.now_ms() - 2_000))
    if missed or not late:
        faults.append(f"{missed} deadlines were missed, {len(late)} seen")
    p50, p99 = _quantile(late, 0.5), _quantile(late, 0.99)
    if p99 > LATE_MS:
        faults.append(f"one clock in a hundred was seen only {p99} ms late")
    return {"clocks": size, "seen": len(late), "missed": missed, "late p50 ms": p50, "late p99 ms": p99}


def _sweep_each_second(over: threading.Event) -> None:
    """Sweep as beat and a worker of four threads do: a sweep that takes long does not hold up the next."""
    with ThreadPoolExecutor(4) as threads:
        while not over.wait(1.0):
            threads.submit(_sweep)


def _sweep() -> None:
    try:
        tasks.sweep()
    finally:
        connection.close()


def _delays(faults: list[str]) -> list[int]:
    """Return for each clock that ran out how long after its deadline that was, in ms."""
    late: list[int] = []
    for table in Table.objects.all():
        deadline = None
        for row in LoggedEvent.objects.filter(table=table).order_by("version", "number"):
            event: Any = read_event(row)
            if row.kind in ("cards_dealt", "extra_time_began") and deadline is not None:
                late.append(row.at_ms - deadline)
            if row.kind in ("starting_began", "clock_set", "turn_began", "extra_time_began", "clock_credited"):
                deadline = event.clock.deadline
    faults += [f"a clock ran out {-each} ms early" for each in late if each < 0]
    return sorted(late)


def _quantile(late: list[int], part: float) -> int:
    return late[min(len(late) - 1, int(len(late) * part))] if late else 0


# --- everything at once ---------------------------------------------------------------------------------------------


def at_once(size: int, faults: list[str]) -> Figures:
    """Make tables due at once for eight sweepers and five nudges each: every clock must run out once."""
    tables = [_duel(Clocks(start_two=1, turn=300, extra=3_600_000))[0].table for _ in range(size)]
    _wait_until(max(map(_deadline, tables)), 1)
    start = threading.Barrier(_SWEEPERS + _NUDGES)
    errors: list[str] = []

    def work(act: Callable[[], Any]) -> None:
        try:
            start.wait(30)
            act()
        except Exception as error:
            errors.append(f"{type(error).__name__}: {error}")
        finally:
            connection.close()

    def nudge() -> None:
        for table in tables:
            play.tick(table_id=table)

    workers = [threading.Thread(target=work, args=(tasks.sweep,)) for _ in range(_SWEEPERS)]
    workers += [threading.Thread(target=work, args=(nudge,)) for _ in range(_NUDGES)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    ran = Counter(LoggedEvent.objects.filter(kind="extra_time_began").values_list("table_id", flat=True))
    credited = LoggedEvent.objects.filter(kind="clock_credited").values_list("table_id", flat=True)
    doubled = [table for table in tables if ran[table] + list(credited).count(table) != 1]
    faults += errors + [f"table {table}: its clock ran out {ran[table]} times" for table in doubled]
    return {"due at once": size, "doubled": len(doubled), "errors": len(errors)}
