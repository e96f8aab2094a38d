"""Load by many tables on real processes: how fast moves are answered, also while strangers load the server.

`size` is the number of tables of six, on two web processes, two workers and a beat with their own PostgreSQL and Redis.
In turn: one table alone; all tables; idle sockets up to the cap, with continuous handshakes and unfinished requests;
one player of six who reads a byte a second. Connections and memory are sampled all the time.
"""

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.fleet.traffic.load_run import ACCOUNTS, SEATS, LoadRun
from tests.support.cluster import WEBS, Cluster
from tests.support.platform import ROOT, Platform, free_port

SIZE = 50
#: How long each part is measured.
SECONDS = 60.0
#: Sockets that an address may hold; all players come from one, and need room for a few more.
CAP = 600


def run(seed: int, size: int, seconds: float = SECONDS) -> dict[str, Any]:
    """Return the figures, and under `faults` everything that is wrong."""
    allow_many_files()
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        running = Cluster(Path(folder))
        running.environment["RUMMY_SOCKETS_PER_ADDRESS"] = str(max(CAP, 2 * SEATS * size))
        try:
            running.start()
            return play(running, {name: running.ports[name] for name in WEBS}, seed=seed, size=size, seconds=seconds)
        finally:
            running.stop()


def play(running: Platform, ports: Mapping[str, int], *, seed: int, size: int, seconds: float) -> dict[str, Any]:
    """Measure the load on processes that already run; too short a run has no slow reader."""
    output = running.run_code(ACCOUNTS.format(seats=SEATS, players=(size + 1) * SEATS))
    stake, tokens = json.loads(output.splitlines()[-1])
    echo_port = free_port()
    echo = subprocess.Popen([sys.executable, "-m", "tests.fleet.traffic.echo", str(echo_port)], cwd=ROOT)
    try:
        load_run = LoadRun(running, ports, echo_port, stake, tokens, seed)
        return asyncio.run(load_run.measure(seconds, slow_reader=seconds >= 10))
    finally:
        echo.kill()
        echo.wait()


def allow_many_files() -> None:
    """Raise the limit of open files: every socket is one, here as in the server."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
