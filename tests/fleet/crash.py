"""Faults injected into every operation of the services: before each write, before the commit and after it.

There are three kinds. An exception of our own and a lost database connection must leave nothing behind, and only the
exception freezes the table. A killed process must leave the state before the operation, or after the commit the state
after it, never one in between. An exception while staff cancel is not tried here: it leads to a refund from the books,
which `corruption` covers.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection, connections

from tables.models import Seating, Table
from tests.fleet.nemesis import COMMIT, KILLED, Writes, counting, die, lose_database, raise_fault
from tests.fleet.operations import ACTS, AT_A_TABLE, BY_LINE, RESCUED, Act
from tests.support.database import Figures, on_its_own
from tests.support.tables import Client
from tests.support.world import Facts, changed, facts, isolated_world
from wallet.audit.audit import audit

#: Rounds of all acts.
SIZE = 1
#: What a move that only moves cards changes.
MOVED = {"tables.Table", "tables.LoggedEvent", "tables.Answer"}
#: Seconds in which a connection of a process that was killed gets where it is awaited.
PATIENCE = 30


def run(*, seed: int, size: int) -> Figures:
    """Run `size` rounds of all operations, without chance; `points` counts the points at which faults were injected."""
    return on_its_own("crash", _play, seed, size)


def _play(seed: int, size: int) -> Figures:
    faults: list[str] = []
    points: Counter[str] = Counter()
    for _ in range(size):
        for name in ACTS:
            points[name] += strike_everywhere(name, faults)
        for name in BY_LINE if connection.vendor == "postgresql" else ():
            points[name] += strike_line_everywhere(name, faults)
    return {"acts": dict(points), "points": sum(points.values()), "faults": faults}


def strike_everywhere(name: str, faults: list[str], *, quick: bool = False) -> int:
    """Strike the operation at each of its points, append what went wrong to `faults`, and return the number of points.

    With `quick`, kill only at every second point and at the commit, and inject one kind of fault at the others.
    """
    with isolated_world() as world:
        act = ACTS[name](world)
        before, points = facts(), _count_points(act)
        strikes = (lose_database,) if name in RESCUED else (raise_fault, lose_database)
        for point in range(1, points + 1):
            kills = not quick or point % 2 == 0 or point == points
            if kills:
                _kill(name, act, point, before, faults)
            for strike in () if kills and quick and point < points else strikes[: 1 if quick else 2]:
                _strike(name, act, Writes(at=point, strike=strike), before, faults)
        _kill_after_the_commit(name, act, before, faults)
    return points


def strike_line_everywhere(name: str, faults: list[str]) -> int:
    """Kill the process that writes the move by its line at each point; append what went wrong, return their number.

    It dies before the move is sent; while the server is in the middle of it, which then either loses its connection or
    goes on to the end; and after the commit. PostgreSQL only.
    """
    with isolated_world() as world:
        client, act = BY_LINE[name](world)
        before = facts()
        if not _is_killed(act, at=COMMIT, strike=die):
            faults.append(f"{name} was not killed before it was sent")
        _compare(f"{name} killed before it was sent", before, faults)
        _kill_in_the_middle(name, client, act, faults, terminates=True)
        _compare(f"{name} killed and its connection terminated", before, faults)
        _kill_in_the_middle(name, client, act, faults, terminates=False)
        _expect_whole(f"{name} killed when it was sent", act, before, faults)
    with isolated_world() as world:
        client, act = BY_LINE[name](world)
        before = facts()
        if not _is_killed(act, after_commit=die):
            faults.append(f"{name}: nothing was committed")
        _expect_whole(f"{name} killed after its commit", act, before, faults)
    return 4


def _kill_in_the_middle(name: str, client: Client, act: Act, faults: list[str], *, terminates: bool) -> None:
    """Kill the process when the move is sent and the server is in the middle of writing it, at its stored answer."""
    with _same_answer(client) as other:
        if not _is_killed(act, after_sending=die):
            faults.append(f"{name} was not sent")
        waiting = "SELECT pid FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        _wait_until(lambda: other.execute(waiting).fetchone() is not None)
        [backend] = other.execute(waiting).fetchone() or [0]
        if terminates:
            other.execute("SELECT pg_terminate_backend(%s, %s)", [backend, PATIENCE * 1000])
        other.rollback()
        gone = "SELECT 1 FROM pg_stat_activity WHERE pid = %s"
        other.autocommit = True
        _wait_until(lambda: other.execute(gone, [backend]).fetchone() is None)


@contextmanager
def _same_answer(client: Client) -> Iterator[psycopg.Connection[Any]]:
    """Hold the row of the answer to the request in an open transaction, so that who writes it must wait for its end."""
    seating = Seating.objects.get(table=client.table, user=client.user, left_at=None)
    place = connection.settings_dict
    named = {"dbname": place["NAME"], "user": place["USER"], "password": place["PASSWORD"], "host": place["HOST"]}
    with psycopg.connect(**named, port=place["PORT"]) as other:
        values = [seating.pk, "1", "{}"]
        other.execute("INSERT INTO tables_answer (seating_id, request_id, answer) VALUES (%s, %s, %s)", values)
        yield other


def _wait_until(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.01)


def _expect_whole(case: str, act: Act, before: Facts, faults: list[str]) -> None:
    """Check that all of the move is there, and that repeating it changes nothing."""
    after = facts()
    if set(changed(before, after)) != MOVED:
        faults.append(f"{case}: only {changed(before, after)} changed")
    faults += [f"{case}: {difference}" for difference in audit().differences]
    _error_of(act, Writes())
    _compare(f"{case}, again", after, faults)


def _kill(name: str, act: Act, point: int, before: Facts, faults: list[str]) -> None:
    if not _is_killed(act, at=point, strike=die):
        faults.append(f"{name} was not killed at {point}")
    _compare(f"{name} killed at {point}", before, faults)


def _count_points(act: Act) -> int:
    """Return the number of points of the operation; its commit is the last one, and fails here."""
    writes = Writes(at=COMMIT, strike=lose_database)
    _error_of(act, writes)
    return len(writes.log)


def _strike(name: str, act: Act, writes: Writes, before: Facts, faults: list[str]) -> None:
    """Inject a fault in this process: a lost database or an exception of our own."""
    raised = _error_of(act, writes) is not None
    case = f"{name} struck at {writes.at} ({writes.struck}) by {writes.strike.__name__}"
    if not (writes.struck and raised):
        faults.append(f"{case}: nobody heard of it")
    should_freeze = writes.strike is raise_fault and name in AT_A_TABLE and writes.struck != COMMIT
    frozen = Table.objects.filter(status=Table.Status.FROZEN).exclude(fault__startswith="Stopped by")
    if frozen.exists() is not should_freeze:
        faults.append(f"{case}: frozen tables {list(frozen.values_list('pk', flat=True))}")
    frozen.update(status=Table.Status.OPEN, fault="")
    _compare(case, before, faults)


def _error_of(act: Act, writes: Writes) -> Exception | None:
    try:
        with counting(writes):
            act()
    except Exception as error:
        return error
    return None


def _is_killed(act: Act, **writes: Any) -> bool:
    """Return whether a child process that runs the operation reaches the point where it dies."""
    connections.close_all()
    child = os.fork()
    if child == 0:
        _live_and_die(act, Writes(**writes))
    _, status = os.waitpid(child, 0)
    exit_code = os.waitstatus_to_exitcode(status)
    assert exit_code in (0, KILLED), f"the child ended with {exit_code}"
    return exit_code == KILLED


def _live_and_die(act: Act, writes: Writes) -> None:
    code = 1
    try:
        with counting(writes):
            act()
        code = 0
    finally:
        os._exit(code)


def _kill_after_the_commit(name: str, act: Act, before: Facts, faults: list[str]) -> None:
    """Check that the commit is complete, and that repeating the operation changes nothing."""
    if not _is_killed(act, after_commit=die):
        faults.append(f"{name}: nothing was committed")
    after = facts()
    if not changed(before, after):
        faults.append(f"{name}: the commit changed nothing")
    faults += [f"{name} killed after its commit: {difference}" for difference in audit().differences]
    _error_of(act, Writes())
    _compare(f"{name} again after its commit", after, faults)


def _compare(case: str, before: Facts, faults: list[str]) -> None:
    differing = changed(before, facts())
    if differing:
        faults.append(f"{case}: {', '.join(differing)} changed")
