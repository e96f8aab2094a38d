"""Acknowledging a difference: one of the staff requests it, another decides, and the trail records both.

An acknowledgement is for the exact words of a finding; with any change it is a new difference. That a check broke off
is never acknowledged: what else it would have found is unknown.
"""

import hashlib
import json

from django.db import transaction

from wallet.audit.requests import request_faults
from wallet.audit_log.services import Actor
from wallet.backoffice import requests
from wallet.base.errors import WalletError
from wallet.base.findings import BROKE_OFF
from wallet.models import Acknowledgement

Status = Acknowledgement.Status


def finding_digest(check: str, subject: str, message: str) -> str:
    """Return the SHA-256 of the finding, in hex."""
    return hashlib.sha256(json.dumps([check, subject, message]).encode()).hexdigest()


@transaction.atomic
def request_acknowledgement(*, check: str, subject: str, message: str, reason: str, actor: Actor) -> Acknowledgement:
    """Request that the difference be acknowledged; return the first request if there is one already.

    WalletError `no_reason`, `no_person`, `broke_off`; `decided` where it was refused.
    """
    if check == BROKE_OFF:
        raise WalletError(
            "broke_off", "This check broke off, so nobody knows what else is wrong. Mend the rows it reads."
        )
    if not reason.strip():
        raise WalletError("no_reason", "Say why this difference may stand.")
    row, created = Acknowledgement.objects.get_or_create(
        digest=finding_digest(check, subject, message),
        defaults={
            "check_name": check, "subject": subject, "message": message, "reason": reason.strip()[:500],
            "asked_by_id": requests.person(actor).pk,
        },
    )  # fmt: skip
    if row.status == Status.REFUSED:
        raise WalletError("decided", "It was refused to acknowledge this difference.")
    if created:
        requests.ask(row, actor, second="Two people acknowledge a difference.", grant=lambda _: {})
    return row


def grant(row: Acknowledgement, reason: str, actor: Actor) -> Acknowledgement:
    """Acknowledge the difference. WalletError as `requests.decide`."""
    return requests.decide(row, Status.GRANTED, reason, actor, lambda _: {})


def refuse(row: Acknowledgement, reason: str, actor: Actor) -> Acknowledgement:
    """Refuse to acknowledge the difference: it still freezes settlement. WalletError as `requests.decide`."""
    return requests.decide(row, Status.REFUSED, reason, actor, lambda _: {})


def acknowledged_differences() -> dict[str, Acknowledgement]:
    """Return the differences that two people have acknowledged, by digest; only those that the trail confirms."""
    rows = Acknowledgement.objects.filter(status=Status.GRANTED).select_related("asked_by", "decided_by")
    return {row.digest: row for row in rows if not request_faults(row)}
