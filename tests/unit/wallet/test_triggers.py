"""The database protects the books by itself, whoever writes."""

import re

import pytest
from django.db import Error, connection, transaction

from tests.support.books import account, books, seat
from tests.support.players import signed_up
from wallet.base import triggers
from wallet.ledger.triggers import TABLES, TRIGGERS
from wallet.models import Account, AccountKind, Posting
from wallet.play_money import services as play_money

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

SQLITE = connection.vendor == "sqlite"


@pytest.fixture(autouse=True)
def two_players(db: None) -> None:
    for seating, name in ((1, "asha"), (2, "bela")):
        seat(seating, signed_up(name), 800)
    play_money.settle_deal(key="deal:1:settle", currency="FUN", winner=1, losses={2: 100}, fee=10)
    connection.check_constraints()


def refusal(sql: str) -> str:
    """Return why the database refuses the statement, leaving every table as before; empty if it runs it."""
    before = books()
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
    except Error as error:
        assert books() == before
        return str(error)
    return ""


def insertion(debit: Account, credit: Account, amount: float, debit_balance: float, credit_balance: float) -> str:
    """Return SQL for one more transfer of the first posting."""
    posting = Posting.objects.earliest("pk").pk
    return (
        "INSERT INTO wallet_transfer"
        " (posting_id, line, debit_id, credit_id, amount, debit_balance, credit_balance, seal)"
        f" VALUES ({posting}, 7, {debit.pk}, {credit.pk}, {amount}, {debit_balance}, {credit_balance}, 'new')"
    )


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM {0}",
        "DELETE FROM {0} WHERE id = (SELECT MAX(id) FROM {0})",
        "UPDATE {0} SET id = id + 1000",
        "REPLACE INTO {0} SELECT * FROM {0}" if SQLITE else "TRUNCATE {0} CASCADE",
    ],
)
def test_rows_never_vanish_never_move_and_are_never_replaced(table: str, change: str) -> None:
    assert f"{table}: " in refusal(change.format(table))


@pytest.mark.parametrize(
    "change",
    [
        "wallet_posting SET key = 'x' WHERE key = 'deal:1:settle'",
        "wallet_posting SET digest = 'x'",
        "wallet_posting SET reason = 'prize'",
        "wallet_posting SET created_at = '2001-01-01 00:00:00'",
        "wallet_transfer SET amount = amount + 1",
        "wallet_transfer SET debit_balance = debit_balance",
        "wallet_account SET kind = 'practice', owner_id = NULL",
        "wallet_account SET reference = 'seating:9' WHERE reference = 'seating:1'",
        "wallet_account SET currency = 'TST'",
        "wallet_account SET owner_id = (SELECT MAX(id) FROM lobby_player) WHERE kind = 'stack'",
        "wallet_account SET owner_id = NULL WHERE kind = 'stack'",
    ],
)
def test_a_posting_does_not_change(change: str) -> None:
    assert re.search("wallet_[a-z]+: (what was posted|an account stays)", refusal(f"UPDATE {change}"))


@pytest.mark.parametrize("balance", ["balance + 1", "balance - 1", "0", "-balance", "9223372036854775807"])
def test_a_balance_changes_by_transfers_only(balance: str) -> None:
    assert "by transfers only" in refusal(f"UPDATE wallet_account SET balance = {balance}")


def test_an_account_starts_with_nothing() -> None:
    new = "INSERT INTO wallet_account (kind, reference, currency, balance) VALUES ('pot', 'match:1', 'FUN', {})"
    assert "starts at 0" in refusal(new.format(1))
    assert not refusal(new.format(0))


