"""Requests that take two people: each row against its acts in the trail, and those that acknowledge a difference.

An acknowledgement is for the exact words of a finding; with any change it is a new difference. That a check broke off
is never acknowledged: what else it would have found is unknown.
"""

import hashlib
import json

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from wallet.audit.books import CLOCK_TOLERANCE
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor, has_right_hash, row_mark
from wallet.backoffice.requests import are_dependent, ask, decide, person, undecided
from wallet.base.errors import WalletError
from wallet.base.findings import ALTERED, BROKE_OFF, MISSING, WITHOUT_MONEY, Differences, ExpectedFound, Finding
from wallet.base.requests import TwoPersonRequest
from wallet.base.texts import visible
from wallet.models import Acknowledgement

Status = TwoPersonRequest.Status
#: Who must decide together. A decision of two others has moved its money as it says, and may be older than this rule.
TWO_PEOPLE = "two people whose rights did not just come from one of them, or from the same person"
_SECOND_PERSON = "second person"
WITHOUT_MONEY.add(_SECOND_PERSON)
_ACTS: dict[str, str] = {Status.GRANTED: "grant", Status.REFUSED: "refuse"}


def requests() -> Differences:
    """Find requests that differ from the trail, or were decided by one person, and those of which only it knows."""
    for kind in TwoPersonRequest.__subclasses__():
        existing = set()
        for row in kind._default_manager.order_by("pk").iterator():
            existing.add(str(row.pk))
            for due, held in request_faults(row):
                yield Finding(
                    check_of(row.NAME, due), f"{row.NAME} {row.pk}", ALTERED, due, f"{held} in {row_mark(row)}"
                )
        asked = AuditEntry.objects.filter(action=f"{kind.NAME}.ask").order_by("pk")
        for pk in asked.values_list("target_id", flat=True):
            if pk not in existing:
                due = "the row that the trail tells to be asked for"
                yield Finding(kind.NAME, f"{kind.NAME} {pk}", MISSING, due, "none")


def check_of(name: str, due: str) -> str:
    """Return the check that finds what was due in such a row: that of the two people is one of its own."""
    return _SECOND_PERSON if due == TWO_PEOPLE else name


def request_faults(row: TwoPersonRequest) -> list[ExpectedFound]:
    """Return how the request differs from the trail, or breaks the rule of two people; empty where it does not."""
    return sorted([*_of_two_people(row), *_beside_trail(row)])


def _of_two_people(row: TwoPersonRequest) -> list[ExpectedFound]:
    wrong: list[ExpectedFound] = []
    by, at, people = row.decided_by_id, row.decided_at, f"{row.asked_by_id} and {row.decided_by_id}"
    if by in (row.asked_by_id, getattr(row, "player_id", 0)):
        wrong.append(("a decision by another than who asked, and whose account it is", people))
    elif by is not None and at is not None and are_dependent(row.asked_by_id, by, at):
        wrong.append((TWO_PEOPLE, people))
    early = row.status == Status.ASKED and (by or row.decision_reason)
    if (by is None) != (at is None) or early or (row.status == Status.REFUSED and not by):
        wrong.append(("who decided, and when", f"{by} at {at} for one that is {row.status}"))
    if at is not None and at < row.asked_at - CLOCK_TOLERANCE:
        wrong.append((f"a decision after {row.asked_at}", f"{at}"))
    return wrong


def _beside_trail(row: TwoPersonRequest) -> list[ExpectedFound]:
    asking = f"{row.NAME}.ask"
    expected: dict[str, tuple[int | None, str]] = {asking: (row.asked_by_id, row.reason)}
    alone = row.status == Status.GRANTED and row.decided_by_id is None
    if row.status != Status.ASKED:
        decided = expected[asking] if alone else (row.decided_by_id, row.decision_reason)
        expected[f"{row.NAME}.{_ACTS.get(row.status, row.status)}"] = decided
    entries = AuditEntry.objects.filter(target_type=row._meta.label_lower, target_id=str(row.pk)).order_by("-pk")
    recorded = {entry.action: entry for entry in entries if has_right_hash(entry)}
    wrong = [(f"{act} in the trail", "none") for act in expected.keys() - recorded.keys()]
    wrong += [(f"{act} in the row, as the trail tells", "none") for act in recorded.keys() - expected.keys()]
    for act in expected.keys() & recorded.keys():
        told = (recorded[act].user_id, recorded[act].reason)
        if told != expected[act]:
            due = f"{act} by {told[0]} for {told[1]!r}, as the trail tells"
            wrong.append((due, f"{expected[act][0]} for {expected[act][1]!r}"))
    asked = getattr(recorded.get(asking), "after", None) or {}
    for name in row.FACTS:
        if asked.get(name) != (held := getattr(row, name)):
            wrong.append((f"the {name} {asked.get(name)} of the trail", f"{held}"))
    if alone and asked.get("second_person"):
        wrong.append(("a second person, as the trail asks", "none"))
    return wrong


def finding_digest(check: str, subject: str, message: str) -> str:
    """Return the SHA-256 of the finding, in hex."""
    return hashlib.sha256(json.dumps([check, subject, message]).encode()).hexdigest()


def count_waiting(by: AbstractBaseUser) -> int:
    """Count the waiting acknowledgements that this person may decide."""
    return undecided(by, Acknowledgement.objects.all()).count()


@transaction.atomic
def request_acknowledgement(*, check: str, subject: str, message: str, reason: str, actor: Actor) -> Acknowledgement:
    """Request that the difference be acknowledged; return the first request if there is one already.

    WalletError `no_reason`, `no_person`, `broke_off`; `decided` where it was refused.
    """
    if check == BROKE_OFF:
        raise WalletError(
            "broke_off", "This check broke off, so nobody knows what else is wrong. Mend the rows it reads."
        )
    if not visible(reason):
        raise WalletError("no_reason", "Say why this difference may stand.")
    row, created = Acknowledgement.objects.get_or_create(
        digest=finding_digest(check, subject, message),
        defaults={
            "check_name": check, "subject": subject, "message": message, "reason": reason.strip()[:500],
            "asked_by_id": person(actor).pk,
        },
    )  # fmt: skip
    if row.status == Status.REFUSED:
        raise WalletError("decided", "It was refused to acknowledge this difference.")
    if created:
        ask(row, actor, second="Two people acknowledge a difference.", grant=lambda _: {})
    return row


def grant(row: Acknowledgement, reason: str, actor: Actor) -> Acknowledgement:
    """Acknowledge the difference. WalletError as `decide`."""
    return decide(row, Status.GRANTED, reason, actor, lambda _: {})


def refuse(row: Acknowledgement, reason: str, actor: Actor) -> Acknowledgement:
    """Refuse to acknowledge the difference: it still freezes settlement. WalletError as `decide`."""
    return decide(row, Status.REFUSED, reason, actor, lambda _: {})


def acknowledged_differences() -> dict[str, Acknowledgement]:
    """Return the differences that two people have acknowledged, by digest; only those that the trail confirms.

    One of two who now count as one holds as well: it may be older than that rule, and is named by its check.
    """
    rows = Acknowledgement.objects.filter(status=Status.GRANTED).select_related("asked_by", "decided_by")
    return {row.digest: row for row in rows if all(due == TWO_PEOPLE for due, _ in request_faults(row))}
