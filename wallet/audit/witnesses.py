"""Checks of the books against their witnesses: amounts in force, rows that were over, acknowledged differences.

See `wallet.witness`: what a witness says was sealed when it held.
"""

from collections.abc import Callable

from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM, record
from wallet.base.findings import Differences, Finding
from wallet.models import Reason, Transfer
from wallet.witness import finished_rows, statements
from wallet.witness.acknowledgements import ASK, trail_differences
from wallet.witness.amounts import AmountsInForce
from wallet.witness.models import Acknowledgement, Witness

#: The act by which the trail records the latest witness, so that their end cannot be cut off.
LATEST_WITNESS = "witness.reach"


def link_witnesses() -> None:
    """Record the latest witness in the trail, if that is not done yet."""
    latest = Witness.objects.order_by("-pk").first()
    entry = AuditEntry.objects.filter(what=LATEST_WITNESS).order_by("-pk").first()
    if latest is not None and (entry is None or entry.object_id != str(latest.pk)):
        record(PLATFORM, LATEST_WITNESS, latest, after={"seal": latest.seal})


def witnesses() -> Differences:
    """Find witnesses with a wrong or repeated seal, without their predecessor, or cut off the end."""
    for witness, fault in statements.broken_witnesses():
        yield Finding("witness", f"witness {witness.pk} ({witness})", fault)
    seals = dict(Witness.objects.values_list("pk", "seal"))
    for pk, after in AuditEntry.objects.filter(what=LATEST_WITNESS).order_by("pk").values_list("object_id", "after"):
        if seals.get(int(pk)) != (after or {}).get("seal"):
            yield Finding("witness", f"witness {pk}", "is not there any more as the trail knows it")


def finished_rows_are_unchanged() -> Differences:
    """Find rows that were changed, deleted or inserted after the sealing of rows that were over."""
    for subject, fault in finished_rows.altered_rows():
        yield Finding("finished row", subject, fault)


def grants() -> Differences:
    """Find welcome chips and refills that differ from the settings in force at their time.

    A refill fills up to a level: the balance afterwards is not above it.
    """
    in_force = AmountsInForce()
    rows = Transfer.objects.filter(posting__reason__in=[Reason.SIGN_UP, Reason.REFILL]).order_by("pk")
    columns = ("pk", "posting_id", "posting__created_at", "posting__reason", "amount", "credit_balance")
    for pk, posting, made_at, reason, amount, balance in rows.values_list(*columns).iterator(chunk_size=5000):
        welcome = reason == Reason.SIGN_UP
        values = in_force.possible(posting, made_at, "SIGN_UP_CHIPS" if welcome else "REFILL_LEVEL")
        if values is not None and (amount not in values if welcome else balance > max(values)):
            gives = f"gives {amount}" if welcome else f"fills up to {balance}"
            setting = " or ".join(map(str, sorted(values)))
            yield Finding("grant", f"transfer {pk} of posting {posting}", f"{gives}; {setting} was in force")


def acknowledgements() -> Differences:
    """Find acknowledgements that differ from the trail, or are only there."""
    for row in Acknowledgement.objects.order_by("pk").iterator():
        for message in trail_differences(row):
            yield Finding("acknowledgement", f"acknowledgement {row.pk}", message)
    existing = {str(pk) for pk in Acknowledgement.objects.values_list("pk", flat=True)}
    for pk in AuditEntry.objects.filter(what=ASK).values_list("object_id", flat=True):
        if pk not in existing:
            yield Finding("acknowledgement", f"acknowledgement {pk}", "was asked for and is not there")


ALL: tuple[Callable[[], Differences], ...] = (witnesses, finished_rows_are_unchanged, grants, acknowledgements)