@pytest.mark.parametrize(
    ("debit", "credit", "amount", "debit_balance", "credit_balance", "why"),
    [
        ("fees", "pot", 5, 5, 6, "continues the balances"),
        ("fees", "pot", 5, 4, 5, "continues the balances"),
        ("fees", "pot", 0, 10, 0, "wallet_transfer_amount"),
        ("fees", "pot", -5, 15, -5, "wallet_transfer_amount"),
        ("fees", "pot", 10**15 + 1, 9 - 10**15, 10**15 + 1, "wallet_transfer_amount"),
        ("fees", "marks", 5, 5, 5, "one currency"),
        ("asha", "bela", 1, 9199, 9201, "no player pays another"),
        *([("fees", "pot", 2.5, 7.5, 2.5, "whole")] if SQLITE else []),
    ],
)
def test_an_impossible_transfer_is_refused(
    debit: str, credit: str, amount: float, debit_balance: float, credit_balance: float, why: str
) -> None:
    accounts = {
        "fees": account(AccountKind.FEES),
        "pot": Account.objects.create(kind=AccountKind.POT, reference="match:1", currency="FUN"),
        "marks": Account.objects.create(kind=AccountKind.POT, reference="match:2", currency="TST"),
        "asha": Account.objects.get(kind=AccountKind.PLAYER, owner__username="asha"),
        "bela": Account.objects.get(kind=AccountKind.PLAYER, owner__username="bela"),
    }
    assert why in refusal(insertion(accounts[debit], accounts[credit], amount, debit_balance, credit_balance))


def test_a_transfer_that_continues_its_accounts_is_taken_and_only_its_balance_may_follow() -> None:
    fees = account(AccountKind.FEES)
    pot = Account.objects.create(kind=AccountKind.POT, reference="match:1", currency="FUN")
    assert not refusal(insertion(fees, pot, 4, 6, 4))
    assert "by transfers only" in refusal(f"UPDATE wallet_account SET balance = 7 WHERE id = {fees.pk}")
    assert "by transfers only" in refusal(f"UPDATE wallet_account SET balance = 6 WHERE id = {fees.pk}")
    assert "by transfers only" in refusal(f"UPDATE wallet_account SET head = 'new' WHERE id = {fees.pk}")
    assert not refusal(f"UPDATE wallet_account SET balance = 6, head = 'new' WHERE id = {fees.pk}")


def test_no_balance_but_that_of_issuance_and_practice_falls_below_zero() -> None:
    fees = account(AccountKind.FEES)
    pot = Account.objects.create(kind=AccountKind.POT, reference="match:1", currency="FUN")
    assert not refusal(insertion(fees, pot, 11, -1, 11))
    assert "not_negative" in refusal(f"UPDATE wallet_account SET balance = -1, head = 'new' WHERE id = {fees.pk}")


def test_triggers_that_are_missing_are_named() -> None:
    assert triggers.missing(connection, TRIGGERS) == []
    with connection.cursor() as cursor:
        on = "" if SQLITE else " ON wallet_transfer"
        cursor.execute(f"DROP TRIGGER wallet_transfer_kept{on}")
    assert triggers.missing(connection, TRIGGERS) == ["wallet_transfer_kept"]
    triggers.remove(connection, TRIGGERS)
    assert len(triggers.missing(connection, TRIGGERS)) >= 12
    triggers.install(connection, TRIGGERS)
    assert triggers.missing(connection, TRIGGERS) == []


def test_a_trigger_that_says_something_else_is_named() -> None:
    with connection.cursor() as cursor:
        if SQLITE:
            cursor.execute("DROP TRIGGER wallet_transfer_chain")
            cursor.execute("CREATE TRIGGER wallet_transfer_chain BEFORE INSERT ON wallet_transfer BEGIN SELECT 1; END")
        else:
            cursor.execute(
                "CREATE OR REPLACE FUNCTION wallet_transfer_chain() RETURNS trigger LANGUAGE plpgsql"
                " AS $$ BEGIN RETURN NEW; END $$"
            )
    assert triggers.missing(connection, TRIGGERS) == ["wallet_transfer_chain"]


def test_a_trigger_that_is_switched_off_is_named() -> None:
    """SQLite has no switch, so there the trigger is dropped."""
    off = "DROP TRIGGER {0}" if SQLITE else "ALTER TABLE wallet_transfer DISABLE TRIGGER {0}"
    with connection.cursor() as cursor:
        cursor.execute(off.format("wallet_transfer_chain"))
    assert triggers.missing(connection, TRIGGERS) == ["wallet_transfer_chain"]
