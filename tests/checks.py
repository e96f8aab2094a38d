"""Checks that run side by side: each a command whose output is shown once it has ended, or while it runs."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

from config import env

#: What a process has compiled is kept, as in an installation: those after it need not compile it anew.
KEPT = {"PYTHONDONTWRITEBYTECODE": ""}
_printing = Lock()


@dataclass(frozen=True)
class Check:
    """One command, what it checks, and what it needs that this machine may lack."""

    what: str
    command: Sequence[str]
    lacks: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    #: Show the output while it runs, not only once it has ended.
    live: bool = False


@dataclass(frozen=True)
class Outcome:
    check: Check
    passed: bool
    seconds: float


def run(checks: Sequence[Check], lanes: int) -> list[Outcome]:
    """Run the checks in their order, as many at a time as there are lanes."""
    with ThreadPoolExecutor(max_workers=lanes) as pool:
        return list(pool.map(_run, checks))


def _run(check: Check) -> Outcome:
    _say(f"--- {check.what}: begun")
    began = time.monotonic()
    with tempfile.TemporaryFile(mode="w+", errors="replace") as output:
        shown = None if check.live else output
        command = [sys.executable, *check.command]
        failed = subprocess.run(command, env=env.whole(KEPT | check.environment), stdout=shown, stderr=shown).returncode
        seconds = time.monotonic() - began
        output.seek(0)
        _say(f"--- {check.what}: {'FAILED' if failed else 'passed'} in {seconds:.0f} s", output.read())
    return Outcome(check, not failed, seconds)


def _say(*lines: str) -> None:
    with _printing:
        print(*filter(None, lines), sep="\n", flush=True)
