"""Several connections settle deals at once, each at a table of its own, while lock waits are counted.

The floor makes the same transfers on as many connections. The two take turns, a round each.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter, sleep
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError
from django.db import connection

from tests.benchmarks.ledger import Lines, Plain
from wallet.models import Account, AccountKind, Transfer
from wallet.play_money import services as play_money

SEATS, STACK, LOSS, FEE = 6, 10_000, 10, 5
ROUNDS = 10
#: Seconds between two looks at who waits.
_LOOK = 0.002


@dataclass(slots=True)
class Waits:
    """The number of polls, the number that saw a lock wait, and the longest wait."""

    looks: int = 0
    waits: int = 0
    over: threading.Event = field(default_factory=threading.Event)


def measure_together(connections: int, count: int) -> dict[str, Any]:
    """Return transfers a second of `count` deals on each connection, and how many lock waits were seen."""
    if connection.vendor != "postgresql":
        raise CommandError("SQLite has one writer: measure several connections on PostgreSQL.", returncode=2)
    tables = [_seated(number) for number in range(connections)]
    _all_at_once([lambda table=table: _deal(table, 0) for table in tables])
    plain = Plain()
    ours, floor = _Side(), _Side()
    each = max(1, count // ROUNDS)
    for number in range(1, ROUNDS + 1):
        numbers = range(number * each, (number + 1) * each)
        with ours.measured():
            _all_at_once([lambda table=table: _deals(table, numbers) for table in tables])  # noqa: B023  called at once
        opened, _ = plain.what_happened()
        plain.post(opened, [])
        lines_by_table = [_lines_by_deal(table, numbers) for table in tables]
        with floor.measured():
            _all_at_once([lambda lines=lines: _plainly(plain, lines) for lines in lines_by_table])
        for side in (ours, floor):
            side.transfers += sum(len(lines) for postings in lines_by_table for lines in postings)
    fees = Account.objects.filter(kind=AccountKind.FEES).count()
    figures = {"what": "deals of six, a commit each, at tables of their own", "connections": connections}
    figures |= {"accounts_of_fees": fees, **ours.figures()}
    share = round(ours.rate / floor.rate, 2)
    return figures | {"floor": {"what": "the same transfers as plain SQL", **floor.figures()}, "of_floor": share}


@dataclass(slots=True)
class _Side:
    """One side of the comparison: the ledger, or the floor."""

    seconds: float = 0.0
    transfers: int = 0
    seen: Waits = field(default_factory=Waits)

    @property
    def rate(self) -> float:
        return self.transfers / self.seconds

    @contextmanager
    def measured(self) -> Iterator[None]:
        with _watched(self.seen):
            start = perf_counter()
            yield
            self.seconds += perf_counter() - start

    def figures(self) -> dict[str, Any]:
        return {"transfers_per_second": round(self.rate), "lock_waits": self.seen.waits, "looks": self.seen.looks}


@contextmanager
def _watched(waits: Waits) -> Iterator[None]:
    """Poll during the block for sessions that wait for a row or for the transaction that locks it."""
    waits.over.clear()

    def look() -> None:
        with connection.cursor() as cursor:
            while not waits.over.is_set():
                cursor.execute(
                    "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                    " AND wait_event IN ('tuple', 'transactionid') AND datname = current_database()"
                )
                waits.looks += 1
                waits.waits += cursor.fetchone()[0]
                sleep(_LOOK)
        connection.close()

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield
    finally:
        waits.over.set()
        watcher.join()


def _all_at_once(calls: Sequence[Callable[[], None]]) -> None:
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], None]) -> None:
        try:
            start.wait(60)
            call()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        list(pool.map(run, calls))


def _seated(table: int) -> range:
    """Return the seatings of a table, each with a player and a stack of its own."""
    seatings = range(table * SEATS + 10_000, table * SEATS + 10_000 + SEATS)
    for seating in seatings:
        user = get_user_model()._default_manager.create(username=f"crowd{seating}")
        play_money.open_wallet(user)
        play_money.buy_in(seating=seating, user=user, currency="FUN", amount=STACK)
    return seatings


def _deals(seatings: range, numbers: range) -> None:
    for number in numbers:
        _deal(seatings, number)


def _deal(seatings: range, number: int) -> None:
    winner = seatings[number % SEATS]
    losses = {seating: LOSS for seating in seatings if seating != winner}
    play_money.settle_deal(key=_key(seatings, number), currency="FUN", winner=winner, losses=losses, fee=FEE)


def _key(seatings: range, number: int) -> str:
    return f"deal:{seatings[0]}:{number}:settle"


def _lines_by_deal(seatings: range, numbers: range) -> list[Lines]:
    """Return the transfers of each of these deals."""
    keys = [_key(seatings, number) for number in numbers]
    lines_by_deal: dict[int, Lines] = {}
    for posting, *line in (
        Transfer.objects.filter(posting__key__in=keys)
        .order_by("pk")
        .values_list("posting_id", "debit_id", "credit_id", "amount")
    ):
        lines_by_deal.setdefault(posting, []).append(tuple(line))
    return list(lines_by_deal.values())


def _plainly(plain: Plain, postings: list[Lines]) -> None:
    for lines in postings:
        plain.post([], lines)
