"""Deposits and withdrawals through the API."""

from typing import Any

import pytest
from django.core.cache import cache

from lobby.models import Player
from tests.support.payments import HOME, pay_in, post_webhook, rupees
from tests.support.players import signed_up
from tests.unit.lobby.conftest import Program
from wallet.audit import audit
from wallet.payments.models import Deposit
from wallet.payments.providers import test

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_counts() -> None:
    cache.clear()


def test_a_program_declares_deposits_and_withdraws(asha: Player) -> None:
    program = Program(asha)
    assert program.get("wallet/identity/")[1]["eligible"] is True
    status, deposit = program.post("wallet/deposits/", {"amount": 50_000, "gateway": "test", "request": "a"})
    assert (status, deposit["status"], deposit["currency"], deposit["amount"]) == (201, "asked", "INR", 50_000)
    assert deposit["pay"]["page"] == f"/wallet/money/checkout/{deposit['reference']}/"
    assert (
        program.post("wallet/deposits/", {"amount": 50_000, "gateway": "test", "request": "a"})[1]["id"]
        == deposit["id"]
    )
    reused = program.post("wallet/deposits/", {"amount": 50_001, "gateway": "test", "request": "a"})
    assert (reused[0], reused[1]["code"]) == (409, "key_reused")
    assert post_webhook(test.paid(Deposit.objects.get()))[1]["outcome"] == "applied"
    status, withdrawal = program.post("wallet/withdrawals/", {"amount": 30_000, "gateway": "bank", **HOME})
    assert (status, withdrawal["status"], withdrawal["account"]) == (201, "asked", "…9012")
    assert program.get("wallet/")[1]["balances"][-1] == {"currency": "INR", "free": 20_000, "in_play": 0}
    assert program.post(f"wallet/withdrawals/{withdrawal['id']}/cancel/")[1]["status"] == "cancelled"
    assert [row["status"] for row in program.get("wallet/withdrawals/")[1]["results"]] == ["cancelled"]
    assert [row["status"] for row in program.get("wallet/deposits/")[1]["results"]] == ["done"]
    assert Program(signed_up()).post(f"wallet/withdrawals/{withdrawal['id']}/cancel/")[0] == 404
    assert audit.audit().differences == []


def test_a_program_of_somebody_who_may_not_is_told_why() -> None:
    program = Program(signed_up())
    status, error = program.post("wallet/deposits/", {"amount": 50_000, "gateway": "bank"})
    assert (status, error["code"]) == (403, "not_declared")
    details = {"jurisdiction": "IN-TN", "birth_date": "1990-05-17", "accept_terms": True}
    assert program.post("wallet/identity/", {**details, "accept_terms": False})[0] == 400
    assert program.post("wallet/identity/", details)[1]["code"] == "not_permitted_there"
    status, error = program.post("wallet/deposits/", {"amount": 50_000, "gateway": "bank"})
    assert (status, error["code"]) == (403, "not_permitted_there")


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"currency": "FUN"}, 409, "play_money_only"),
        ({"currency": "EUR"}, 400, "invalid"),
        ({"gateway": "cash"}, 409, "no_gateway"),
        ({"account": "1"}, 400, "invalid"),
        ({"ifsc": "nothing"}, 400, "invalid"),
    ],
)
def test_a_programs_invalid_request_is_refused(changes: dict[str, Any], status: int, code: str, asha: Player) -> None:
    pay_in(asha, 100_000)
    got, content = Program(asha).post("wallet/withdrawals/", {"amount": 30_000, "gateway": "bank", **HOME, **changes})
    assert (got, content["code"], rupees(asha)) == (status, code, 100_000)
