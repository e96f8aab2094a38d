"""PostgreSQL: the serving role can play everything and rewrite nothing, with or without the triggers."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, ProgrammingError, connection, transaction
from psycopg import sql

from config.process import preflight
from tables.models import Table
from tables.play import services as play
from tests.fleet.operations import duel
from tests.support.books import balance_account
from tests.support.players import signed_up
from tests.support.steering import ask
from tests.support.world import isolated_world
from wallet.audit.audit import audit
from wallet.base import triggers
from wallet.ledger import database_role
from wallet.ledger.database_role import ADDED_ONLY, grant, why_unbound
from wallet.ledger.triggers import TRIGGERS
from wallet.models import Posting

ROLE = "rummy_serves"


pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


@pytest.fixture
def role(db: None) -> str:
    call_command("database_role", ROLE, stdout=StringIO())
    return ROLE


@contextmanager
def serving(role: str) -> Iterator[None]:
    """Run the statements of the block as that role; after an error the savepoint around it resets the role."""
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)).as_string(cursor.connection))
        yield
        cursor.execute("RESET ROLE")


def test_the_role_that_serves_plays_a_whole_deal(role: str) -> None:
    with isolated_world() as world, serving(role):
        first, second = duel(world)
        ask(first, "draw", pile="closed")
        ask(first, "discard", card=first.me["drawn"])
        ask(second, "drop")
        world.clock.wait(15)
        play.tick(table_id=first.table)
        assert Table.objects.get(pk=first.table).phase == "waiting"
        assert audit().differences == []


def test_the_role_that_serves_has_no_privilege_to_rewrite_the_books_even_without_triggers(role: str) -> None:
    with isolated_world() as world:
        world.person()
    triggers.remove(connection, TRIGGERS)
    for table in ADDED_ONLY:
        for statement in (f"UPDATE {table} SET id = id", f"DELETE FROM {table}", f"TRUNCATE {table} CASCADE"):
            _is_refused(role, statement)
    for statement in (
        "DELETE FROM wallet_account",
        "TRUNCATE wallet_account CASCADE",
        "UPDATE wallet_account SET owner_id = NULL",
        "UPDATE wallet_account SET currency = 'TST'",
        "DROP TABLE wallet_transfer",
        "ALTER TABLE wallet_transfer DISABLE TRIGGER ALL",
        "CREATE TABLE mine (id int)" if _public_is_closed() else "DROP TABLE tables_event",
        "DELETE FROM django_migrations",
    ):
        _is_refused(role, statement)
    triggers.install(connection, TRIGGERS)
    assert Posting.objects.count() == 1


@pytest.mark.parametrize("real", ["wallet_transfer", "wallet_account"])
def test_a_temporary_table_in_front_of_the_real_one_tells_the_triggers_nothing(role: str, real: str) -> None:
    """If a trigger read the temporary table, any balance could be set, and any transfer made to fit."""
    asha, bela = (balance_account(signed_up(name).get_username()) for name in ("asha", "bela"))
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TEMPORARY TABLE {real} AS SELECT * FROM public.{real}")
        cursor.execute(f"GRANT ALL ON pg_temp.{real} TO {role}")
    lies = {
        "wallet_transfer": (
            f"UPDATE pg_temp.wallet_transfer SET credit_balance = 1000000, seal = 'mine' WHERE credit_id = {asha.pk}",
            f"UPDATE public.wallet_account SET balance = 1000000, head = 'mine' WHERE id = {asha.pk}",
        ),
        "wallet_account": (
            "UPDATE pg_temp.wallet_account SET kind = 'house'",
            "INSERT INTO public.wallet_transfer (posting_id, line, debit_id, credit_id, amount, debit_balance,"
            f" credit_balance, seal) SELECT MIN(posting_id), 7, {bela.pk}, {asha.pk}, 500, 9500, 10500, 'mine'"
            " FROM public.wallet_transfer",
        ),
    }
    refused = "a balance changes by transfers only" if real == "wallet_transfer" else "no player pays another"
    with pytest.raises(IntegrityError, match=refused), transaction.atomic(), serving(role):
        for statement in lies[real]:
            connection.cursor().execute(statement)


def test_the_role_that_serves_makes_no_temporary_tables(role: str) -> None:
    _is_refused(role, "CREATE TEMPORARY TABLE mine (id int)")


def test_the_path_of_a_trigger_is_audited() -> None:
    assert triggers.missing(connection, TRIGGERS) == []
    with connection.cursor() as cursor:
        cursor.execute("ALTER FUNCTION wallet_transfer_chain() RESET search_path")
    assert triggers.missing(connection, TRIGGERS) == ["wallet_transfer_chain"]


def test_a_process_that_could_rewrite_the_books_is_warned_of(role: str, caplog: pytest.LogCaptureFixture) -> None:
    with serving(role):
        preflight.warn_of_power()
    assert caplog.messages == []
    preflight.warn_of_power()
    assert "could rewrite the books" in caplog.text


def test_the_grants_may_be_given_again(role: str) -> None:
    grant(connection, role, "a pass phrase")
    grant(connection, role)


@pytest.mark.parametrize(("attribute", "message"), [("SUPERUSER", "a superuser"), ("", "the owner of the tables")])
def test_whom_no_privilege_binds_is_refused_as_the_role_that_serves(attribute: str, message: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE mighty {attribute}")
        if not attribute:
            cursor.execute("ALTER TABLE wallet_account OWNER TO mighty")
    assert why_unbound(connection, "mighty") == message
    with pytest.raises(CommandError, match=message):
        call_command("database_role", "mighty")


@pytest.mark.django_db(transaction=True)
def test_whoever_is_served_while_the_grants_are_given_anew_misses_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between any two statements of the command another session of the role reads and writes."""
    role = f"serves_{connection.settings_dict['NAME']}"
    grant(connection, role)
    statements, written = database_role._role_statements, 0

    def with_a_writer(*arguments: Any, **named: Any) -> Iterator[sql.Composed]:
        nonlocal written
        for statement in statements(*arguments, **named):
            yield statement
            other.execute("INSERT INTO probe DEFAULT VALUES")
            other.execute("UPDATE wallet_account SET balance = balance, head = head")
            other.execute("SELECT 1 FROM tables_table FOR UPDATE")
            written += 1

    try:
        with connection.cursor() as cursor, _another_session() as other:
            cursor.execute("CREATE TABLE probe (id serial)")
            grant(connection, role)
            other.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
            monkeypatch.setattr(database_role, "_role_statements", with_a_writer)
            grant(connection, role)
        assert written > 5
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS probe")
            cursor.execute(f'DROP OWNED BY "{role}"')
            cursor.execute(f'DROP ROLE "{role}"')


@contextmanager
def _another_session() -> Iterator[psycopg.Connection[Any]]:
    """Open another session with the same database, each statement a transaction."""
    with psycopg.connect(**connection.get_connection_params() | {"autocommit": True}) as session:
        yield session


def _is_refused(role: str, statement: str) -> None:
    with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"), transaction.atomic(), serving(role):
        connection.cursor().execute(statement)


def _public_is_closed() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_schema_privilege('public', current_schema(), 'CREATE')")
        return not cursor.fetchone()[0]
