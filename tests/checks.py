"""Running checks side by side: commands whose output is shown when they end, or while they run."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

from config import env

#: Bytecode is stored, as in an installation, so that later processes need not compile again.
KEPT = {"PYTHONDONTWRITEBYTECODE": ""}
_printing = Lock()


@dataclass(frozen=True)
class Check:
    """One command: `what` it checks, and what this machine `lacks` to run it, empty if nothing."""

    what: str
    command: Sequence[str]
    lacks: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    #: Show the output while the command runs, not only when it has ended.
    live: bool = False


@dataclass(frozen=True)
class Outcome:
    check: Check
    passed: bool
    seconds: float
    #: CPU seconds that the command and its children used, without those of a database server.
    processor: float

    def __str__(self) -> str:
        return f"{self.check.what}: {'passed' if self.passed else 'FAILED'} in {self.seconds:.0f} s"


def run(checks: Sequence[Check], lanes: int) -> list[Outcome]:
    """Run the checks in their order, at most `lanes` at a time, and return their outcomes."""
    with ThreadPoolExecutor(max_workers=lanes) as pool:
        return list(pool.map(_run, checks))


def _run(check: Check) -> Outcome:
    _say(f"--- {check.what}: begun")
    began = time.monotonic()
    with tempfile.TemporaryFile(mode="w+", errors="replace") as output:
        shown = None if check.live else output
        command = [sys.executable, *check.command]
        child = subprocess.Popen(command, env=env.of_a_child(KEPT | check.environment), stdout=shown, stderr=shown)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        outcome = Outcome(check, child.returncode == 0, time.monotonic() - began, used.ru_utime + used.ru_stime)
        output.seek(0)
        _say(f"--- {outcome}", output.read())
    return outcome


def _say(*lines: str) -> None:
    with _printing:
        print(*filter(None, lines), sep="\n", flush=True)
