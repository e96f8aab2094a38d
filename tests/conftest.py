"""What every test needs."""

import gc
from collections.abc import Iterator

import pytest
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from tests.support import database


def pytest_collection_finish() -> None:
    """What is loaded by now stays: the search for garbage need not go through it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        database.hurry()
    yield
    with django_db_blocker.unblock():
        database.send_away()


@pytest.fixture(autouse=True, scope="session")
def books_that_can_be_wiped() -> Iterator[None]:
    """Nothing vanishes from the books; only between tests that commit they must be emptied."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda case: database.wipe())
        yield


@pytest.fixture(autouse=True)
def tables_of_no_other_test() -> Iterator[None]:
    """What a test rolls back was never there: no table of it is remembered, and no nudge is under way."""
    yield
    from tables.play import clocks
    from tables.play.fast import live

    live.forget_all()
    clocks.forget_nudges()
