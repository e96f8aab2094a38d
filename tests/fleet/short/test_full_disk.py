"""A full disk or a read-only database leaves nothing half done, and play goes on once there is space."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from django.contrib.auth import get_user_model
from django.db import DatabaseError, connection

from tables.models import Table
from tables.play.opening import open_table
from tests.fleet.operations import ACTS, duel
from tests.support.tables import terms
from tests.support.world import World, changed, facts, isolated_world
from wallet.audit.audit import audit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]

#: A full disk shows itself at the first page that is wanted: so many sit down at most until then.
_MOST = 400


def _do(statement: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return int((cursor.fetchone() or [0])[0]) if connection.vendor == "sqlite" and "=" not in statement else 0


@contextmanager
def full() -> Iterator[None]:
    """Allow SQLite no further page, nor one that rows of other tests have left free."""
    _do("VACUUM")
    _do(f"PRAGMA max_page_count={_do('PRAGMA page_count')}")
    try:
        yield
    finally:
        _do("PRAGMA max_page_count=1000000")


@contextmanager
def read_only() -> Iterator[None]:
    sqlite = connection.vendor == "sqlite"
    _do("PRAGMA query_only=ON" if sqlite else "SET default_transaction_read_only = on")
    try:
        yield
    finally:
        _do("PRAGMA query_only=OFF" if sqlite else "SET default_transaction_read_only = off")


WAYS = {"sqlite": [full, read_only], "postgresql": [read_only]}[connection.vendor]
NAMES = ("join", "settle", "rejoin", "cancel_pool", "practice")


@pytest.mark.parametrize("name", NAMES)
def test_an_act_that_cannot_be_written_changes_nothing_and_is_done_when_it_can(name: str) -> None:
    with isolated_world() as world:
        act = ACTS[name](world)
        before = facts()
        with read_only(), pytest.raises(DatabaseError):
            act()
        assert changed(before, facts()) == []
        act()
        assert changed(before, facts()) != []
        assert audit().differences == []


@pytest.mark.parametrize("way", WAYS)
def test_play_stops_closed_and_goes_on_when_there_is_space(way: Callable[[], AbstractContextManager[None]]) -> None:
    with isolated_world() as world:
        first, second = duel(world)
        with way():
            assert _until_it_fails(world) < _MOST
            version = Table.objects.get(pk=first.table).version
            for _ in range(3):
                before = facts()
                with pytest.raises(DatabaseError):
                    _open_table(world)
                assert changed(before, facts()) == []
        table = Table.objects.get(pk=first.table)
        assert (table.status, table.version) == (Table.Status.OPEN, version)
        assert audit().differences == []
        assert first.send("drop", id="now")["type"] == "ack"
        assert second.view()["phase"] == "result"
        world.sit(world.table(), amount=80)
        assert audit().differences == []


def _until_it_fails(world: World) -> int:
    """Open practice tables until there is no more space; return how many were opened."""
    for number in range(_MOST):
        try:
            _open_table(world)
        except DatabaseError:
            return number
    return _MOST


def _open_table(world: World) -> None:
    """Open a practice table with computer players, in one transaction that needs many pages."""
    user = get_user_model().objects.earliest("pk")
    open_table(terms=terms(seats=6), title="Full", currency="FUN", practice_for=user, computers=5)
