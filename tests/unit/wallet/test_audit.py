"""The audit finds every fault that was planted, and nothing else."""

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from tests.support.books import a_day_of_play, account, balance_account
from tests.support.currency import two_currencies
from tests.support.database import rolled_back
from tests.support.findings import found_by
from tests.support.forging import checks_with_findings, make_balances_fit, make_chain_fit, make_seals_fit, strip
from tests.support.sampling import one_of_each
from tests.unit.wallet.faults import BALANCES, FAULTS, NOT_SEALED, SEALS
from wallet.audit import audit
from wallet.base import triggers
from wallet.base.findings import MISSING, REGISTERED_CHECKS, Finding, register
from wallet.ledger.triggers import TRIGGERS
from wallet.models import Account, AccountKind, Posting, Transfer

pytestmark = pytest.mark.databases


@pytest.fixture(scope="module")
def played(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, Any]]:
    """Play a day for all these tests, and return names for what faults are planted in."""
    with django_db_blocker.unblock(), rolled_back(), two_currencies():
        a_day_of_play()
        yield _names()


@pytest.fixture
def books(played: dict[str, Any], db: None) -> Iterator[dict[str, Any]]:
    """Roll back what the test does to the books."""
    with rolled_back():
        yield played


def _names() -> dict[str, Any]:
    asha = balance_account("asha")
    marks = Account.objects.create(kind=AccountKind.PLAYER, reference=asha.reference, currency="TST", owner=asha.owner)
    keys = {
        "deal": "deal:1:settle",
        "add_chips": "seating:2:add:1",
        "cash_out": "seating:1:out",
        "prize": "match:1:prize",
        "sign_up": f"signup:{balance_account('dina').owner_id}",
    }
    return {
        "account": "wallet_account",
        "posting": "wallet_posting",
        "transfer": "wallet_transfer",
        "columns": "id, posting_id, line, debit_id, credit_id, amount, debit_balance, credit_balance",
        "of_account": "id, kind, reference, currency, balance, owner_id, head",
        "of_posting": "id, key, digest, reason, created_at",
        "user": asha.owner_id,
        "asha": asha.pk,
        "bela": balance_account("bela").pk,
        "dina": balance_account("dina").pk,
        "marks": marks.pk,
        "fees": account(AccountKind.FEES).pk,
        "issuance": account(AccountKind.ISSUANCE).pk,
        "practice": account(AccountKind.PRACTICE).pk,
        "stack": account(AccountKind.STACK, "seating:1").pk,
        "other_stack": account(AccountKind.STACK, "seating:3").pk,
        "pot_refunded": account(AccountKind.POT, "match:2").pk,
        "last": Posting.objects.latest("pk").pk,
        **{name: Posting.objects.get(key=key).pk for name, key in keys.items()},
    }


def test_a_check_that_finds_nothing_asks_once(books: dict[str, Any], django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        assert found_by(["amounts"]) == []


def run_command(*arguments: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("audit_ledger", *arguments, stdout=out)
    except SystemExit as exit_:
        return int(str(exit_.code)), out.getvalue()
    return 0, out.getvalue()


def test_clean_books_raise_no_alarm(books: dict[str, Any]) -> None:
    assert audit.audit().differences == []
    strip()
    make_balances_fit()
    make_seals_fit()
    assert checks_with_findings() == set()


@pytest.mark.parametrize("name", one_of_each(FAULTS, lambda name: min(FAULTS[name][2], default="")))
def test_a_planted_fault_is_found(name: str, books: dict[str, Any]) -> None:
    statements, covered_up, checks = FAULTS[name]
    strip()
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement.format(**books))
    if BALANCES in covered_up:
        make_balances_fit()
    if SEALS in covered_up:
        make_seals_fit()
    named = {each.check for each in found_by(["chain"])}
    assert bool(named & {"seal", "head"}) == (name not in NOT_SEALED)
    make_chain_fit()
    assert checks_with_findings() == checks


def test_a_missing_trigger_is_found(books: dict[str, Any]) -> None:
    triggers.remove(connection, TRIGGERS)
    assert {difference.check for difference in audit.audit().differences} == {"trigger"}


def test_the_difference_names_the_account_and_both_figures(books: dict[str, Any]) -> None:
    strip()
    Account.objects.filter(pk=books["asha"]).update(balance=5)
    differences = [difference for difference in audit.audit().differences if difference.check == "balance"]
    assert [difference.subject for difference in differences] == [
        f"account {books['asha']} ({balance_account('asha')})"
    ]
    assert differences[0].message == "is altered; expected: a balance of 9700, which its transfers make; found: 5"


@pytest.fixture
def a_check_of_another_app() -> Iterator[None]:
    @register
    def settled_deals() -> Iterator[Finding]:
        yield Finding("deal_settled", "deal 7", MISSING, "its settlement", "none")

    register(settled_deals)
    yield
    REGISTERED_CHECKS.remove(settled_deals)


def test_checks_of_other_apps_run_too_and_only_once(books: dict[str, Any], a_check_of_another_app: None) -> None:
    assert [difference.subject for difference in audit.audit().differences] == ["deal 7"]


def test_the_command_is_silent_about_clean_books(books: dict[str, Any]) -> None:
    status, text = run_command()
    assert (status, text) == (
        0,
        f"{Account.objects.count()} accounts, {Posting.objects.count()} postings, "
        f"{Transfer.objects.count()} transfers: no differences.\n",
    )
    status, text = run_command("--json")
    assert (status, json.loads(text)["clean"], json.loads(text)["differences"]) == (0, True, [])


def test_the_command_names_each_difference_and_fails(books: dict[str, Any], a_check_of_another_app: None) -> None:
    status, text = run_command()
    assert status == 1
    assert "deal_settled: deal 7 is missing; expected: its settlement; found: none" in text
    status, text = run_command("--json")
    assert status == 1
    assert json.loads(text)["differences"] == [
        {
            "check": "deal_settled",
            "subject": "deal 7",
            "fault": "missing",
            "expected": "its settlement",
            "found": "none",
        }
    ]


def test_books_that_cannot_be_read_are_not_called_different(books: dict[str, Any]) -> None:
    strip()
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE wallet_transfer")
    with pytest.raises(CommandError, match="cannot be read") as refusal, transaction.atomic():
        run_command()
    assert refusal.value.returncode == 2


def test_an_audit_tells_how_far_it_is(books: dict[str, Any]) -> None:
    out, output = io.StringIO(), io.StringIO()
    call_command("audit_ledger", "--progress", stdout=out, stderr=output)
    lines = output.getvalue().splitlines()
    assert [line.split(":")[0] for line in lines] == [f"{n} of {len(lines)}" for n in range(1, len(lines) + 1)]
    assert f"1 of {len(lines)}: transfers" in lines
    assert "differences" not in output.getvalue()
