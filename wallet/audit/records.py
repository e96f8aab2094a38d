"""Checks of the records beside the books: adjustments, audits, freezes, exports, the trail."""

from collections.abc import Callable, Iterator
from datetime import timedelta

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from wallet.audit.acknowledgements import ASK, trail_differences
from wallet.audit.books import CLOCK_TOLERANCE, MOST_STORED
from wallet.audit.clerks import clerks, limits_of_clerks
from wallet.audit_log.chain import content_mark, is_sealed
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.sealed_rows import altered_rows
from wallet.backoffice.requests import are_dependent
from wallet.base import clocks, triggers
from wallet.base.findings import WITHOUT_MONEY, Differences, Finding
from wallet.base.report_zone import midnight
from wallet.ledger.amounts import AmountsInForce
from wallet.ledger.settlement_freeze import ASK_LIFT, LIFT, found_money
from wallet.ledger.triggers import CLOSING_GUARDS
from wallet.models import (
    Account,
    AccountKind,
    Acknowledgement,
    Adjustment,
    AuditRun,
    ExportRecord,
    Freeze,
    Posting,
    Reason,
    Transfer,
)

#: The act in the trail that gives an adjustment its status.
DECIDED = {Adjustment.Status.POSTED: "adjustment.post", Adjustment.Status.REFUSED: "adjustment.refuse"}


def adjustments() -> Differences:
    """Find adjustments that differ from their request, or that were decided or posted in a wrong way."""
    for adjustment in Adjustment.objects.order_by("pk").iterator():
        subject = f"adjustment {adjustment.pk}"
        for message in (*_decision_faults(adjustment), *_posting_faults(adjustment), *_adjustment_trail(adjustment)):
            yield Finding("adjustment", subject, message)
    keys = Adjustment.objects.filter(key=OuterRef("key"))
    for posting in Posting.objects.filter(~Exists(keys), reason=Reason.ADJUST).order_by("pk").iterator():
        yield Finding("adjustment", f"posting {posting.pk} ({posting})", "adjusts a balance and nobody asked for it")


def _decision_faults(adjustment: Adjustment) -> list[str]:
    wrong = []
    waits = adjustment.status == Adjustment.Status.ASKED
    if adjustment.amount == 0:
        wrong.append("is over nothing")
    if adjustment.decided_by_id == adjustment.asked_by_id:
        wrong.append("was decided by who asked for it")
    if adjustment.decided_at is not None and are_dependent(
        adjustment.asked_by_id, adjustment.decided_by_id or 0, adjustment.decided_at
    ):
        wrong.append("was decided by two of whom one had just given the other their rights")
    if (adjustment.decided_by_id is None) != (adjustment.decided_at is None) or (
        adjustment.decided_by_id is None and adjustment.status == Adjustment.Status.REFUSED
    ):
        wrong.append("does not say by whom and when it was decided")
    if waits and (adjustment.decided_by_id is not None or adjustment.key):
        wrong.append("still waits, and is decided")
    if adjustment.decided_at is not None and adjustment.decided_at < adjustment.asked_at - CLOCK_TOLERANCE:
        wrong.append("was decided before it was asked for")
    return wrong


def _posting_faults(adjustment: Adjustment) -> list[str]:
    key = f"adjust:{adjustment.pk}" if adjustment.status == Adjustment.Status.POSTED else ""
    if adjustment.key != key:
        return [f"is {adjustment.status} under the key {adjustment.key!r}"]
    transfers = Transfer.objects.filter(posting__key=f"adjust:{adjustment.pk}", posting__reason=Reason.ADJUST)
    # By player and currency: an adjustment may come out of several accounts of the house.
    sums: dict[tuple[int | None, str], int] = {}
    for transfer in transfers.select_related():
        for account, change in ((transfer.debit, -transfer.amount), (transfer.credit, transfer.amount)):
            if account.kind == AccountKind.PLAYER:
                holder = (account.owner_id, account.currency)
                sums[holder] = sums.get(holder, 0) + change
    posted = [(*holder, change) for holder, change in sums.items()]
    expected = [(adjustment.player_id, adjustment.currency, adjustment.amount)] if key else []
    return [] if posted == expected else [f"stands for {expected}, posted is {posted}"]


