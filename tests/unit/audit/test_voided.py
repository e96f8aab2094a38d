"""A table that was cancelled from the books is witnessed by trail and postings, since its events no longer count."""

from typing import Any

import pytest
from django.db import connection

from tables.audit.finished import voided_tables
from tables.log.triggers import TRIGGERS as LOG_TRIGGERS
from tables.models import Match, Table
from tables.staff import cancel_table
from tests.support.database import rolled_back
from tests.support.tables import Client
from wallet.audit import audit
from wallet.audit_log.services import PLATFORM
from wallet.base import triggers
from wallet.ledger.triggers import TRIGGERS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent", "nudges")]

CHANGES = {
    "title": "UPDATE tables_table SET title = 'Another' WHERE id = {table}",
    "stake": "UPDATE tables_table SET stake_id = 777 WHERE id = {table}",
    "book": "UPDATE tables_table SET book = 'club-points' WHERE id = {table}",
    "family": "UPDATE tables_table SET family = 'pool' WHERE id = {table}",
    "currency": "UPDATE tables_table SET currency = 'EUR' WHERE id = {table}",
    "opened": "UPDATE tables_table SET opened_at = '2001-01-01 00:00:00+00:00' WHERE id = {table}",
    "closed": "UPDATE tables_table SET closed_at = '2001-01-01 00:00:00+00:00' WHERE id = {table}",
    "cancelled when": "UPDATE tables_table SET void_at = '2001-01-01 00:00:00+00:00' WHERE id = {table}",
    "cancelled not at all": "UPDATE tables_table SET void_at = NULL WHERE id = {table}",
    "open again": "UPDATE tables_table SET status = 'open' WHERE id = {table}",
    "reason": "UPDATE tables_match SET reason = 'Another' WHERE table_id = {table}",
    "postings": "UPDATE wallet_posting SET at_stake = 777 WHERE at_table = {table}",
}


@pytest.fixture
def voided(duel: tuple[Client, Client]) -> int:
    place = duel[0].table
    Table.objects.filter(pk=place).update(snapshot=b"x", terms=None)
    cancel_table(table_id=place, reason="Nobody can read it", actor=PLATFORM)
    row = Table.objects.get(pk=place)
    assert row.void_at is not None
    assert Match.objects.get(table=row).reason == "Nobody can read it"
    return place


def test_a_voided_table_raises_no_alarm(voided: int) -> None:
    assert audit.audit().differences == []


def test_every_change_of_a_voided_table_is_named(voided: int) -> None:
    triggers.remove(connection, [*TRIGGERS, *LOG_TRIGGERS])
    for name, sql in CHANGES.items():
        with rolled_back(), connection.cursor() as cursor:
            cursor.execute(sql.format(table=voided))
            assert cursor.rowcount > 0
            assert {each.subject for each in voided_tables()} == {f"table {voided}"}, name


def test_a_table_made_void_behind_the_platforms_back_is_named(duel: tuple[Any, Any]) -> None:
    Table.objects.update(void_at="2026-01-01T00:00:00+00:00")
    assert next(iter(voided_tables())).expected == "the act in the trail that cancelled it by the books"
