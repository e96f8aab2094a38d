"""Messages of the test gateway: verified, applied only once, and stored with their outcome.

A payment that may not enter a balance waits in suspense. A payment in a currency without books is not accepted: our
answer makes the gateway send it back.
"""

import hashlib
import json
import logging
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from wallet.base.errors import KeyReused, WalletError
from wallet.base.money import LARGEST_AMOUNT, REAL
from wallet.payments import deposits, suspense
from wallet.payments.identity import eligibility
from wallet.payments.models import Deposit, GatewayEvent, SuspenseItem
from wallet.payments.providers.test import PAID, BadSignature, Pretend, verify

log = logging.getLogger(__name__)
Outcome = GatewayEvent.Outcome
_LONGEST = {"event": 60, "type": 40, "reference": 40, "currency": 3}


class BadMessage(WalletError):
    status = 400

    def __init__(self, message: str) -> None:
        super().__init__("bad_message", message)


class TooLong(WalletError):
    status = 413

    def __init__(self) -> None:
        super().__init__("too_long", "A message is short.")


class NotSigned(WalletError):
    status = 401

    def __init__(self, message: str) -> None:
        super().__init__("bad_signature", message)


def receive(body: bytes, signature: str) -> GatewayEvent:
    """Apply or refuse the event once, and store it; return the stored one if it is sent again.

    NotSigned and BadMessage for messages that are not from our gateway, KeyReused for a known event with other
    content: none of these is stored.
    """
    try:
        verify(body, signature, int(timezone.now().timestamp()))
    except BadSignature as error:
        log.warning("refused webhook: %s", error)
        raise NotSigned(str(error)) from error
    content = _read(body)
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    try:
        event = _once(content, digest)
    except IntegrityError:
        # The same event was received twice at once, and the other request was faster.
        event = GatewayEvent.objects.get(gateway=Pretend.name, event=content["event"])
    if event.digest != digest:
        raise KeyReused(event.event)
    return event


def _lock_deposit(reference: str) -> Deposit | None:
    deposits = Deposit.objects.select_for_update(of=("self",)).select_related("player")
    return deposits.filter(gateway=Pretend.name, reference=reference).first()


@transaction.atomic
def _once(content: dict[str, Any], digest: str) -> GatewayEvent:
    deposit = _lock_deposit(content["reference"])
    earlier = GatewayEvent.objects.filter(gateway=Pretend.name, event=content["event"]).first()
    if earlier is not None:
        return earlier
    outcome = _outcome(deposit, content)
    if outcome == Outcome.APPLIED and deposit is not None:
        deposits.credit(deposit)
    event = GatewayEvent.objects.create(
        gateway=Pretend.name, event=content["event"], at=timezone.now(), kind=content["type"], digest=digest,
        reference=content["reference"], amount=content["amount"], currency=content["currency"],
        outcome=outcome, deposit=deposit,
    )  # fmt: skip
    if outcome in SuspenseItem.Why.values:
        suspense.set_aside_event(event, deposit.player if deposit else None)
    return event


def where(event: GatewayEvent) -> str:
    """Return where the payment is now: `balance`, `suspense`, `back` at the gateway; `nowhere` if nothing was paid."""
    if event.outcome == Outcome.IGNORED:
        return "nowhere"
    if event.outcome == Outcome.APPLIED:
        return "balance"
    return "suspense" if event.outcome in SuspenseItem.Why.values else "back"


def _outcome(deposit: Deposit | None, content: dict[str, Any]) -> str:
    if content["type"] != PAID:
        return Outcome.IGNORED
    if content["currency"] not in REAL:
        return Outcome.CURRENCY
    if deposit is None:
        return Outcome.UNKNOWN
    if deposit.amount != content["amount"]:
        return Outcome.AMOUNT
    if deposit.status != Deposit.Status.ASKED:
        return Outcome.CLOSED
    return Outcome.NOT_ELIGIBLE if eligibility.obstacle(deposit.player) else Outcome.APPLIED


def _read(body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body)
    except ValueError as error:
        raise BadMessage("The body is no JSON.") from error
    if not isinstance(content, dict) or content.keys() != {*_LONGEST, "amount"}:
        raise BadMessage(f"A message has {', '.join(sorted({*_LONGEST, 'amount'}))} and nothing else.")
    for name, longest in _LONGEST.items():
        value = content[name]
        if not isinstance(value, str) or not 0 < len(value) <= longest or not value.isprintable():
            raise BadMessage(f"{name} is a text of at most {longest} characters.")
    if type(content["amount"]) is not int or not 1 <= content["amount"] <= LARGEST_AMOUNT:
        raise BadMessage("amount is a whole number of the smallest unit.")
    return content
