"""Fixtures and hooks for all tests."""

import gc
import random
import secrets
import sys
from collections.abc import Generator, Iterator

import pytest
from django.test import TransactionTestCase
from hypothesis import HealthCheck, settings
from pytest_django import DjangoDbBlocker

from tests.support import database, once

#: What `secrets` draws from in tests: the same shoes for the same test, each time and in any order of the tests.
_drawn = random.Random()

# A busy machine takes as long as it takes, for one example and for finding some.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Let one worker of a run compile its tests, before the others read what it has stored."""
    worker = getattr(session.config, "workerinput", None)
    if worker is not None:
        # Side by side with other runs, which compile other tests.
        with once.shared(f"compiled-{worker['testrunuid']}") as folder:
            done = folder / "done"
            if not done.exists():
                result = yield
                done.touch()
                return result
    return (yield)


def pytest_collection_finish() -> None:
    """Exempt everything loaded by now from garbage collection, which need not scan it again and again, and be rare."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 20, 100)
    # Where the transport of Twisted's tests has imported it, pytest would read Twisted's version at each test.
    sys.modules.pop("twisted.trial.unittest", None)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
    """Let what several tests share draw the same for whichever of them is first."""
    if fixturedef.scope == "function":
        return (yield)
    before = _drawn.getstate()
    _drawn.seed(f"{fixturedef.baseid} {fixturedef.argname}")
    try:
        return (yield)
    finally:
        _drawn.setstate(before)


@pytest.fixture(autouse=True, scope="session")
def no_luck() -> Iterator[None]:
    """Draw the seeds of shoes and tables, and tokens, from `_drawn`; fleets, with seeds of their own, look for luck."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_bytes", lambda number=32: _drawn.randbytes(number or 32))
        yield


@pytest.fixture(autouse=True)
def drawn_anew(request: pytest.FixtureRequest) -> None:
    _drawn.seed(request.node.nodeid)


@pytest.fixture
def marks() -> Iterator[None]:
    """In the test there is a second currency beside chips."""
    from tests.support.currency import two_currencies

    with two_currencies():
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> Iterator[None]:
    with database.migrated_once():
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        database.hurry()
    yield
    with django_db_blocker.unblock():
        database.send_away()


@pytest.fixture(autouse=True, scope="session")
def books_that_can_be_wiped() -> Iterator[None]:
    """Empty the database after tests that commit with `database.wipe`: triggers of the books refuse deletion."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda case: database.wipe())
        yield


@pytest.fixture(autouse=True)
def counts_begin_anew() -> None:
    """Let no test go on with what another has counted: people of both have the same numbers and addresses."""
    from django.core.cache import cache

    cache.clear()


@pytest.fixture(autouse=True, scope="session")
def what_is_kept_stays() -> Iterator[None]:
    """Keep for an hour the list of static files, which nobody changes, and the count in the headers of staff.

    So no test asks the database once more because it took longer than others.
    """
    from config.browser import static_files
    from lobby.backoffice import work_queue

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(static_files, "_SCAN_SECONDS", 3_600)
        patch.setattr(work_queue, "CACHE_SECONDS", 3_600)
        yield


@pytest.fixture(autouse=True, scope="session")
def the_clock_is_read_each_time() -> Iterator[None]:
    """Read the clock of the database for each batch of moves: most tests move it themselves."""
    from tables.play.fast import clock

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "EVERY", 0.0)
        yield


@pytest.fixture(autouse=True)
def tables_of_no_other_test() -> Iterator[None]:
    """Forget the tables of each test after it, since their rows are rolled back."""
    yield
    database.forget()
