"""The audit of a large ledger, while deals are settled, beside one reading of the same transfers.

The ledger was filled without tables: of the tables' own checks only their reading of the ledger is measured.
"""

from multiprocessing import get_context
from os import getloadavg
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time
from typing import Any

from django.core.management.base import CommandError
from django.db import connection
from django.utils import timezone

from tests.benchmarks._filling import FEE, LOSS, SEATS, fill
from tests.benchmarks.ledger import scratch_database
from wallet.audit import audit
from wallet.audit.checkpoints import PIECE, read_pieces, state_pieces, unchanged_prefix
from wallet.play_money import services as play_money

#: What a table would have to tell of.
_OF_TABLES = "derived"
_SHOWN = 8
#: A number of deals that no filled ledger reaches.
_BEYOND = 10**9


def measure(count: int = 200_000) -> dict[str, Any]:
    """Return the seconds of an audit of `count` transfers, its slowest checks, and milliseconds of deals meanwhile."""
    if count < PIECE:
        raise CommandError(f"A nightly audit skips nothing of so few transfers: take --size {PIECE}.", returncode=2)
    with scratch_database():
        fill(count)
        floor = _timed_reading()
        deals = _Deals()
        checks = _Checks()
        began, began_processor = perf_counter(), process_time()

        with deals:
            report = audit.audit(checks.told)
        seconds, processor = perf_counter() - began, process_time() - began_processor
        assert [each for each in report.differences if each.check != _OF_TABLES] == []
        night = _timed_night()
    return {
        "what": f"the audit of a month of transfers, on {connection.vendor}",
        "unit": "s",
        "transfers": report.transfers,
        "seconds": round(seconds, 2),
        "load": round(getloadavg()[0], 1),
        "processor_seconds": round(processor, 2),
        "slowest": checks.slowest(),
        "night": night,
        "memory_mb": round(getrusage(RUSAGE_SELF).ru_maxrss / 1024),
        "deals_meanwhile": deals.figures(),
        "floor": {"what": "the same transfers read once, as plain SQL", "seconds": round(floor, 2)},
    }


class _Checks:
    """The seconds of each check, reported by the audit when it is done."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._latest = perf_counter()

    def told(self, _done: int, _of: int, check: str) -> None:
        # Within a check the rows it has read are told as well.
        name, now = check.partition(",")[0], perf_counter()
        self._seconds[name] = self._seconds.get(name, 0.0) + now - self._latest
        self._latest = now

    def slowest(self) -> dict[str, float]:
        slowest = sorted(self._seconds.items(), key=lambda each: -each[1])[:_SHOWN]
        return {name: round(took, 2) for name, took in slowest}


class _Deals:
    """Another process that settles deals at a full table, one after the other, as long as the block runs."""

    def __init__(self) -> None:
        # The process opens a connection of its own: none may be open when it begins, nor a pool of them.
        connection.close()
        if connection.vendor == "postgresql":
            connection.close_pool()  # type: ignore[attr-defined]
        processes = get_context("fork")
        self._over, self._times = processes.Event(), processes.SimpleQueue()
        self._process = processes.Process(target=self._settle)

    def __enter__(self) -> None:
        self._process.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._milliseconds = sorted(self._times.get())
        self._process.join()

    def figures(self) -> dict[str, float]:
        each = self._milliseconds
        return {"count": len(each), "median_ms": round(each[len(each) // 2], 1), "longest_ms": round(each[-1], 1)}

    def _settle(self) -> None:
        times: list[float] = []
        try:
            while not self._over.is_set():
                number, start = len(times), perf_counter()
                winner = number % SEATS + 1
                losses = {seating: LOSS for seating in range(1, SEATS + 1) if seating != winner}
                key = f"deal:{_BEYOND + number}:settle"
                play_money.settle_deal(key=key, currency="FUN", winner=winner, losses=losses, fee=FEE)
                times.append((perf_counter() - start) * 1000)
        finally:
            connection.close()
            self._times.put(times)


def _timed_night() -> dict[str, Any]:
    """Return the seconds of a nightly audit, which skips what is unchanged since a whole one, with its digests."""
    state_pieces(read_pieces(timezone.now()))
    began, began_processor = perf_counter(), process_time()
    prefix = unchanged_prefix()
    assert prefix is not None
    read = perf_counter() - began
    checks = _Checks()
    report = audit.audit(checks.told, prefix)
    assert {each.check for each in report.differences} <= {_OF_TABLES}
    seconds, processor = perf_counter() - began, process_time() - began_processor
    whole = {"seconds": round(seconds, 2), "processor_seconds": round(processor, 2), "digests": round(read, 2)}
    return {**whole, "slowest": checks.slowest()}


def _timed_reading() -> float:
    start = perf_counter()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t.id, t.debit_id, t.credit_id, t.amount, t.debit_balance, t.credit_balance, t.seal, p.digest"
            " FROM wallet_transfer t JOIN wallet_posting p ON p.id = t.posting_id ORDER BY t.id"
        )
        while cursor.fetchmany(5_000):
            pass
    return perf_counter() - start
