"""Memory of the processes and connections to the database, sampled while others play."""

import math
import os
import statistics
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

import psycopg

#: Seconds between two samples.
EVERY = 0.5
#: Seconds of samples without which nothing is said of a trend.
LEAST = 30.0
_SESSIONS = """
SELECT count(*), count(*) FILTER (WHERE state = 'idle in transaction' AND now() - state_change > interval '5 s')
FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


def spread(times: Sequence[float], digits: int = 1) -> dict[str, float]:
    """Return number, median, p95, p99 and maximum, rounded to that many digits."""
    if not times:
        return {"n": 0}
    figures = {
        "p50": statistics.median(times),
        "p95": quantile(times, 95),
        "p99": quantile(times, 99),
        "max": max(times),
    }
    return {"n": len(times)} | {name: round(value, digits) for name, value in figures.items()}


def quantile(values: Sequence[float], percent: int) -> float:
    """Return the value that `percent` of the values do not exceed."""
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


def megabytes(pid: int) -> float:
    """Return the memory of the process in megabytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class Meters:
    """Samples taken in a thread of their own, so that a busy loop makes no gap; `url` is PostgreSQL's, or empty."""

    def __init__(self, pids: Mapping[str, int], url: str) -> None:
        self._pids, self._url = pids, url
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        #: (seconds, megabytes) by process.
        self.memory: dict[str, list[tuple[float, float]]] = {name: [] for name in pids}
        self.connections: list[int] = []
        self.left_open = 0

    def __enter__(self) -> "Meters":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _sample(self) -> None:
        with psycopg.connect(self._url, autocommit=True) if self._url else nullcontext() as database:
            while not self._done.wait(EVERY):
                now = time.monotonic()
                for name, pid in self._pids.items():
                    self.memory[name].append((now, megabytes(pid)))
                if database is not None:
                    count, left_open = database.execute(_SESSIONS).fetchall()[0]
                    self.connections.append(count)
                    self.left_open = max(self.left_open, left_open)

    def grown(self, name: str, since: float, until: float) -> float:
        """Return the growth of the process in that time, in megabytes."""
        sizes = [size for moment, size in self.memory[name] if since <= moment <= until]
        return sizes[-1] - sizes[0] if sizes else 0.0

    def slope(self, name: str, since: float, until: float) -> float:
        """Return the growth in megabytes a minute by linear regression; 0 for less than LEAST seconds of samples."""
        samples = [(moment, size) for moment, size in self.memory[name] if since <= moment <= until]
        if len(samples) * EVERY < LEAST:
            return 0.0
        return statistics.linear_regression(*zip(*samples, strict=True)).slope * 60
