"""No channel layer and no timers, unless a test has its own."""

import pytest


@pytest.fixture(autouse=True)
def alone(sent: object, nudges: object) -> None:
    """Collect what is sent to others, and the nudges."""
