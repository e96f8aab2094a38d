"""The audit of real play: tables of six, played out by computer players through the product's own path.

A million transfers would take days to play, so `--size` transfers are played, and what they cost is reckoned up to a
million: all that an audit does for a transfer, an event or a deal grows with them. The fixed part is told apart by an
audit of the empty database; other processes start only where there is more than one part to read. `whole` replays every
log; `weekly` is what Sunday's audit does once one has stated that it was in order: it compares digests, and replays a
tenth. Each is done by one process alone, and with one more for each core. Whether all grows with the transfers is seen
by two sizes: compare what each check takes for a thousand of them. With fewer than a thousand the fixed part is so much
of it all that the rest is noise.
"""

from collections.abc import Callable
from functools import partial
from os import getloadavg, sched_getaffinity
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import perf_counter, process_time
from typing import Any

from django.db import connection
from django.db.models import Sum

from tables.audit import proven
from tables.models import Deal, Pack, Table
from tests.benchmarks._playing import play
from tests.benchmarks.ledger import scratch_database
from wallet.audit import audit, nightly
from wallet.models import Transfer

_SHOWN = 12
_MILLION = 1_000_000
#: Other processes than the one that audits: none, or as many as an audit takes.
_PROCESSES = {"alone": 0, "together": None}

Figures = dict[str, float]


def measure(count: int = 1_000) -> dict[str, Any]:
    """Return the seconds of audits of `count` transfers of play: in all, for a thousand, and reckoned to a million."""
    with scratch_database():
        # Once for nothing, so that what is loaded only once is loaded.
        audit.audit()
        empty = {name: _timed(partial(audit.audit, processes=processes)) for name, processes in _PROCESSES.items()}
        play(count)
        sizes = {
            "transfers": Transfer.objects.count(),
            "events": Pack.objects.aggregate(events=Sum("events"))["events"],
            "deals": Deal.objects.filter(status="over").count(),
            "tables": Table.objects.filter(status="closed").count(),
        }
        checks = _Checks()
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        whole = {
            "alone": _timed(lambda: audit.audit(checks.told, replay_all=True)),
            "together": _timed(lambda: audit.audit(processes=None, replay_all=True)),
        }
        assert nightly.run_nightly().findings == []
        unchanged_checks = _Checks()
        # Only what is in turn is replayed: none of the groups, then reckoned with a tenth.
        unchanged = {
            "alone": _timed(lambda: audit.audit(unchanged_checks.told)),
            "together": _timed(lambda: audit.audit(processes=None)),
        }
        share = sum(1 for group in proven.groups() if not group.digest) / len(proven.groups())
        floor = _timed_reading()
    weekly = {name: _with_a_tenth(whole[name], unchanged[name], share) for name in _PROCESSES}
    audits = {"whole": whole, "weekly": weekly}
    return {
        "what": f"the audit of {sizes['transfers']} transfers of real play, on {connection.vendor}",
        "unit": "s",
        **sizes,
        "cores": len(sched_getaffinity(0)),
        "load": round(getloadavg()[0], 1),
        "empty": empty,
        "not_proven": round(share, 3),
        **audits,
        "unchanged": unchanged,
        "ms_a_transfer_by_check": {
            "whole": checks.slowest(sizes["transfers"]),
            "unchanged": unchanged_checks.slowest(sizes["transfers"]),
        },
        **{
            name: {
                kind: {who: _reckoned(figures[who], empty[who], sizes["transfers"], of) for who in _PROCESSES}
                for kind, figures in audits.items()
            }
            for name, of in (("a_thousand", 1_000), ("a_million", _MILLION))
        },
        "memory_mb": round(getrusage(RUSAGE_SELF).ru_maxrss / 1024),
        "floor": {"what": "the same transfers read once, as plain SQL", "seconds": round(floor, 3)},
    }


class _Checks:
    """The seconds of processor of each check, reported by the audit when it is done."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._latest = process_time()

    def told(self, _done: int, _of: int, check: str) -> None:
        # Within a check its rows and parts are told as well.
        name, now = check.partition(",")[0], process_time()
        self._seconds[name] = self._seconds.get(name, 0.0) + now - self._latest
        self._latest = now

    def slowest(self, transfers: int) -> dict[str, float]:
        """Return what the slowest took, in ms a transfer."""
        slowest = sorted(self._seconds.items(), key=lambda each: -each[1])[:_SHOWN]
        return {name: round(took / transfers * 1_000, 4) for name, took in slowest}


def _timed(run: Callable[[], audit.AuditReport]) -> Figures:
    """Return seconds of an audit, and those of processor of this process and of those that it has started."""
    began, began_processor = perf_counter(), _processor()
    assert run().differences == []
    return {"seconds": round(perf_counter() - began, 2), "processor_seconds": round(_processor() - began_processor, 2)}


def _processor() -> float:
    usages = (getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _with_a_tenth(whole: Figures, unchanged: Figures, share: float) -> Figures:
    """Return the figures of an audit that replays a tenth, from one of all and one of that share of the groups."""
    return {
        name: round(whole[name] - (1 - 1 / proven.TURNS) * (whole[name] - unchanged[name]) / (1 - share), 2)
        for name in whole
    }


def _reckoned(figures: Figures, empty: Figures, transfers: int, of: int) -> Figures:
    return {name: round((figures[name] - empty[name]) / transfers * of, 3) for name in figures}


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
