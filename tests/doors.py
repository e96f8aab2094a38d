"""`manage.py test`: the fast checks, or with `--all` every check; both report what they left out."""

import shutil
import socket
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from config import env
from tests.checks import Check, Outcome, run as run_checks
from tests.javascript import checks as script_checks
from tests.support import once

POSTGRESQL = ("127.0.0.1", 5432)
REDIS = ("127.0.0.1", 6379)
#: The PostgreSQL of the tests unless RUMMY_TEST_POSTGRESQL names another.
POSTGRESQL_URL = "postgres://root@127.0.0.1:5432/test"
#: The first that is there shows the pages; the headless shell draws no window of its own.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
#: Markers of tests that need something that a machine may lack.
SYSTEM = "browser or redis or postgres or nginx"
#: Neighbouring tests run on one worker, and share the fixtures of their module, until another worker is idle.
STEALING = ["--dist", "worksteal"]
#: The files of real processes and of browser tests that take longest.
LONG = (
    "behind_nginx",
    "production",
    "embedded",
    "distributed",
    "variants",
    "bearing",
    "bench_load",
    "tournament_faults",
)
LONG_IN_A_BROWSER = (
    "newcomer",
    "staff_walk",
    "doors",
    "screens",
    "table_page",
    "variants",
    "called",
    "rules_on_the_page",
    "every_evening",
)
TESTS = Path(__file__).parent
#: Checks at a time: while one waits for its processes, another computes. More only slow each other down.
LANES, LANES_OF_ALL = 2, 2


def run(arguments: list[str]) -> int:
    """Run the checks and return 0 if all passed, 1 if not, 2 for unknown arguments.

    Without arguments, the fast ones. With `--all`, as in CI, every check, and one that had to be left out is a failure
    as well.
    """
    if arguments not in ([], ["--all"]):
        print("usage: manage.py test [--all]", file=sys.stderr)
        return 2
    everything = arguments == ["--all"]
    checks = _everything() if everything else _fast()
    with tempfile.TemporaryDirectory(prefix="rummy-checks-") as folder:
        shared = {once.VARIABLE: folder}
        ready = [replace(check, environment=check.environment | shared) for check in checks if not check.lacks]
        outcomes = run_checks(ready, LANES_OF_ALL if everything else LANES)
    _tell_durations(outcomes)
    return _tell(outcomes, [check for check in checks if check.lacks], everything=everything)


def _fast() -> list[Check]:
    """Return the checks that need only Python, the longest first: unit tests on SQLite, style, types, contracts."""
    # One more worker than there are processors, since some worker is always waiting.
    command = [*_pytest(workers=3), *STEALING, "-m", f"not (slow or {SYSTEM})", "tests/unit"]
    return [Check("unit tests on SQLite", command, live=True), *_style()]


def _style() -> list[Check]:
    return [
        Check("types", ["-m", "mypy"]),
        Check("contracts of the rooms", ["-c", "from importlinter.cli import lint_imports_command as lint; lint()"]),
        Check("format", ["-m", "ruff", "format", "--check", "--quiet", "."]),
        Check("style", ["-m", "ruff", "check", "."]),
        Check("no pin is old without a reason", ["-m", "tests.pins"]),
        *script_checks(),
    ]


def _everything() -> list[Check]:
    """Return all checks, first those that wait for their processes, last those that compute on several workers."""
    # Real processes and browsers are started once for each file, so each file runs on one worker.
    by_file = ["--dist", "loadfile", "--no-loadscope-reorder"]
    no_postgresql = "" if _listens(*POSTGRESQL) else "no PostgreSQL on 127.0.0.1:5432"
    no_redis = "" if _listens(*REDIS) else "no Redis on 127.0.0.1:6379"
    no_nginx = "" if shutil.which("nginx") else "no nginx"
    no_browser = "" if any(map(shutil.which, BROWSERS)) else "no Chromium"
    lacking = {"redis": no_redis or no_postgresql, "nginx": no_nginx}
    absent = " or ".join(marker for marker, lacks in lacking.items() if lacks)
    present = ["-m", f"not ({absent})"] if absent else []
    return [
        Check(
            "tests in a browser",
            [*_pytest(workers=2), *by_file, *_files("system/browser", LONG_IN_A_BROWSER)],
            lacks=no_browser,
        ),
        Check(
            "tests of real processes",
            [*_pytest(workers=3), *by_file, *present, "tests/fleet/short/test_live.py", *_files("system/live", LONG)],
        ),
        *(Check(f"tests of real processes, with {marker}", [], lacks) for marker, lacks in lacking.items() if lacks),
        Check(
            "unit tests and fleets in short, on SQLite",
            # In one run, so that its workers load the platform and the tests once.
            [*_pytest(workers=2), *STEALING, "-m", f"not ({SYSTEM})", "tests/fleet", "tests/unit"],
        ),
        *_style(),
        Check(
            "tests on PostgreSQL, and with Redis",
            [
                *_pytest(workers=2),
                *STEALING,
                "-m",
                "(databases or postgres or redis) and not slow",
                "tests/unit",
                "tests/fleet",
            ],
            lacks=no_postgresql or no_redis,
            environment={"RUMMY_TEST_DATABASE_URL": postgresql_url()},
        ),
    ]


def _files(folder: str, longest: Sequence[str]) -> list[str]:
    """Return the files of tests in the folder, first those that take longest, so that none runs alone at the end."""
    names = sorted(file.stem.removeprefix("test_") for file in (TESTS / folder).glob("test_*.py"))
    return [f"tests/{folder}/test_{name}.py" for name in (*longest, *(each for each in names if each not in longest))]


def postgresql_url() -> str:
    return env.text("RUMMY_TEST_POSTGRESQL", POSTGRESQL_URL)


def _pytest(workers: int) -> list[str]:
    return ["-m", "pytest", "-q", "-n", str(workers), "--durations", "8", "--durations-min", "5"]


def _listens(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def _tell_durations(outcomes: Sequence[Outcome]) -> None:
    print("\nSlowest first:")
    for outcome in sorted(outcomes, key=lambda each: -each.seconds):
        print(f"{outcome.seconds:6.0f} s  {outcome.processor:6.0f} s of a processor  {outcome.check.what}")


def _tell(outcomes: Sequence[Outcome], left_out: Sequence[Check], *, everything: bool) -> int:
    print()
    for check in left_out:
        print(f"LEFT OUT  {check.what}: {check.lacks}")
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in failed:
        print(f"FAILED    {outcome.check.what}")
    bad = bool(failed) or (everything and bool(left_out))
    print("Not everything passed." if bad else "Everything that was run passed.")
    if not everything:
        print("Not run: slow tests, PostgreSQL, Redis, nginx, browser, fleets. `manage.py test --all` runs everything.")
    return 1 if bad else 0
