"""The database answers and takes no moves, as its disk is full: clocks stand, and get the time back."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import OperationalError, connection

from config.health import report
from tables.errors import TableError
from tables.models import LoggedEvent, Outage, ServerHeartbeat, Table
from tables.play import outages
from tests.support.clock import Clock
from tests.support.outages import alive
from tests.support.steering import pass_turn
from tests.support.tables import Client

pytestmark = pytest.mark.django_db

#: What fills a disk: PostgreSQL itself raises it here, at each event that is added.
FULL = """
CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER disk_is_full BEFORE INSERT ON tables_event FOR EACH ROW EXECUTE FUNCTION disk_is_full()"""
EMPTIED = "DROP TRIGGER disk_is_full ON tables_event; DROP FUNCTION disk_is_full()"


@contextmanager
def full_disk() -> Iterator[None]:
    """Let the database refuse every event during the block, and nothing else."""
    if connection.vendor == "sqlite":
        with connection.execute_wrapper(_refuse):
            yield
        return
    with connection.cursor() as cursor:
        cursor.execute(FULL)
        yield
        cursor.execute(EMPTIED)


def _refuse(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
    if sql.upper().startswith("INSERT") and LoggedEvent._meta.db_table in sql:
        cause = sqlite3.OperationalError("database or disk is full")
        cause.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise OperationalError(str(cause)) from cause
    return execute(sql, *rest)


def left(client: Client) -> float:
    return float(client.view()["clock"]["remaining_ms"]) / 1000


@pytest.mark.databases
@pytest.mark.parametrize("before", [5, 29])
def test_clocks_get_back_the_time_in_which_no_move_could_be_written(
    duel: tuple[Client, Client], clock: Clock, before: float
) -> None:
    first, _ = duel
    alive(clock, before)
    unhurt = left(first)
    with full_disk():
        with pytest.raises(OperationalError):
            first.send("draw", pile="closed")
        alive(clock, 35)
        with pytest.raises((OperationalError, TableError)):
            first.send("draw", pile="closed")
    assert not Outage.objects.exists()
    alive(clock, 0.5)
    [outage] = Outage.objects.all()
    assert outage.ended_ms - outage.began_ms == 35_500
    assert left(first) == max(unhurt, outages.GRACE_MS / 1000)
    assert Table.objects.get(pk=first.table).status == Table.Status.OPEN
    pass_turn(first)


@pytest.mark.databases
def test_whoever_fails_to_run_a_clock_out_notes_it_too(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    with full_disk():
        alive(clock, 60)
        assert ServerHeartbeat.objects.get().refused_ms is not None
    alive(clock, 0.5)
    assert left(first) >= outages.GRACE_MS / 1000
    assert not LoggedEvent.objects.filter(table=first.table, kind="clock_expired").exists()


@pytest.mark.databases
def test_readyz_tells_that_no_move_can_be_written(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    outages.record_heartbeat()
    report._move()
    with full_disk():
        with pytest.raises(OperationalError):
            report._move()
        with pytest.raises(OperationalError):
            first.send("draw", pile="closed")
        assert report.clock().detail == "the database takes no moves, so all clocks stand"
    outages.record_heartbeat()
    assert "takes no moves" not in report.clock().detail
    report._move()
    assert not LoggedEvent.objects.filter(table_id=0).exists(), "a try leaves nothing behind"
