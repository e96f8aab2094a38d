"""A small world for fault tests: players with chips, tables, a clock that only the harness moves, no listeners."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from unittest.mock import patch

from django.apps import apps
from django.db import connection

from tables.models import ServerHeartbeat, Table
from tables.play import services as play
from tables.play.opening import open_table
from tests.support import connections
from tests.support.clock import Clock
from tests.support.players import signed_up
from tests.support.tables import Client, terms

#: Apps whose rows a service may change; the rest belongs to the installation.
_APPS = {"wallet", "audit_log", "tables", "lobby", "authtoken"}

Facts = dict[str, list[tuple[Any, ...]]]


@dataclass
class World:
    clock: Clock = field(default_factory=Clock)

    def person(self) -> Any:
        """Sign up a player."""
        return signed_up()

    def table(self, **changes: Any) -> Table:
        return open_table(terms=terms(**changes), title="Test table", currency="FUN")

    def pool(self, seats: int, **changes: Any) -> Table:
        stake = {"book": "standard-pool-101", "seats": seats, "point_value": 0, "entry": 100, "minimum": 0}
        return self.table(**{**stake, **changes})

    def sit(self, table: Table, user: Any = None, **wishes: Any) -> Client:
        """Seat a new player, or this one, and connect them to the table."""
        user = user or self.person()
        play.sit(table_id=table.pk, user=user, **wishes)
        connections.connect(table_id=table.pk, user_id=user.pk, connection=f"c{user.pk}")
        return Client(table.pk, user, f"c{user.pk}")

    def deal(self, table: Table) -> None:
        """Let the start clock run out."""
        self.clock.wait(30)
        self.clock.now = Table.objects.get(pk=table.pk).deadline_ms or self.clock.now
        # Mark the platform as up until now: no clock runs out in an outage.
        ServerHeartbeat.objects.update(at_ms=self.clock.now)
        play.tick(table_id=table.pk)


@contextmanager
def isolated_world() -> Iterator[World]:
    """Let services run on the world's clock within the block; what they push or schedule is dropped."""
    world = World()
    with ExitStack() as stack:
        stack.enter_context(patch("tables.play.store.now_ms", lambda: world.clock.now))
        stack.enter_context(patch("tables.play.fast.clock.EVERY", 0.0))
        stack.enter_context(patch("tables.play.broadcast.send", lambda group, message: None))
        stack.enter_context(patch("tables.play.clocks._nudge", lambda table_id, delay: None))
        yield world


def facts() -> Facts:
    """Return all rows of the models that services write, in order."""
    rows_by_model: Facts = {}
    with connection.cursor() as cursor:
        for name, statement in _statements().items():
            cursor.execute(statement)
            rows_by_model[name] = [tuple(map(_plain, row)) for row in cursor.fetchall()]
    return rows_by_model


@cache
def _statements() -> dict[str, str]:
    """Return by model what reads its rows as they are stored: the mapper would take several times as long."""
    models = [model._meta for model in apps.get_models() if model._meta.app_label in _APPS]
    return {meta.label: f'SELECT * FROM "{meta.db_table}" ORDER BY "{meta.pk.column}"' for meta in models}


def changed(before: Facts, after: Facts) -> list[str]:
    """Return the models whose rows are not all the same."""
    return [name for name in before if before[name] != after[name]]


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value
