"""The test gateway: it behaves like a card gateway with signed webhooks, and moves no real money."""

import hashlib
import hmac
import json
import secrets
from typing import Any

from django.conf import settings
from django.urls import reverse

from wallet.language import worded_later
from wallet.payments.models import Deposit
from wallet.payments.providers.base import Instructions

#: How many seconds the time of a signature may lie in the past, and in the future.
OLDEST, EARLIEST = 300, 60
PAID = "deposit.paid"


class Pretend:
    name = "test"
    title = worded_later("Test gateway (no real money)")
    by_hand = False

    def instructions(self, deposit: Deposit) -> Instructions:
        return Instructions(page=reverse("wallet:checkout", args=[deposit.reference]))


class BadSignature(Exception):
    """The message is not from the gateway, or not recent."""


def sign_webhook(body: bytes, at: int) -> str:
    """Return the header `X-Signature` for a body sent at that moment (Unix time, seconds)."""
    return f"t={at},v1={_mac(body, at)}"


def verify(body: bytes, header: str, now: int) -> None:
    """Raise BadSignature unless the header is a recent signature of this body."""
    parts = dict(part.partition("=")[::2] for part in header.split(","))
    moment, signature = parts.get("t", ""), parts.get("v1", "")
    if not (moment.isascii() and moment.isdigit() and len(moment) < 12 and signature.isascii()):
        raise BadSignature("There is no signature.")
    if not hmac.compare_digest(signature, _mac(body, int(moment))):
        raise BadSignature("The signature is wrong.")
    if not -EARLIEST <= now - int(moment) <= OLDEST:
        raise BadSignature("The signature is too old.")


def paid(deposit: Deposit, **changes: Any) -> bytes:
    """Return the message that the gateway sends when the player has paid, with `changes` for tests."""
    content = {
        "event": f"evt_{secrets.token_hex(8)}",
        "type": PAID,
        "reference": deposit.reference,
        "amount": deposit.amount,
        "currency": deposit.currency,
    }
    return json.dumps({**content, **changes}).encode()


def _mac(body: bytes, at: int) -> str:
    key = settings.TEST_GATEWAY_SECRET.encode()
    return hmac.new(key, f"{at}.".encode() + body, hashlib.sha256).hexdigest()
