"""Tournaments on a clock of the test."""

import pytest


@pytest.fixture(autouse=True)
def no_timers(nudges: object) -> None:
    """Collect the nudges."""
