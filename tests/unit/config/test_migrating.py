"""A migration under play waits its turn: moves go on between its tries, and it says in one sentence if it cannot."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.core.management.base import CommandError
from django.db import connection, migrations, models
from django.db.migrations.migration import Migration

from config.management.commands import migrate as migrating
from config.management.commands.migrate import PatientExecutor
from tables.models import ServerHeartbeat
from tables.play import store
from tests.support.steering import pass_turn, to_move
from tests.support.world import World, isolated_world

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


class Planted(Migration):
    """A step of the next release, on two tables of a move, in the order in which a move does not lock them."""

    operations = [
        migrations.AddField("Seating", "planted", models.IntegerField(null=True, db_default=7)),
        migrations.AddField("Table", "planted", models.IntegerField(null=True, db_default=7)),
    ]


class Long(Migration):
    """A step whose statement takes longer than play may stand."""

    operations = [migrations.RunSQL("ALTER TABLE tables_table ADD planted integer; SELECT pg_sleep(60)")]


@pytest.fixture
def played() -> None:
    ServerHeartbeat.objects.update_or_create(pk=1, defaults={"at_ms": store.now_ms() + 900})


def migrate(step: type[Migration]) -> None:
    executor = PatientExecutor(connection)
    try:
        executor.apply_migration(executor.loader.project_state(), step("9998_planted", "tables"))
    finally:
        connection.close()


def undo(step: type[Migration]) -> None:
    executor = PatientExecutor(connection)
    executor.unapply_migration(executor.loader.project_state(), step("9998_planted", "tables"))


def columns() -> set[str]:
    with connection.cursor() as cursor:
        return {each.name for each in connection.introspection.get_table_description(cursor, "tables_table")}


@contextmanager
def another_in_a_transaction(table: int) -> Iterator[None]:
    """Hold the row of the table during the block, as a transaction does that stops in the middle."""
    place = connection.settings_dict
    with psycopg.connect(dbname=place["NAME"], user=place["USER"], host=place["HOST"], port=place["PORT"]) as other:
        other.execute("SELECT 1 FROM tables_table WHERE id = %s FOR UPDATE", [table])
        yield
        other.rollback()


def pair(world: World) -> list[Any]:
    table = world.table()
    clients = [world.sit(table) for _ in range(2)]
    world.deal(table)
    return clients


def test_moves_go_on_while_a_migration_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[float] = []
    between, go_on = threading.Event(), threading.Event()

    def pause(seconds: float) -> None:
        tries.append(seconds)
        between.set()
        assert go_on.wait(60)

    with isolated_world() as world:
        clients, held = pair(world), world.table()
        monkeypatch.setattr(migrating.time, "sleep", pause)
        thread = threading.Thread(target=migrate, args=[Planted])
        with another_in_a_transaction(held.pk):
            thread.start()
            assert between.wait(60)
            for _ in range(3):
                pass_turn(to_move(clients))
        go_on.set()
        thread.join()
        assert tries == list(migrating.PAUSES[:1]), "the second try found the table free"
        try:
            assert "planted" in columns()
            pass_turn(to_move(clients))
        finally:
            undo(Planted)


@pytest.mark.parametrize("step", [Planted, Long])
def test_a_migration_without_room_says_so_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, played: None, step: type[Migration]
) -> None:
    monkeypatch.setattr(migrating, "PAUSES", (0, 0))
    monkeypatch.setattr(migrating, "STATEMENTS", 50)
    monkeypatch.setattr(migrating, "LOCK_WAIT", 50)
    with isolated_world() as world:
        held = world.table()
        with another_in_a_transaction(held.pk if step is Planted else 0), pytest.raises(CommandError) as refusal:
            migrate(step)
    assert "tables.9998_planted was not applied" in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert "planted" not in columns()


def test_where_nobody_plays_a_statement_may_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Migration):
        operations = [migrations.RunSQL("COMMENT ON TABLE tables_table IS NULL; SELECT pg_sleep(0.2)")]

    monkeypatch.setattr(migrating, "STATEMENTS", 50)
    migrate(Slow)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM django_migrations WHERE name = '9998_planted'")
        assert cursor.fetchone() == (1,)
        cursor.execute("DELETE FROM django_migrations WHERE name = '9998_planted'")
