"""`manage.py test`: the fast door, and with `--all` every check; each says plainly what it left out."""

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from config import env

POSTGRESQL = ("127.0.0.1", 5432)
REDIS = ("127.0.0.1", 6379)
#: Where the tests find PostgreSQL unless RUMMY_TEST_POSTGRESQL says otherwise.
POSTGRESQL_URL = "postgres://root@127.0.0.1:5432/test"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
#: Folders whose tests depend on what the database does; those marked `once` are the same on both.
ON_BOTH_DATABASES = (
    "tests/unit/wallet",
    "tests/unit/tables",
    "tests/unit/lobby",
    "tests/unit/staff",
    "tests/fleet/short",
)
#: What needs something that a machine may lack.
SYSTEM = "browser or redis or postgres or nginx"

#: What a process has compiled is kept, as in an installation: those after it need not compile it anew.
KEPT = {"PYTHONDONTWRITEBYTECODE": ""}


@dataclass(frozen=True)
class Check:
    """One command, what it checks, and what it needs that this machine may lack."""

    what: str
    command: Sequence[str]
    lacks: str = ""
    environment: dict[str, str] = field(default_factory=dict)


def run(arguments: list[str]) -> int:
    """Run the checks and return 0 if all passed.

    Without arguments, those of the fast door. With `--all`, as in CI, every one, and one that had to be left out is a
    failure, too.
    """
    if arguments not in ([], ["--all"]):
        print("usage: manage.py test [--all]", file=sys.stderr)
        return 2
    everything = arguments == ["--all"]
    failed, left_out, seconds = [], [], {}
    for check in [*_fast(), *_slow()] if everything else _fast():
        if check.lacks:
            left_out.append(f"{check.what}: {check.lacks}")
            continue
        print(f"\n--- {check.what}", flush=True)
        began = time.monotonic()
        if subprocess.run([sys.executable, *check.command], env=env.whole(KEPT | check.environment)).returncode:
            failed.append(check.what)
        seconds[check.what] = time.monotonic() - began
        print(f"    {seconds[check.what]:.0f} s", flush=True)
    _tell_durations(seconds)
    return _tell(failed, left_out, everything=everything)


def _fast() -> list[Check]:
    """Return what needs nothing but Python: style, types, contracts, and the unit tests on SQLite."""
    return [
        Check("style", ["-m", "ruff", "check", "."]),
        Check("format", ["-m", "ruff", "format", "--check", "--quiet", "."]),
        Check("types", ["-m", "mypy"]),
        Check("contracts of the rooms", ["-c", "from importlinter.cli import lint_imports_command as lint; lint()"]),
        Check("migrations are complete", ["manage.py", "makemigrations", "--check", "--dry-run"]),
        Check("unit tests on SQLite", [*_pytest(), "-m", f"not ({SYSTEM})", "tests/unit"]),
    ]


def _slow() -> list[Check]:
    """Return what needs services, processes, browsers or more than a moment."""
    # Real processes and browsers are started by the file: each file stays with one worker.
    by_file = ["--dist", "loadfile"]
    no_postgresql = "" if _listens(*POSTGRESQL) else "no PostgreSQL on 127.0.0.1:5432"
    no_redis = "" if _listens(*REDIS) else "no Redis on 127.0.0.1:6379"
    no_nginx = "" if shutil.which("nginx") else "no nginx"
    no_browser = "" if any(map(shutil.which, BROWSERS)) else "no Chromium"
    url = env.text("RUMMY_TEST_POSTGRESQL", POSTGRESQL_URL)
    return [
        Check(
            "fleets in short and systems on SQLite",
            [*_pytest(), "-m", f"not ({SYSTEM})", "tests/fleet", "tests/system"],
        ),
        Check(
            "tests on PostgreSQL",
            [*_pytest(), "-m", "not (browser or redis or nginx or once)", *ON_BOTH_DATABASES],
            lacks=no_postgresql,
            environment={"RUMMY_TEST_DATABASE_URL": url},
        ),
        Check(
            "tests with Redis and separate workers",
            [*_pytest(), *by_file, "-m", "redis", "tests"],
            lacks=no_redis or no_postgresql,
        ),
        Check("tests behind nginx", ["-m", "pytest", "-q", "-m", "nginx", "tests/system"], lacks=no_nginx),
        Check(
            "tests in a browser",
            [*_pytest(), *by_file, "-m", "browser", "tests/system/browser"],
            lacks=no_browser,
        ),
    ]


def _pytest() -> list[str]:
    # One more than there are processors where this has to be fast: somebody always waits.
    return ["-m", "pytest", "-q", "-n", "3", "--durations", "8", "--durations-min", "5"]


def _listens(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def _tell_durations(seconds: dict[str, float]) -> None:
    print("\nSlowest first:")
    for what, took in sorted(seconds.items(), key=lambda each: -each[1]):
        print(f"{took:6.0f} s  {what}")


def _tell(failed: list[str], left_out: list[str], *, everything: bool) -> int:
    print()
    for line in left_out:
        print(f"LEFT OUT  {line}")
    for line in failed:
        print(f"FAILED    {line}")
    bad = bool(failed) or (everything and bool(left_out))
    print("Not everything passed." if bad else "Everything that was run passed.")
    if not everything:
        print("Not run: slow tests, PostgreSQL, Redis, nginx, browser, fleets. `manage.py test --all` runs everything.")
    return 1 if bad else 0
