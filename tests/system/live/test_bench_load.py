"""`manage.py bench load`: figures of the platform and of the floor, and nothing left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from tables.metrics import PARTS
from tests.benchmarks.load.processes import floor_server, scratch_postgres
from tests.doors import postgresql_url
from tests.support.platform import PATIENCE, ROOT, wait_until

pytestmark = pytest.mark.slow
REDIS_URL = "redis://127.0.0.1:6379/12"
#: Databases made beside this one; those of other runs on the server are their own affair.
LEFT = """
SELECT datname FROM pg_database WHERE datname ~ ('^' || current_database() || '_(platform|floor)_[0-9a-f]{8}$')
"""


def bench(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command, environment = started_by(folder, *options)
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE)


def started_by(folder: Path, *options: str) -> tuple[list[str], dict[str, str]]:
    """Return the command of a benchmark, and its environment."""
    command = [sys.executable, "manage.py", "bench", "load", "--tables", "2", *options]
    # The database that a shell may name is not the one that is measured.
    settings = {
        "DJANGO_SETTINGS_MODULE": "config.settings.local",
        "RUMMY_DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
    }
    return command, {**os.environ, **settings, "TMPDIR": str(folder)}


def figures(result: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert result.returncode == 0, result.stderr
    return dict(json.loads(result.stdout))


def test_the_embedded_platform_moves_beside_the_floor(tmp_path: Path) -> None:
    measured = figures(bench(tmp_path, "--seconds", "3"))
    for side in (measured, measured["floor"]):
        assert side["moves"] > 0
        assert side["own_ms"]["median"] <= side["own_ms"]["p99"]
        assert side["processor_ms_a_move"]["web"] > 0
    assert measured["sockets"] == 12
    assert (measured["closed_sockets"], measured["stuck"]) == (0, 0)
    assert set(measured["web_ms_a_move"]) == {*PARTS, "rest"} and "web_ms_a_move" not in measured["floor"]
    assert all(
        measured["web_ms_a_move"][part] > 0 for part in ("heartbeat", "receiving", "making", "writing", "frames")
    )
    assert set(measured["refused"]) <= {"rate_limited"}, "so few players may come to the frames that each may send"
    assert measured["ratio"]["moves_s"] == pytest.approx(measured["floor"]["moves_s"] / measured["moves_s"], rel=0.05)
    assert list(tmp_path.iterdir()) == []


def test_clocks_of_players_who_are_away_end_once_and_never_early(tmp_path: Path) -> None:
    measured = figures(bench(tmp_path, "--mode", "clocks", "--seats", "2", "--seconds", "12"))
    assert measured["clocks"] == 2
    assert (measured["early"], measured["doubled"], measured["missed"]) == (0, 0, 0)
    assert 0 <= measured["late_ms"]["median"] <= measured["late_ms"]["p99"]


def test_an_arena_is_seated_and_paired_again_beside_tables_that_stay_together(tmp_path: Path) -> None:
    measured = figures(bench(tmp_path, "--mode", "tournament", "--seats", "3", "--seconds", "25"))
    assert (measured["people"], measured["not_dealt"]) == (6, 0)
    assert measured["seated_s"]["median"] <= measured["dealt_s"]["most"]
    assert measured["paired_again_s"]["most"] > 0 and measured["standings_bytes"] > 0
    for side in (measured, measured["floor"]):
        assert side["deals"] > 0 and side["processor_ms_a_deal"]["web"] > 0 and side["bytes_a_deal"] > 0
        assert side["dealt_s"]["most"] > 0 and side["dealt_again_s"]["most"] > 0
    pushed = measured["bytes_a_deal"] / measured["floor"]["bytes_a_deal"]
    assert measured["ratio"]["bytes_a_deal"] == pytest.approx(pushed, abs=0.01)
    assert measured["ratio"].keys() >= {"dealt_s_median", "dealt_again_s_most", "web_processor"}


@pytest.mark.parametrize("people", ["tournament", "tables"])
def test_moves_are_told_apart_while_people_come_to_their_tables_and_while_they_play(
    people: str, tmp_path: Path
) -> None:
    options = ["--beside", people, "--interval", "0.5", "--size", "6", "--seconds", "45"]
    measured = figures(bench(tmp_path, *options))
    assert measured["ends"]["dealt"] == 6, "all came to their tables while the others moved"
    for name in ("own_ms", "start_ms"):
        assert 0 < measured[name]["median"] <= measured[name]["p95"] <= measured[name]["p99"]
    assert measured["start_ratio"].keys() == measured["ratio"].keys()


def test_a_floor_that_does_not_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "uvicorn.py").write_text('raise SystemExit("no uvicorn here")')
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(AssertionError, match="no uvicorn here"), floor_server(tmp_path, None):
        pass


@pytest.mark.postgres
@pytest.mark.redis
def test_a_paced_run_in_production_leaves_no_database_and_no_key(tmp_path: Path) -> None:
    options = ["--mode", "paced", "--interval", "0.5", "--seconds", "6", "--webs", "2"]
    store = redis.Redis.from_url(REDIS_URL)
    before = set(store.scan_iter("*load-*"))
    # What a killed run left on the server lies beside another database.
    with scratch_postgres(postgresql_url(), "bench") as url:
        measured = figures(bench(tmp_path, *options, "--database", url, "--redis", REDIS_URL))
        with psycopg.connect(url) as server:
            left = server.execute(LEFT).fetchall()
    assert measured["moves"] > 0
    assert set(measured["processor_ms_a_move"]) == {"web", "worker", "beat", "postgres", "redis"}
    assert left == []
    assert set(store.scan_iter("*load-*")) <= before


@pytest.mark.postgres
@pytest.mark.redis
def test_whoever_is_told_to_stop_leaves_no_database_and_no_file(tmp_path: Path) -> None:
    with scratch_postgres(postgresql_url(), "bench") as url, psycopg.connect(url, autocommit=True) as server:
        command, environment = started_by(tmp_path, "--database", url, "--redis", REDIS_URL)
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL) as measuring:
            in_use = LEFT.replace("pg_database", "pg_stat_activity")
            wait_until(lambda: bool(server.execute(in_use).fetchall()), lambda: "no database was used")
            while measuring.poll() is None:
                measuring.terminate()
                time.sleep(0.02)
        assert measuring.returncode == 128 + signal.SIGTERM
        assert server.execute(LEFT).fetchall() == []
    assert list(tmp_path.iterdir()) == []


class StoppedLate(psycopg.Connection[Any]):
    """A connection whose user is told to stop when the server has made a database, and nobody knows yet."""

    def execute(self, query: Any, *arguments: Any, **options: Any) -> psycopg.Cursor[Any]:
        answer = super().execute(query, *arguments, **options)
        if str(query).startswith("CREATE DATABASE"):
            raise SystemExit(128 + signal.SIGTERM)
        return answer


@pytest.mark.postgres
def test_whoever_is_told_to_stop_while_a_database_is_made_leaves_none(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"stopped_{os.getpid()}"
    with psycopg.connect(postgresql_url(), autocommit=True) as server:
        monkeypatch.setattr(psycopg, "connect", StoppedLate.connect)
        with pytest.raises(SystemExit), scratch_postgres(postgresql_url(), name):
            pass
        left = "SELECT datname FROM pg_database WHERE strpos(datname, %s) > 0"
        assert server.execute(left, [name]).fetchall() == []
