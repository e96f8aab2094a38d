"""A platform on which everything was played three days ago, built once for all files here."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.database import rolled_back
from tests.unit.audit.busy import build
from wallet.audit import audit


@pytest.fixture(scope="package")
def built(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Build the platform and audit it clean; each file rolls back what it does to it."""
    with django_db_blocker.unblock(), rolled_back():
        build()
        assert audit.audit().differences == []
        yield
