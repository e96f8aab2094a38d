"""The audit finds every fault that is planted among deposits and withdrawals, and nothing else."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import override_settings

from tests.support.books import account
from tests.support.payments import MONEY, ask_in, ask_out, declare, make_eligible, pay_in, person
from tests.support.players import signed_up
from tests.support.sampling import one_of_each
from tests.unit.wallet.faults import BALANCES, SEALS
from tests.unit.wallet.test_audit import checks_with_findings, make_balances_fit, make_chain_fit, make_seals_fit, strip
from wallet.audit import audit
from wallet.models import Account, AccountKind, Posting
from wallet.payments import deposits, withdrawals

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

IN, OUT = "UPDATE gateways_deposit SET ", "UPDATE gateways_withdrawal SET "
#: What was done, how the culprit covered it up in the books, and which checks find it all the same.
FAULTS: dict[str, tuple[list[str], set[str], set[str]]] = {
    "a deposit is done without a posting": (
        [IN + "status = 'done', confirmed_by_id = {first}, decided_by_id = {second} WHERE id = {waiting}"],
        set(),
        {"deposit", "desk", "gateway"},
    ),
    "a posted deposit counts as not done": (
        [IN + "status = 'refused' WHERE id = {deposit}"], set(), {"deposit", "gateway"},
    ),
    "a posted deposit vanished": (["DELETE FROM gateways_deposit WHERE id = {deposit}"], set(), {"deposit", "gateway"}),
    "another amount than was paid": (
        [IN + "amount = amount + 1 WHERE id = {deposit}"], set(), {"deposit", "desk", "gateway"},
    ),
    "another receipt than was confirmed": ([IN + "bank_reference = 'UTR 77' WHERE id = {deposit}"], set(), {"desk"}),
    "decided by another": ([OUT + "decided_by_id = {bela} WHERE id = {paid}"], set(), {"desk"}),
    "to another account": ([OUT + "ending = '0000' WHERE id = {open}"], set(), {"desk"}),
    "by another's sealed destination": (
        [OUT + "destination = (SELECT destination FROM gateways_withdrawal o WHERE o.id = {paid}) WHERE id = {open}"],
        set(), {"desk"},
    ),
    "older by a stroke": (
        ["UPDATE gateways_identity SET birth_date = '1980-01-01' WHERE player_id = {asha}"], set(), {"declaration"},
    ),
    "verified by another": (
        ["UPDATE gateways_identity SET verified_by_id = {second} WHERE player_id = {asha}"], set(), {"declaration"},
    ),
    "verified by nobody": (
        ["UPDATE gateways_identity SET verified_by_id = {second}, verified_at = declared_at, proved_at = declared_at"
         " WHERE player_id = {bela}"],
        set(), {"declaration"},
    ),
    "another player than paid": ([IN + "player_id = {bela} WHERE id = {deposit}"], set(), {"deposit"}),
    "by another gateway": ([IN + "gateway = 'cash' WHERE id = {deposit}"], set(), {"deposit", "gateway"}),
    "a deposit posted twice": (
        [
            "INSERT INTO wallet_posting (id, key, digest, reason, created_at) SELECT 9001, 'deposit:9001', '', reason,"
            " (SELECT MAX(created_at) FROM wallet_posting p) FROM wallet_posting q WHERE key = 'deposit:{deposit}'",
            "INSERT INTO wallet_transfer ({columns}) SELECT 9001, 9001, 0, debit_id, credit_id, amount, 0, 0"
            " FROM wallet_transfer t WHERE posting_id = {posting}",
        ],
        {BALANCES, SEALS},
        {"deposit", "gateway"},
    ),
    "a withdrawal paid and returned": (
        [
            "INSERT INTO wallet_posting (id, key, digest, reason, created_at) SELECT 9001,"
            " 'withdrawal:{paid}:returned', '', 'returned', (SELECT MAX(created_at) FROM wallet_posting p)",
            "INSERT INTO wallet_transfer ({columns}) SELECT 9001, 9001, 0, credit_id, debit_id, amount, 0, 0"
            " FROM wallet_transfer t WHERE posting_id = {hold}",
        ],
        {BALANCES, SEALS},
        {"withdrawal", "on_hold", "negative"},
    ),
    "a returned withdrawal counts as paid": (
        [OUT + "status = 'paid', confirmed_by_id = {first}, decided_by_id = {second} WHERE id = {returned}"],
        set(),
        {"withdrawal", "desk", "gateway"},
    ),
    "a paid withdrawal counts as open": (
        [OUT + "status = 'confirmed' WHERE id = {paid}"], set(), {"withdrawal", "gateway", "on_hold"},
    ),
    "an open withdrawal counts as cancelled": (
        [OUT + "status = 'cancelled' WHERE id = {open}"], set(), {"withdrawal", "on_hold"},
    ),
    "an open withdrawal vanished": (
        ["DELETE FROM gateways_withdrawal WHERE id = {open}"], set(), {"withdrawal", "on_hold"},
    ),
    "more is asked for than is held": (
        [OUT + "amount = amount + 1 WHERE id = {open}"], set(), {"withdrawal", "on_hold"},
    ),
    "held for another": (["UPDATE wallet_account SET owner_id = {bela} WHERE id = {held}"], set(), {"owner"}),
    "held by nobody": (
        ["UPDATE wallet_account SET owner_id = NULL WHERE id = {held}"], set(), {"owner", "identity"},
    ),
    "held under no withdrawal's name": (
        ["UPDATE wallet_account SET reference = 'withdrawal:x' WHERE id = {held}"], set(),
        {"identity", "on_hold", "withdrawal"},
    ),
    "the gateway under no name of one": (
        ["UPDATE wallet_account SET reference = 'Bank 2' WHERE id = {gateway}"], set(),
        {"identity", "gateway", "deposit", "withdrawal"},
    ),
    "the gateway's balance altered": (
        ["UPDATE wallet_account SET balance = balance + 7 WHERE id = {gateway}"], set(),
        {"balance", "total", "gateway"},
    ),
    "chips from outside": (
        ["UPDATE wallet_account SET currency = 'FUN' WHERE id = {other_gateway}"], set(),
        {"play_money", "currency", "total", "gateway", "deposit"},
    ),
    "one person for both": (
        [IN + "decided_by_id = confirmed_by_id WHERE id = {deposit}"], set(), {"desk", "two_people"},
    ),
    "nobody confirmed": ([OUT + "confirmed_by_id = NULL WHERE id = {paid}"], set(), {"two_people"}),
    "somebody paid themselves": (
        [OUT + "confirmed_by_id = player_id WHERE id = {paid}"], set(), {"desk", "two_people"},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def ended(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, Any]]:
    """Bring deposits and withdrawals to every end, for all these tests, and return names for them."""
    with django_db_blocker.unblock(), transaction.atomic(), override_settings(**MONEY):
        yield _names()
        transaction.set_rollback(True)


@pytest.fixture
def cashier(ended: dict[str, Any], db: None) -> Iterator[dict[str, Any]]:
    """Roll back what the test does to the payments."""
    with transaction.atomic():
        yield ended
        transaction.set_rollback(True)


def _names() -> dict[str, Any]:
    first, second = person("first"), person("second")
    asha, bela = signed_up("asha"), signed_up("bela")
    make_eligible(asha, first)
    declare(bela)
    deposit = ask_in(asha, 50_000)
    deposits.confirm(deposit, "UTR 1", first)
    deposits.approve(deposit, "Seen", second)
    pay_in(asha, 100_000, "in2")
    waiting = ask_in(asha, 7_000, request="in3")
    paid, returned, waits = (ask_out(asha, amount, f"out{amount}") for amount in (10_000, 20_000, 30_000))
    withdrawals.confirm(paid, "UTR 2", first)
    withdrawals.approve(paid, "Checked", second)
    withdrawals.cancel(withdrawal=returned)
    return {
        "columns": "id, posting_id, line, debit_id, credit_id, amount, debit_balance, credit_balance",
        "first": first.user.pk if first.user else 0,
        "second": second.user.pk if second.user else 0,
        "asha": asha.pk,
        "bela": bela.pk,
        "deposit": deposit.pk,
        "waiting": waiting.pk,
        "paid": paid.pk,
        "returned": returned.pk,
        "open": waits.pk,
        "posting": Posting.objects.get(key=f"deposit:{deposit.pk}").pk,
        "hold": Posting.objects.get(key=f"withdrawal:{paid.pk}:hold").pk,
        "held": account(AccountKind.WITHDRAWAL, f"withdrawal:{waits.pk}", "INR").pk,
        "gateway": account(AccountKind.GATEWAY, "bank", "INR").pk,
        "other_gateway": account(AccountKind.GATEWAY, "test", "INR").pk,
    }


def bare(*tables: str) -> None:
    """Take the constraints from those tables, and what points to them, so that anything can be planted."""
    connection.check_constraints()
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"CREATE TABLE bare AS SELECT * FROM {table}")
            cursor.execute(f"DROP TABLE {table}{' CASCADE' if connection.vendor == 'postgresql' else ''}")
            cursor.execute(f"ALTER TABLE bare RENAME TO {table}")


def test_clean_books_raise_no_alarm(cashier: dict[str, Any]) -> None:
    assert audit.audit().differences == []
    assert Account.objects.filter(kind=AccountKind.WITHDRAWAL).count() == 3


@pytest.mark.parametrize("name", one_of_each(FAULTS, lambda name: min(FAULTS[name][2], default="")))
def test_a_planted_fault_is_found(name: str, cashier: dict[str, Any]) -> None:
    statements, covered_up, checks = FAULTS[name]
    strip()
    bare("gateways_suspenseitem", "gateways_event", "gateways_deposit", "gateways_withdrawal")
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement.format(**cashier))
    if BALANCES in covered_up:
        make_balances_fit()
    if SEALS in covered_up:
        make_seals_fit()
    make_chain_fit()
    assert checks_with_findings() == checks
