"""The audit of a large ledger, while postings go on, beside one reading of the same transfers.

No table tells of what was filled in: of the tables' own checks only the reading of the ledger is measured.
"""

import threading
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.utils import timezone

from tests.benchmarks._filling import fill
from tests.benchmarks.ledger import scratch_database
from wallet.audit import audit
from wallet.play_money import services as play_money
from wallet.witness import statements
from wallet.witness.pieces import KIND, read_pieces, unchanged_prefix

#: What a table would have to tell of.
_OF_TABLES = "derived"
_SHOWN = 8


def measure(count: int = 200_000) -> dict[str, Any]:
    """Seconds that the audit of so many transfers takes, its slowest checks, and milliseconds of postings meanwhile."""
    with scratch_database():
        fill(count)
        floor = _timed_reading()
        postings = _Postings()
        checks = _Checks()
        began, began_processor = perf_counter(), process_time()

        with postings:
            report = audit.audit(checks.told)
        seconds, processor = perf_counter() - began, process_time() - began_processor
        assert [each for each in report.differences if each.check != _OF_TABLES] == []
        night = _timed_night()
    return {
        "what": f"the audit of a month of transfers, on {connection.vendor}",
        "unit": "s",
        "transfers": report.transfers,
        "seconds": round(seconds, 2),
        "processor_seconds": round(processor, 2),
        "slowest": checks.slowest(),
        "night": night,
        "memory_mb": round(getrusage(RUSAGE_SELF).ru_maxrss / 1024),
        "postings_meanwhile": postings.figures(),
        "floor": {"what": "the same transfers read once, as plain SQL", "seconds": round(floor, 2)},
    }


class _Checks:
    """How many seconds each check takes, told by the audit when it is done."""

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


class _Postings:
    """Somebody adds chips again and again in a connection of their own, as long as the block runs."""

    def __init__(self) -> None:
        self._user = get_user_model()._default_manager.get(username="player1")
        self._over = threading.Event()
        self._times: list[float] = []
        self._thread = threading.Thread(target=self._post)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def figures(self) -> dict[str, float]:
        each = sorted(self._times)
        return {"count": len(each), "median_ms": round(each[len(each) // 2], 1), "longest_ms": round(each[-1], 1)}

    def _post(self) -> None:
        while not self._over.wait(0.02):
            key, start = f"seating:1:add:{len(self._times)}", perf_counter()
            play_money.add_chips(seating=1, user=self._user, currency="FUN", amount=1, key=key)
            self._times.append((perf_counter() - start) * 1000)
        connection.close()


def _timed_night() -> dict[str, Any]:
    """Seconds of an audit that takes for granted what has not changed since a whole one, its digests among them."""
    statements.add_witness(KIND, read_pieces(timezone.now()))
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
