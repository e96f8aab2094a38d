"""Helpers for tests of deposits and withdrawals: money switched on, eligible players, staff of finance."""

import time
from collections.abc import Callable
from datetime import date
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.test import Client

from tests.support.books import books
from tests.support.players import signed_up
from wallet.audit_log.services import Actor
from wallet.base.errors import WalletError
from wallet.ledger.selectors import balances
from wallet.models import Account, AccountKind
from wallet.payments import deposits, withdrawals
from wallet.payments.identity import verification
from wallet.payments.models import Deposit, GatewayEvent, Identity, Withdrawal
from wallet.payments.providers import test, webhook

#: The settings of an operator who offers play for money in Goa and Sikkim.
MONEY: dict[str, Any] = {
    "REAL_MONEY": True,
    "MONEY_JURISDICTIONS": ["IN-GA", "IN-SK"],
    "MONEY_MINIMUM_AGE": 18,
    "MONEY_TERMS": "1",
    "MONEY_GATEWAYS": ["bank", "test"],
    "MONEY_BANK_DETAILS": "Thirteen Ltd, account 0011223344, IFSC ABCD0123456",
    "TEST_GATEWAY_SECRET": "only-for-tests-0123456789abcdefghij",
    "DEFAULT_LIMITS": {"FUN": {}, "INR": {"day": 10_000_000}, "time": {}},
    "MONEY_REHEARSAL": True,
}
HOME = {"name": "Asha Rao", "account": "123456789012", "ifsc": "ABCD0123456"}


def switch_on(settings: Any) -> None:
    """Switch real money on, with all the settings that it needs."""
    for name, value in MONEY.items():
        setattr(settings, name, value)


def person(name: str) -> Actor:
    """Create a person of the staff, and return them as an actor."""
    return Actor(name, signed_up(name))


def declare(player: AbstractBaseUser, jurisdiction: str = "IN-GA", born: date = date(1990, 5, 17)) -> Identity:
    actor = Actor(player.get_username(), player)
    return verification.declare(player=player, jurisdiction=jurisdiction, birth_date=born, actor=actor)


def pan_of(player: AbstractBaseUser) -> str:
    """Return a PAN of the player's own."""
    return f"ABCPE{player.pk % 10_000:04}F"


def make_eligible(player: AbstractBaseUser, by: Actor) -> AbstractBaseUser:
    """Let the player declare their identity and staff verify it; return the player."""
    verification.verify(declare(player), "Seen the passport", by, pan=pan_of(player))
    return player


def rupees(player: AbstractBaseUser) -> int:
    """Return the player's free balance, in paise."""
    return sum(balance["free"] for balance in balances(player) if balance["currency"] == "INR")


def at_gateway(name: str = "bank") -> int:
    """Return payments out by that gateway less payments in, in paise."""
    return Account.objects.get(kind=AccountKind.GATEWAY, reference=name, currency="INR").balance


def refusal(call: Callable[[], object]) -> str:
    """Return the code of the refusal, after which the books must be unchanged; empty if there is none."""
    before = books()
    try:
        call()
    except WalletError as refused:
        assert books() == before
        return refused.code
    return ""


def ask_in(player: AbstractBaseUser, amount: int, gateway: str = "bank", request: str = "in1") -> Deposit:
    return deposits.ask(request=request, player=player, currency="INR", amount=amount, gateway=gateway)


def ask_out(
    player: AbstractBaseUser,
    amount: int,
    request: str = "out1",
    gateway: str = "bank",
    destination: dict[str, str] = HOME,
) -> Withdrawal:
    return withdrawals.ask(
        request=request, player=player, currency="INR", amount=amount, gateway=gateway, destination=destination
    )


def tell(body: bytes, at: int | None = None) -> GatewayEvent:
    """Send that body, signed, as the test gateway does."""
    return webhook.receive(body, test.sign_webhook(body, int(time.time()) if at is None else at))


def pay_in(player: AbstractBaseUser, amount: int, request: str = "in1") -> Deposit:
    """Pay a deposit through the test gateway, and return it."""
    deposit = ask_in(player, amount, "test", request)
    tell(test.paid(deposit))
    deposit.refresh_from_db()
    return deposit


def post_webhook(body: bytes, signature: str | None = None, address: str = "127.0.0.1") -> tuple[int, Any]:
    """Post as the test gateway does, without cookie, token or CSRF."""
    signed = test.sign_webhook(body, int(time.time())) if signature is None else signature
    client = Client(enforce_csrf_checks=True, REMOTE_ADDR=address)
    answer = client.post(
        "/api/gateways/test/webhook/", body, content_type="application/json", headers={"x-signature": signed}
    )
    return answer.status_code, answer.json()
