"""A short part of `python -m tests.fleet live`, with few kills."""

from pathlib import Path

import pytest

from tests.fleet import live
from tests.support.postgresql import program

pytestmark = [pytest.mark.redis, pytest.mark.slow]


def test_no_game_no_move_and_no_chip_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Path(program("initdb")).exists(), "PostgreSQL's own programs are needed"
    monkeypatch.setattr(live, "PAUSE", 0.5)
    monkeypatch.setattr(live, "TARGETS", ("web1", "redis", "postgres"))
    monkeypatch.setattr(live, "POLICIES", ("noeviction", "allkeys-random"))
    monkeypatch.setattr(live, "FLUSHES", 2)
    # Times are for a machine of one's own: what matters here is that everybody comes back.
    monkeypatch.setattr(live, "BOUNDS", dict.fromkeys(live.BOUNDS, 30.0))
    figures = live.run(seed=5, size=3)
    assert figures["faults"] == []
    assert figures["acked_moves"] > 20
    assert figures["without_helpers"]["matches"] == 3
    assert set(figures["back_in_play_s"]) == {
        "web", "redis", "postgres", "answers lost", "web told to stop",
        "redis emptied", "redis full", "redis with room again",
    }  # fmt: skip
