"""`manage.py test`: every check of the project, one after the other, saying plainly what had to be left out."""

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
ON_BOTH_DATABASES = ("tests/wallet", "tests/tables", "tests/lobby", "tests/staff", "tests/faults")

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
    """Runs all checks; 0 if all passed. With `--all`, as in CI, a check that had to be left out is a failure, too."""
    if arguments not in ([], ["--all"]):
        print("usage: manage.py test [--all]", file=sys.stderr)
        return 2
    failed, left_out = [], []
    for check in _checks():
        if check.lacks:
            left_out.append(f"{check.what}: {check.lacks}")
            continue
        print(f"\n--- {check.what}", flush=True)
        began = time.monotonic()
        if subprocess.run([sys.executable, *check.command], env=env.whole(KEPT | check.environment)).returncode:  # noqa: S603
            failed.append(check.what)
        print(f"    {time.monotonic() - began:.0f} s", flush=True)
    return _tell(failed, left_out, nothing_may_lack="--all" in arguments)


def _checks() -> list[Check]:
    # One more than there are processors where this has to be fast: somebody always waits.
    workers = ["-n", "3", "--durations", "8", "--durations-min", "5"]
    # Real processes and browsers are started by the file: each file stays with one worker.
    by_file = [*workers, "--dist", "loadfile"]
    no_postgresql = "" if _listens(*POSTGRESQL) else "no PostgreSQL on 127.0.0.1:5432"
    no_redis = "" if _listens(*REDIS) else "no Redis on 127.0.0.1:6379"
    no_nginx = "" if shutil.which("nginx") else "no nginx"
    no_browser = "" if any(map(shutil.which, BROWSERS)) else "no Chromium"
    url = env.text("RUMMY_TEST_POSTGRESQL", POSTGRESQL_URL)
    return [
        Check("style", ["-m", "ruff", "check", "."]),
        Check("types", ["-m", "mypy"]),
        Check("arrows between the apps", ["-c", "from importlinter.cli import lint_imports_command as lint; lint()"]),
        Check("migrations are complete", ["manage.py", "makemigrations", "--check", "--dry-run"]),
        Check("tests on SQLite", ["-m", "pytest", "-q", *workers, "-m", "not (browser or redis or postgres or nginx)"]),
        Check(
            "tests on PostgreSQL",
            ["-m", "pytest", "-q", *workers, "-m", "not (browser or redis or once)", *ON_BOTH_DATABASES],
            lacks=no_postgresql,
            environment={"RUMMY_TEST_DATABASE_URL": url},
        ),
        Check(
            "tests with Redis and separate workers",
            ["-m", "pytest", "-q", *by_file, "-m", "redis", "tests"],
            lacks=no_redis or no_postgresql,
        ),
        Check(
            "tests behind nginx",
            ["-m", "pytest", "-q", "-m", "nginx", "tests/live"],
            lacks=no_nginx or no_redis or no_postgresql,
        ),
        Check(
            "tests in a browser",
            ["-m", "pytest", "-q", *by_file, "-m", "browser", "tests/browser"],
            lacks=no_browser,
        ),
    ]


def _listens(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def _tell(failed: list[str], left_out: list[str], *, nothing_may_lack: bool) -> int:
    print()
    for line in left_out:
        print(f"LEFT OUT  {line}")
    for line in failed:
        print(f"FAILED    {line}")
    bad = bool(failed) or (nothing_may_lack and bool(left_out))
    print("Not everything passed." if bad else "Everything that was run passed.")
    return 1 if bad else 0
