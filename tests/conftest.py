"""What every test needs."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import TransactionTestCase

from wallet import guards
from wallet.trail import guards as trail_guards


@pytest.fixture(autouse=True, scope="session")
def books_that_can_be_wiped() -> Iterator[None]:
    """Nothing vanishes from the books; only between tests that commit they must be emptied."""
    wipe = TransactionTestCase._fixture_teardown

    def without_guards(case: TransactionTestCase) -> None:
        guards.remove(connection)
        trail_guards.remove(connection)
        wipe(case)
        guards.install(connection)
        trail_guards.install(connection)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", without_guards)
        yield