def _adjustment_trail(adjustment: Adjustment) -> list[str]:
    """Return how the adjustment differs from its entries in the trail."""
    acts = AuditEntry.objects.filter(target_type="wallet.adjustment", target_id=str(adjustment.pk))
    entries = {entry.action: entry for entry in acts}
    request = entries.get("adjustment.ask")
    columns = {name: getattr(adjustment, name) for name in ("player_id", "currency", "amount", "reason")}
    if request is None:
        return ["is not in the trail"]
    wrong = [
        f"its {name} is not that of the trail" for name in columns if (request.after or {}).get(name) != columns[name]
    ]
    if request.user_id != adjustment.asked_by_id:
        wrong.append("was asked for by another, says the trail")
    alone = adjustment.status == Adjustment.Status.POSTED and adjustment.decided_by_id is None
    if alone and (request.after or {}).get("second_person"):
        wrong.append("was posted by one person, where the trail asks for a second")
    if adjustment.player_id == adjustment.decided_by_id:
        wrong.append("was decided by whose account it is")
    decision = entries.get(DECIDED.get(Adjustment.Status(adjustment.status), ""))
    if adjustment.status in DECIDED and decision is None:
        wrong.append(f"is {adjustment.status}, of which the trail knows nothing")
    elif decision is not None and adjustment.decided_by_id not in (None, decision.user_id):
        wrong.append("was decided by another, says the trail")
    elif decision is not None and adjustment.decided_by_id is not None and adjustment.decision != decision.reason:
        wrong.append("was decided for another reason, says the trail")
    return wrong


def runs() -> Differences:
    """Find audits with impossible times, a wrong number of findings, no freeze for them, or counts of rows now gone."""
    models = {"accounts": Account, "postings": Posting, "transfers": Transfer}
    counts = {name: model._default_manager.count() for name, model in models.items()}
    for run in AuditRun.objects.order_by("pk").iterator():
        subject = f"audit {run.pk}"
        if len(run.findings) != min(run.differences, MOST_STORED):
            yield Finding("audit run", subject, f"found {run.differences} and names {len(run.findings)}")
        if not clocks.in_order(run.started_at, run.ended_at, timezone.now() + CLOCK_TOLERANCE):
            yield Finding("audit run", subject, "its times are not possible")
        for name, count in counts.items():
            if getattr(run, name) > count:
                yield Finding("audit run", subject, f"counted {getattr(run, name)} {name}; now there are {count}")
        if found_money(run) and not _froze(run):
            yield Finding("audit run", subject, "found money to differ, and settlement was not frozen for it")


def _froze(run: AuditRun) -> bool:
    unlifted = Q(lifted_at=None) | Q(lifted_at__gte=run.started_at)
    in_time = Q(unlifted, since__lte=run.ended_at + CLOCK_TOLERANCE)
    return Freeze.objects.filter(in_time | Q(run=run)).exists()


def freezes() -> Differences:
    """Find lifted freezes that do not say by whom, when and why, as the trail does, and standing ones without cause."""
    for freeze in Freeze.objects.select_related("run").order_by("pk").iterator():
        subject = f"freeze {freeze.pk}"
        for message in _lifting_faults(freeze):
            yield Finding("freeze", subject, message)
        if freeze.run is not None and not freeze.reason.startswith(f"{freeze.run.differences} differences"):
            yield Finding("freeze", subject, "is not for what its audit found")
        if freeze.lifted_at is None and not _is_of_an_audit(freeze):
            yield Finding("freeze", subject, "stops settlement, and no audit began it")


def _lifting_faults(freeze: Freeze) -> Iterator[str]:
    asked, lifted = (freeze.asked_at, freeze.asked_by_id, freeze.note), (freeze.lifted_at, freeze.lifted_by_id)
    if not (all(asked) or not any(asked)) or not (all((*asked, *lifted)) or not any(lifted)):
        yield "does not say by whom, when and why it was lifted"
    if not clocks.in_order(freeze.since, freeze.asked_at, freeze.lifted_at):
        yield "was lifted before it began"
    if freeze.lifted_at is not None and (
        freeze.asked_by_id == freeze.lifted_by_id
        or are_dependent(freeze.asked_by_id or 0, freeze.lifted_by_id or 0, freeze.lifted_at)
    ):
        yield "was lifted by one person, or by two of whom one had just given the other their rights"
    acts = AuditEntry.objects.filter(target_type="wallet.freeze", target_id=str(freeze.pk)).order_by("pk")
    entries = {entry.action: (entry.user_id, entry.reason) for entry in acts}
    for act, by, why in (
        (ASK_LIFT, freeze.asked_by_id, freeze.note),
        (LIFT, freeze.lifted_by_id, None),
    ):
        entry = entries.get(act)
        if (entry is not None) != (by is not None):
            yield "is lifted by its row or by the trail, not by both"
        elif entry is not None and (entry[0] != by or why not in (None, entry[1])):
            yield "was lifted by another or for another reason, says the trail"


