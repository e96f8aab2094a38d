"""Messages of the test gateway count under its signature only, once, and for exactly what was requested."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AbstractBaseUser
from django.db import DatabaseError, transaction

from tests.support.payments import ask_in, declare, refusal, rupees, tell
from wallet.audit import audit
from wallet.audit_log.services import Actor
from wallet.models import Account, AccountKind
from wallet.payments import deposits
from wallet.payments.identity import verification
from wallet.payments.models import Deposit, GatewayEvent, SuspenseItem
from wallet.payments.providers import test, webhook

pytestmark = pytest.mark.django_db


@pytest.fixture
def deposit(asha: AbstractBaseUser) -> Deposit:
    return ask_in(asha, 50_000, "test")


def test_a_payment_is_in_the_balance_once(asha: AbstractBaseUser, deposit: Deposit) -> None:
    body = test.paid(deposit)
    assert [tell(body).outcome for _ in range(3)] == ["applied"] * 3
    assert tell(test.paid(deposit)).outcome == "closed"
    assert (rupees(asha), GatewayEvent.objects.count(), in_suspense()) == (50_000, 2, [50_000])


@pytest.mark.parametrize(
    "header",
    [
        "", "t=,v1=", "v1=abc", "t=1", "t=now,v1=00", "t=१२,v1=00", "t=99999999999999,v1=00", "t=1,v1=é",
        pytest.param(f"t={int(time.time())},v1={'0' * 64}", id="now and no signature"),
    ],
)  # fmt: skip
def test_nothing_is_believed_without_the_signature(header: str, deposit: Deposit, asha: AbstractBaseUser) -> None:
    assert refusal(lambda: webhook.receive(test.paid(deposit), header)) == "bad_signature"
    assert (rupees(asha), GatewayEvent.objects.count()) == (0, 0)


def test_a_signature_holds_for_its_body_its_moment_and_its_secret_only(deposit: Deposit, settings: Any) -> None:
    body, now = test.paid(deposit), int(time.time())
    good = test.sign_webhook(body, now)
    assert refusal(lambda: webhook.receive(body.replace(b"50000", b"50001"), good)) == "bad_signature"
    assert refusal(lambda: webhook.receive(body, good.replace(str(now), str(now - 1)))) == "bad_signature"
    for at in (now - test.OLDEST - 5, now + test.EARLIEST + 5):
        assert refusal(lambda at=at: tell(body, at)) == "bad_signature"
    settings.TEST_GATEWAY_SECRET = "another-secret-of-thirty-two-letters"
    assert refusal(lambda: webhook.receive(body, good)) == "bad_signature"
    assert not GatewayEvent.objects.exists()


@pytest.mark.parametrize(
    ("changes", "outcome", "place"),
    [
        ({"amount": 49_999}, "wrong_amount", "suspense"),
        ({"amount": 50_001}, "wrong_amount", "suspense"),
        ({"currency": "FUN"}, "wrong_currency", "back"),
        ({"currency": "EUR"}, "wrong_currency", "back"),
        ({"reference": "TH00000000"}, "unknown_reference", "suspense"),
        ({"type": "deposit.pending"}, "ignored", "nowhere"),
    ],
)
def test_a_mismatched_payment_is_kept_and_in_no_balance(
    changes: dict[str, Any], outcome: str, place: str, deposit: Deposit, asha: AbstractBaseUser
) -> None:
    event = tell(test.paid(deposit, **changes))
    assert (event.outcome, webhook.where(event)) == (outcome, place)
    assert GatewayEvent.objects.get().outcome == outcome
    deposit.refresh_from_db()
    assert (deposit.status, rupees(asha)) == ("asked", 0)
    assert in_suspense() == ([event.amount] if place == "suspense" else [])


def in_suspense() -> list[int]:
    """Return the suspended amounts, which must be the same in the books and in the list."""
    accounts = Account.objects.filter(kind=AccountKind.SUSPENSE).exclude(balance=0)
    amounts = sorted(accounts.values_list("balance", flat=True))
    assert amounts == sorted(SuspenseItem.objects.filter(status="waits").values_list("amount", flat=True))
    assert audit.audit().differences == []
    return amounts


#: How the gateway comes to tell each thing, and where what was paid is then.
PAYMENTS: dict[str, tuple[Callable[[Deposit], bytes], str]] = {
    "applied": (test.paid, "balance"),
    "ignored": (lambda deposit: test.paid(deposit, type="deposit.pending"), "nowhere"),
    "unknown_reference": (lambda deposit: test.paid(deposit, reference="TH00000000"), "suspense"),
    "wrong_amount": (lambda deposit: test.paid(deposit, amount=1), "suspense"),
    "wrong_currency": (lambda deposit: test.paid(deposit, currency="EUR"), "back"),
    "closed": (lambda deposit: test.paid(deposits.cancel(deposit=deposit)), "suspense"),
    "not_eligible": (lambda deposit: (declare(deposit.player, "IN-TN"), test.paid(deposit))[1], "suspense"),
}


@pytest.mark.parametrize("outcome", GatewayEvent.Outcome.values)
def test_every_payment_is_in_a_balance_in_suspense_or_goes_back(outcome: str, deposit: Deposit) -> None:
    make, place = PAYMENTS[outcome]
    event = tell(make(deposit))
    assert (event.outcome, webhook.where(event)) == (outcome, place)
    assert rupees(deposit.player) == (50_000 if place == "balance" else 0)
    assert in_suspense() == ([event.amount] if place == "suspense" else [])


def test_a_payment_after_money_is_switched_off_waits_in_suspense(deposit: Deposit, settings: Any) -> None:
    settings.REAL_MONEY = False
    assert tell(test.paid(deposit)).outcome == "not_eligible"
    assert in_suspense() == [50_000]


def test_an_events_name_is_not_used_for_another_content(deposit: Deposit, asha: AbstractBaseUser) -> None:
    tell(test.paid(deposit, event="evt_1", amount=1))
    assert refusal(lambda: tell(test.paid(deposit, event="evt_1"))) == "key_reused"
    assert rupees(asha) == 0


def test_only_its_own_deposits_are_paid_by_a_gateway(asha: AbstractBaseUser) -> None:
    by_bank = ask_in(asha, 50_000, "bank")
    assert tell(test.paid(by_bank)).outcome == "unknown_reference"


def test_an_ineligible_player_is_not_credited(asha: AbstractBaseUser, deposit: Deposit, first: Actor) -> None:
    verification.unverify(asha.identity, "The passport was another's", first)  # type: ignore[attr-defined]
    assert tell(test.paid(deposit)).outcome == "not_eligible"
    assert rupees(asha) == 0


def test_a_cancelled_deposit_is_not_credited(deposit: Deposit, asha: AbstractBaseUser) -> None:
    deposits.cancel(deposit=deposit)
    assert tell(test.paid(deposit)).outcome == "closed"
    assert rupees(asha) == 0


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"null", b"{}", b'{"event": 1}', b"\xff",
        *(json.dumps({"event": "e", "type": "t", "reference": "r", "currency": "INR", "amount": amount}).encode()
          for amount in (0, -1, 1.0, "1", True, None, 2**63, float("nan"))),
        json.dumps({"event": "", "type": "t", "reference": "r", "currency": "INR", "amount": 1}).encode(),
        json.dumps({"event": "e" * 61, "type": "t", "reference": "r", "currency": "INR", "amount": 1}).encode(),
        json.dumps({"event": "e\0", "type": "t", "reference": "r", "currency": "INR", "amount": 1}).encode(),
        json.dumps({"event": "e", "type": "t", "reference": "r", "currency": "INR", "amount": 1, "x": 1}).encode(),
    ],
)  # fmt: skip
def test_a_malformed_message_is_refused_even_when_signed(body: bytes, db: None) -> None:
    assert refusal(lambda: tell(body)) == "bad_message"
    assert not GatewayEvent.objects.exists()


def test_broken_off_in_the_middle_the_event_comes_again(
    deposit: Deposit, asha: AbstractBaseUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = test.paid(deposit)

    def break_off(*_: Any, **__: Any) -> None:
        raise SystemError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(GatewayEvent.objects, "create", break_off)
        with pytest.raises(SystemError), transaction.atomic():
            tell(body)
    deposit.refresh_from_db()
    assert (deposit.status, rupees(asha)) == ("asked", 0)
    assert tell(body).outcome == "applied"
    assert rupees(asha) == 50_000


def test_a_recorded_event_of_the_gateway_does_not_change(deposit: Deposit) -> None:
    event = tell(test.paid(deposit))
    with pytest.raises(DatabaseError), transaction.atomic():
        GatewayEvent.objects.filter(pk=event.pk).update(outcome="ignored")
    with pytest.raises(DatabaseError), transaction.atomic():
        GatewayEvent.objects.filter(pk=event.pk).delete()
