"""Acknowledging a difference: one of the staff requests it, another decides, and the trail records both.

An acknowledgement is for the exact words of a finding; with any change it is a new difference.
"""

import hashlib
import json

from django.db import transaction
from django.utils import timezone

from wallet.audit_log.chain import is_sealed
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor, record
from wallet.backoffice.requests import are_dependent, check_second_person
from wallet.base.errors import WalletError
from wallet.models import Acknowledgement

ASK, CONFIRM, REFUSE = "acknowledgement.ask", "acknowledgement.confirm", "acknowledgement.refuse"
#: The act in the trail by which an acknowledgement got its status.
DECIDED: dict[str, str] = {Acknowledgement.Status.KNOWN: CONFIRM, Acknowledgement.Status.REFUSED: REFUSE}
_KIND = Acknowledgement._meta.label_lower


def finding_digest(check: str, subject: str, message: str) -> str:
    """Return the SHA-256 of the finding, in hex."""
    return hashlib.sha256(json.dumps([check, subject, message]).encode()).hexdigest()


@transaction.atomic
def request_acknowledgement(*, check: str, subject: str, message: str, reason: str, actor: Actor) -> Acknowledgement:
    """Request that the difference be acknowledged; return the first request if there is one already.

    WalletError `no_reason`, `no_person`; `decided` where it was refused.
    """
    if not reason.strip():
        raise WalletError("no_reason", "Say why this difference may stand.")
    if actor.user is None:
        raise WalletError("no_person", "A difference is acknowledged by people.")
    row, created = Acknowledgement.objects.get_or_create(
        digest=finding_digest(check, subject, message),
        defaults={
            "check_name": check, "subject": subject, "message": message, "reason": reason.strip()[:500],
            "asked_by_id": actor.user.pk, "asked_at": timezone.now(),
        },
    )  # fmt: skip
    if row.status == Acknowledgement.Status.REFUSED:
        raise WalletError("decided", "It was refused to acknowledge this difference.")
    if created:
        record(actor, ASK, row, reason=row.reason, after={"digest": row.digest})
    return row


def confirm_known(request: Acknowledgement, reason: str, actor: Actor) -> None:
    """Acknowledge the difference. WalletError as `check_second_person`, `decided`."""
    _decide(request, Acknowledgement.Status.KNOWN, reason, actor)


def refuse_known(request: Acknowledgement, reason: str, actor: Actor) -> None:
    """Refuse to acknowledge the difference: it still freezes settlement. WalletError as `confirm_known`."""
    _decide(request, Acknowledgement.Status.REFUSED, reason, actor)


@transaction.atomic
def _decide(request: Acknowledgement, status: Acknowledgement.Status, reason: str, actor: Actor) -> None:
    row = Acknowledgement.objects.select_for_update().get(pk=request.pk)
    decider = check_second_person(row.asked_by_id, actor, "own_acknowledgement")
    if row.status != Acknowledgement.Status.ASKED:
        raise WalletError("decided", f"This is {row.get_status_display()} already.")
    row.status, row.decision = status, reason.strip()[:500]
    row.decided_by_id, row.decided_at = decider, timezone.now()
    row.save()
    record(actor, DECIDED[status], row, reason=row.decision, before={"status": "asked"}, after={"digest": row.digest})


def acknowledged_differences() -> dict[str, Acknowledgement]:
    """Return the differences that two people have acknowledged, by digest; only those that the trail confirms."""
    rows = Acknowledgement.objects.filter(status=Acknowledgement.Status.KNOWN)
    return {row.digest: row for row in rows.select_related("asked_by", "decided_by") if not trail_differences(row)}


def trail_differences(row: Acknowledgement) -> list[tuple[str, str]]:
    """Return what its sealed entries in the trail make expected of the row, and what was found; empty where it fits."""
    wrong: list[tuple[str, str]] = []
    people = f"{row.asked_by_id} and {row.decided_by_id}"
    if row.digest != finding_digest(row.check_name, row.subject, row.message):
        wrong.append(("the digest of the difference that it names", row.digest[:16]))
    if row.asked_by_id == row.decided_by_id:
        wrong.append(("a decision by another than who asked", people))
    if row.decided_at is not None and are_dependent(row.asked_by_id, row.decided_by_id or 0, row.decided_at):
        wrong.append(("two people of whom neither had just given the other their rights", people))
    expected: dict[str, tuple[int | None, str]] = {ASK: (row.asked_by_id, row.reason)}
    if row.status != Acknowledgement.Status.ASKED:
        expected[DECIDED.get(row.status, row.status)] = (row.decided_by_id, row.decision)
    entries = AuditEntry.objects.filter(target_type=_KIND, target_id=str(row.pk)).order_by("-pk")
    recorded = {entry.action: entry for entry in entries if is_sealed(entry)}
    wrong += [(f"{act} in the trail", "none") for act in expected.keys() - recorded.keys()]
    wrong += [(f"{act} in the row, as the trail tells", "none") for act in recorded.keys() - expected.keys()]
    for act in expected.keys() & recorded.keys():
        entry = recorded[act]
        if (entry.user_id, entry.reason, (entry.after or {}).get("digest")) != (*expected[act], row.digest):
            told = f"{act} by {entry.user_id} for {entry.reason!r}, as the trail tells"
            wrong.append((told, f"{expected[act][0]} for {expected[act][1]!r}"))
    return sorted(wrong)
