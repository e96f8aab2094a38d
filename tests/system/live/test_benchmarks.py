"""Benchmarks that measure on a database of their own: figures of both sides, and nothing left behind."""

import json
import os
import subprocess
import sys
from typing import Any

import psycopg
import pytest

from tests.benchmarks.load.processes import scratch_postgres
from tests.doors import postgresql_url
from tests.support.platform import PATIENCE, ROOT

pytestmark = [pytest.mark.postgres, pytest.mark.slow]


def bench(*arguments: str) -> dict[str, Any]:
    """Run the benchmark beside a database of its own; return its figures, with the databases it has left."""
    with scratch_postgres(postgresql_url(), "bench") as url:
        settings = {"DJANGO_SETTINGS_MODULE": "config.settings.local", "RUMMY_DATABASE_URL": url}
        command = [sys.executable, "manage.py", "bench", *arguments]
        result = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **settings}, capture_output=True, text=True, timeout=PATIENCE
        )
        assert result.returncode == 0, result.stderr
        assert "the other processes are gone" not in result.stderr
        with psycopg.connect(url) as server:
            named = "SELECT datname FROM pg_database WHERE datname = 'test_' || current_database()"
            return {**json.loads(result.stdout), "left": server.execute(named).fetchall()}


def test_deals_settled_on_several_connections_wait_for_nobody_and_leave_clean_books() -> None:
    measured = bench("ledger", "--connections", "3", "--size", "20")
    assert (measured["connections"], measured["lock_waits"], measured["left"]) == (3, 0, [])
    assert measured["of_floor"] == pytest.approx(
        measured["transfers_per_second"] / measured["floor"]["transfers_per_second"], abs=0.01
    )


def test_the_lobby_of_many_tables_is_as_short_as_that_of_ten() -> None:
    measured = bench("lobby", "--size", "40")
    assert measured["left"] == []
    for part in ("page", "api"):
        assert measured[part]["bytes"] < 1.1 * measured["floor"][part]["bytes"]
        assert measured["ratio"][part] == pytest.approx(
            measured[part]["median"] / measured["floor"][part]["median"], abs=0.02
        )


def test_the_audit_of_real_play_is_reckoned_to_a_million() -> None:
    measured = bench("audit", "--size", "40")
    assert measured["left"] == []
    # A deal of six has six transfers and dozens of events; a table is played to its end.
    assert measured["transfers"] >= 40
    assert measured["events"] > 20 * measured["deals"] > 0
    assert measured["tables"] >= 1
    for reckoned in (measured["a_thousand"], measured["a_million"]):
        assert set(reckoned) == {"whole", "weekly"}
        assert all(set(of) == {"alone", "together"} for of in reckoned.values())