def _is_of_an_audit(freeze: Freeze) -> bool:
    """Return whether the audit that it names found something new and began this freeze alone, as each does."""
    run = freeze.run
    others = Freeze.objects.filter(run_id=freeze.run_id, pk__lt=freeze.pk)
    return run is not None and found_money(run) and not others.exists()


def exports() -> Differences:
    """Find exports that differ between trail and list, or whose transfers no longer all exist."""
    for export in ExportRecord.objects.order_by("pk").iterator():
        subject = f"export {export.pk}"
        entry = AuditEntry.objects.filter(
            target_type="wallet.exportrecord", target_id=str(export.pk), action="ledger.export"
        ).first()
        if entry is None:
            yield Finding("export", subject, "is not in the trail")
            continue
        after = entry.after or {}
        fields = ("first_day", "last_day", "currency", "format", "rows", "as_of", "digest")
        columns = [name for name in fields if str(after.get(name)) != str(getattr(export, name))]
        if columns or entry.user_id != export.by_id:
            yield Finding("export", subject, f"differs from the trail: {', '.join(columns) or 'by'}")
        transfers = Transfer.objects.filter(
            pk__lte=export.as_of, posting__created_at__gte=midnight(export.first_day),
            posting__created_at__lt=midnight(export.last_day + timedelta(days=1)),
        )  # fmt: skip
        if export.currency:
            transfers = transfers.filter(debit__currency=export.currency)
        if (present := transfers.count()) < export.rows:
            yield Finding("export", subject, f"took {export.rows} rows of which {present} are left")
    unrecorded = AuditEntry.objects.filter(action="ledger.export").exclude(
        target_id__in=[str(pk) for pk in ExportRecord.objects.values_list("pk", flat=True)]
    )
    for record in unrecorded:
        yield Finding("export", f"export {record.target_id}", "is in the trail and not in the list")


def trail() -> Differences:
    """Find entries with a wrong or repeated seal, a wrong date, or without their predecessor or their user."""
    hashes: set[str] = {""}
    latest = None
    for record in AuditEntry.objects.order_by("pk").iterator():
        subject = f"entry {record.pk} ({record})"
        if not is_sealed(record):
            yield Finding("trail", subject, f"does not bear the seal due to it, and says {content_mark(record)}")
        if record.hash in hashes:
            yield Finding("trail", subject, "is there twice")
        if record.previous_hash not in hashes:
            yield Finding("trail", subject, "follows an entry that is not there any more")
        if latest is not None and record.at < latest - CLOCK_TOLERANCE and not clocks.explains(latest, record.at):
            yield Finding("trail", subject, "is dated before its predecessor")
        hashes.add(record.hash)
        latest = record.at
    users = get_user_model()._default_manager.filter(pk=OuterRef("user_id"))
    for record in AuditEntry.objects.filter(~Exists(users), user__isnull=False):
        yield Finding("trail", f"entry {record.pk}", "was done by nobody there is")


def acts() -> Differences:
    """Find freezes and adjustments of which only the trail has a record."""
    lifted = AuditEntry.objects.filter(action=LIFT).values_list("target_id", flat=True)
    freezes = {str(pk) for pk in Freeze.objects.values_list("pk", flat=True)}
    for pk in lifted:
        if pk not in freezes:
            yield Finding("freeze", f"freeze {pk}", "was lifted and is not there")
    adjustments = {str(pk) for pk in Adjustment.objects.values_list("pk", flat=True)}
    for pk in AuditEntry.objects.filter(action="adjustment.ask").values_list("target_id", flat=True):
        if pk not in adjustments:
            yield Finding("adjustment", f"adjustment {pk}", "was asked for and is not there")


def finished_rows_are_unchanged() -> Differences:
    """Find rows that were changed, deleted or inserted after the sealing of rows that were over."""
    for subject, fault in altered_rows():
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
    for pk in AuditEntry.objects.filter(action=ASK).values_list("target_id", flat=True):
        if pk not in existing:
            yield Finding("acknowledgement", f"acknowledgement {pk}", "was asked for and is not there")


def standing_guards() -> Differences:
    guards = [*triggers.append_only(*triggers.APPEND_ONLY), *CLOSING_GUARDS]
    for name in triggers.missing(connection, guards):
        yield Finding("guard", name, "does not stand in the database")


WITHOUT_MONEY.update(("finished row", "export", "acknowledgement", "limit", "exclusion"))

ALL: tuple[Callable[[], Differences], ...] = (
    adjustments,
    clerks,
    limits_of_clerks,
    runs,
    freezes,
    exports,
    acts,
    trail,
    finished_rows_are_unchanged,
    grants,
    acknowledgements,
    standing_guards,
)
