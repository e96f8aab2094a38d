"""Tournaments on a clock of the test; what is sent and nudged goes nowhere."""

import pytest

from tests.support.clock import Clock, replaced_clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr("tables.play.clocks._nudge", lambda table_id, delay: None)
    return replaced_clock(monkeypatch)
