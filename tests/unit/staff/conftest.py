"""Staff in their roles, and one of everything for them to work on."""

import pytest

from tests.support.fixtures.staff import browser, clients, samples, staff

__all__ = ["browser", "clients", "samples", "staff"]


@pytest.fixture(autouse=True)
def alone(sent: object, nudges: object) -> None:
    """Collect what is sent to others, and the nudges."""
