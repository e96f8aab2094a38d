"""A short part of `python -m tests.fleet load`, on one process; a busy machine says nothing about times."""

from pathlib import Path

import pytest

from tests.fleet import load
from tests.fleet.traffic import load_run
from tests.fleet.traffic.meters import quantile, spread
from tests.support.platform import Platform


@pytest.mark.slow
def test_tables_are_played_while_strangers_take_all_that_they_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_run, "NOISE", 5_000.0)
    monkeypatch.setattr(load_run, "SLOPE", 5_000.0)
    running = Platform(tmp_path, RUMMY_SOCKETS_PER_ADDRESS="60")
    running.start()
    try:
        figures = load.play(running, {"web": running.port}, seed=3, size=2, seconds=2.0)
    finally:
        running.stop()
    assert figures["faults"] == []
    assert figures["sockets"] == 12
    assert figures["play"]["moves_a_second"] > 0 and figures["play"]["frame_ms"]["n"] > 0
    assert 40 < figures["strangers"]["idle_sockets"] <= 60
    assert figures["strangers"]["turned_away"]["403"] > 0


def test_figures_are_what_they_are_called() -> None:
    assert quantile([5, 1, 4, 2, 3], 50) == 3
    assert quantile(range(1, 101), 99) == 99
    assert spread([1.0] * 99 + [7.0]) == {"n": 100, "p50": 1.0, "p95": 1.0, "p99": 1.0, "max": 7.0}
