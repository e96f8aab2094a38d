"""PostgreSQL: the role that serves plays everything and rewrites nothing, were the guards gone or not."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connection, transaction
from psycopg import sql

from tables import services
from tables.models import Table
from tests.faults._acts import duel
from tests.faults._world import world
from tests.tables.steering import ask
from wallet import guards
from wallet.audit import audit
from wallet.database_role import ADDED_ONLY, grant
from wallet.models import Posting

ROLE = "rummy_serves"


pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


@pytest.fixture
def role(db: None) -> str:
    call_command("database_role", ROLE, stdout=StringIO())
    return ROLE


@contextmanager
def serving(role: str) -> Iterator[None]:
    """The statements of the block are that role's; after an error the savepoint around it takes the role back."""
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)).as_string(cursor.connection))
        yield
        cursor.execute("RESET ROLE")


def test_the_role_that_serves_plays_a_whole_deal(role: str) -> None:
    with world() as made, serving(role):
        first, second = duel(made)
        ask(first, "draw", pile="closed")
        ask(first, "discard", card=first.me["drawn"])
        ask(second, "drop")
        made.clock.wait(15)
        services.tick(table_id=first.table)
        assert Table.objects.get(pk=first.table).phase == "waiting"
        assert audit().differences == []


def test_the_role_that_serves_has_no_privilege_to_rewrite_the_books_even_without_guards(role: str) -> None:
    with world() as made:
        made.person()
    guards.remove(connection)
    for table in ADDED_ONLY:
        for statement in (f"UPDATE {table} SET id = id", f"DELETE FROM {table}", f"TRUNCATE {table} CASCADE"):
            _is_refused(role, statement)
    for statement in (
        "DELETE FROM wallet_account",
        "TRUNCATE wallet_account CASCADE",
        "UPDATE wallet_account SET owner_id = NULL",
        "UPDATE wallet_account SET currency = 'INR'",
        "DROP TABLE wallet_transfer",
        "ALTER TABLE wallet_transfer DISABLE TRIGGER ALL",
        "CREATE TABLE mine (id int)" if _public_is_closed() else "DROP TABLE tables_event",
        "DELETE FROM django_migrations",
    ):
        _is_refused(role, statement)
    guards.install(connection)
    assert Posting.objects.count() == 1


def test_the_grants_may_be_given_again_and_to_the_owner_never(role: str) -> None:
    grant(connection, role, "a pass phrase")
    grant(connection, role)
    with pytest.raises(CommandError, match="owner"):
        call_command("database_role", connection.settings_dict["USER"])


def _is_refused(role: str, statement: str) -> None:
    with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"), transaction.atomic(), serving(role):
        connection.cursor().execute(statement)


def _public_is_closed() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_schema_privilege('public', current_schema(), 'CREATE')")
        return not cursor.fetchone()[0]
