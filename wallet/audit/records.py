"""Checks of the records beside the books: adjustments, grants, audits, freezes, exports, the trail."""

from collections import deque
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import takewhile
from typing import NamedTuple

from django.contrib.auth import get_user_model
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from wallet.adjustments import DAY
from wallet.audit.books import CLOCK_TOLERANCE, MOST_STORED
from wallet.audit.requests import TWO_PEOPLE, check_of, requests
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.row_marks import altered_rows
from wallet.audit_log.services import content_mark, has_right_hash, json_digest, row_mark
from wallet.backoffice.requests import are_dependent
from wallet.base import triggers
from wallet.base.findings import (
    ALTERED,
    DUPLICATED,
    MISSING,
    UNSIGNED,
    WITHOUT_MONEY,
    Differences,
    ExpectedFound,
    Finding,
    excuses,
    in_order,
    missing_triggers,
)
from wallet.base.money import display
from wallet.base.report_zone import midnight
from wallet.ledger.amounts import AmountsInForce
from wallet.ledger.settlement_freeze import ASK_LIFT, LIFT, found_money
from wallet.models import Account, AccountKind, Adjustment, AuditRun, ExportRecord, Freeze, Posting, Reason, Transfer

_ALONE = {"status": Adjustment.Status.GRANTED, "decided_by": None}


def adjustments() -> Differences:
    """Find adjustments whose posting says something else, and postings of adjustments that nobody has asked for."""
    for adjustment in Adjustment.objects.order_by("pk").iterator():
        for due, held in _posting_faults(adjustment):
            yield Finding(
                "adjustment", f"adjustment {adjustment.pk}", ALTERED, due, f"{held} in {row_mark(adjustment)}"
            )
    keys = Adjustment.objects.filter(posting_key=OuterRef("key"))
    for posting in Posting.objects.filter(~Exists(keys), reason=Reason.ADJUST).order_by("pk").iterator():
        yield Finding("adjustment", f"posting {posting.pk} ({posting})", MISSING, "the request for it", "none")


def _posting_faults(adjustment: Adjustment) -> list[ExpectedFound]:
    key = f"adjust:{adjustment.pk}" if adjustment.status == Adjustment.Status.GRANTED else ""
    if adjustment.posting_key != key:
        return [(f"the key {key!r} of one that is {adjustment.status}", f"{adjustment.posting_key!r}")]
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
    return [] if posted == expected else [(f"{expected} posted", f"{posted}")]


def runs() -> Differences:
    """Find audits with impossible times, a wrong number of findings, no freeze for them, or counts of rows now gone."""
    models = {"accounts": Account, "postings": Posting, "transfers": Transfer}
    counts = {name: model._default_manager.count() for name, model in models.items()}
    for run in AuditRun.objects.order_by("pk").iterator():
        subject = f"audit {run.pk}"
        if len(run.findings) != min(run.differences, MOST_STORED):
            yield Finding("audit run", subject, ALTERED, f"{run.differences} findings", f"{_some(run.findings)}")
        if not in_order(run.started_at, run.ended_at, timezone.now() + CLOCK_TOLERANCE):
            yield Finding(
                "audit run", subject, ALTERED, "a beginning before its end", f"{run.started_at}, {run.ended_at}"
            )
        for name, count in counts.items():
            if getattr(run, name) > count:
                yield Finding("audit run", subject, MISSING, f"{getattr(run, name)} {name}, as it counted", f"{count}")
        if found_money(run) and not _froze(run):
            yield Finding(
                "audit run", subject, MISSING, "a freeze, as money differed", f"none for {_some(run.findings)}"
            )


def _some(findings: list[dict[str, str]]) -> str:
    return f"{len(findings)} findings of the digest {json_digest(findings)[:16]}"


def _froze(run: AuditRun) -> bool:
    unlifted = Q(lifted_at=None) | Q(lifted_at__gte=run.started_at)
    in_time = Q(unlifted, since__lte=run.ended_at + CLOCK_TOLERANCE)
    return Freeze.objects.filter(in_time | Q(run=run)).exists()


def freezes() -> Differences:
    """Find lifted freezes that do not say by whom, when and why, as the trail does, and standing ones without cause."""
    for freeze in Freeze.objects.select_related("run").order_by("pk").iterator():
        subject = f"freeze {freeze.pk}"
        faults = list(_lifting_faults(freeze))
        if freeze.run is not None and not freeze.reason.startswith(f"{freeze.run.differences} differences"):
            faults.append((f"a freeze for {freeze.run.differences} differences", repr(freeze.reason)))
        if freeze.lifted_at is None and not _is_of_an_audit(freeze):
            faults.append(("an audit that began it", f"none since {freeze.since}"))
        for due, held in faults:
            yield Finding(check_of("freeze", due), subject, ALTERED, due, f"{held} in {row_mark(freeze)}")


def _lifting_faults(freeze: Freeze) -> Iterator[ExpectedFound]:
    asked, lifted = (freeze.asked_at, freeze.asked_by_id, freeze.note), (freeze.lifted_at, freeze.lifted_by_id)
    if not (all(asked) or not any(asked)) or not (all((*asked, *lifted)) or not any(lifted)):
        yield "by whom, when and why it was lifted", f"{[*asked, *lifted]}"
    if not in_order(freeze.since, freeze.asked_at, freeze.lifted_at):
        yield f"to be lifted after {freeze.since}", f"{freeze.asked_at}, {freeze.lifted_at}"
    if freeze.lifted_at is not None:
        people = f"{freeze.asked_by_id} and {freeze.lifted_by_id}"
        if freeze.asked_by_id == freeze.lifted_by_id:
            yield "to be lifted by another than who asked", people
        elif are_dependent(freeze.asked_by_id or 0, freeze.lifted_by_id or 0, freeze.lifted_at):
            yield TWO_PEOPLE, people
    acts = AuditEntry.objects.filter(target_type="wallet.freeze", target_id=str(freeze.pk)).order_by("pk")
    entries = {entry.action: (entry.user_id, entry.reason) for entry in acts}
    for act, by, why in ((ASK_LIFT, freeze.asked_by_id, freeze.note), (LIFT, freeze.lifted_by_id, None)):
        entry = entries.get(act)
        if (entry is not None) != (by is not None):
            yield f"{act} in both row and trail", "one of them" if entry is None else f"the trail's by {entry[0]}"
        elif entry is not None and (entry[0] != by or why not in (None, entry[1])):
            yield f"{act} by {entry[0]} for {entry[1]!r}, as the trail tells", f"{by} for {why!r}"


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
            yield Finding("export", subject, MISSING, "its act in the trail", f"none for {row_mark(export)}")
            continue
        after = entry.after or {}
        fields = ("first_day", "last_day", "currency", "format", "rows", "as_of", "digest")
        told = {**{name: str(after.get(name)) for name in fields}, "by": str(entry.user_id)}
        held = {**{name: str(getattr(export, name)) for name in fields}, "by": str(export.by_id)}
        if others := [name for name in told if told[name] != held[name]]:
            due, found = (", ".join(f"{name} {each[name]}" for name in others) for each in (told, held))
            yield Finding("export", subject, ALTERED, f"{due}, as the trail tells", found)
        transfers = Transfer.objects.filter(
            pk__lte=export.as_of, posting__created_at__gte=midnight(export.first_day),
            posting__created_at__lt=midnight(export.last_day + timedelta(days=1)),
        )  # fmt: skip
        if export.currency:
            transfers = transfers.filter(debit__currency=export.currency)
        if (present := transfers.count()) < export.rows:
            yield Finding("export", subject, MISSING, f"the {export.rows} rows that it took", f"{present}")
    unrecorded = AuditEntry.objects.filter(action="ledger.export").exclude(
        target_id__in=[str(pk) for pk in ExportRecord.objects.values_list("pk", flat=True)]
    )
    for record in unrecorded:
        yield Finding("export", f"export {record.target_id}", MISSING, "the row of which the trail tells", "none")


def trail() -> Differences:
    """Find entries with a wrong or repeated hash, a wrong date, or without their predecessor or their user."""
    hashes: set[str] = {""}
    latest = None
    for record in AuditEntry.objects.order_by("pk").iterator():
        subject, mark = f"entry {record.pk} ({record})", content_mark(record)
        if not has_right_hash(record):
            yield Finding("trail", subject, UNSIGNED, "the link due to it", f"{record.hash[:16]} on {mark}")
        if record.hash in hashes:
            yield Finding("trail", subject, DUPLICATED, "one entry with its link", f"another, which says {mark}")
        if record.previous_hash not in hashes:
            before = f"the entry before it, of the link {record.previous_hash[:16]}"
            yield Finding("trail", subject, MISSING, before, "none")
        if latest is not None and record.at < latest - CLOCK_TOLERANCE and not excuses(latest, record.at):
            yield Finding("trail", subject, ALTERED, f"a date after {latest}", f"{record.at}")
        hashes.add(record.hash)
        latest = record.at
    users = get_user_model()._default_manager.filter(pk=OuterRef("user_id"))
    for record in AuditEntry.objects.filter(~Exists(users), user__isnull=False):
        yield Finding("trail", f"entry {record.pk}", MISSING, f"the person {record.user_id}", "nobody")


def acts() -> Differences:
    """Find freezes of which only the trail has a record."""
    lifted = AuditEntry.objects.filter(action=LIFT).values_list("target_id", flat=True)
    freezes = {str(pk) for pk in Freeze.objects.values_list("pk", flat=True)}
    for pk in lifted:
        if pk not in freezes:
            yield Finding("freeze", f"freeze {pk}", MISSING, "the row that the trail tells to be lifted", "none")


def finished_rows_are_unchanged() -> Differences:
    """Find rows that were changed, deleted or inserted after they were marked."""
    for row in altered_rows():
        fault = ALTERED if row.due and row.found else MISSING if row.due else UNSIGNED
        expected = (
            f"what was sealed on {row.marked_on}, of the digest {row.due}"
            if row.due
            else "a seal from when it was written"
        )
        yield Finding("finished row", row.name, fault, expected, row.found or "nothing")


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
            due = f"{'' if welcome else 'a balance after it of at most '}{' or '.join(map(str, sorted(values)))}"
            subject = f"transfer {pk} of posting {posting}"
            yield Finding("grant", subject, ALTERED, f"{due}, as was in force", f"{amount if welcome else balance}")


def append_only_triggers() -> Differences:
    return missing_triggers(triggers.append_only(*triggers.APPEND_ONLY))


def single_person_adjustments() -> Differences:
    """Find adjustments that needed a second person, whatever their amount, and had none.

    They change the account of their author, or take from one player and give to another within a day.
    Checked from the first adjustment on for which the trail says whether it needed a second person; before, other
    rules held.
    """
    asks = AuditEntry.objects.filter(action="adjustment.ask", after__has_key="second_person")
    first = asks.order_by("pk").values_list("target_id", flat=True).first()
    alone = Adjustment.objects.filter(**_ALONE)
    latest: dict[tuple[int, str, bool], list[Adjustment]] = {}
    for adjustment in alone.filter(pk__gte=int(first)).order_by("asked_at", "pk") if first else ():
        subject = _named(adjustment)
        if adjustment.player_id == adjustment.asked_by_id:
            found = f"none for {adjustment.amount} to the account of who asked for it"
            yield Finding("clerk", subject, MISSING, "a second person", found)
        opposite = latest.get((adjustment.asked_by_id, adjustment.currency, adjustment.amount < 0), [])
        recent = takewhile(lambda other, now=adjustment.asked_at: now - other.asked_at < DAY, reversed(opposite))  # type: ignore[misc]
        if other := next((other for other in recent if other.player_id != adjustment.player_id), None):
            found = f"none for taking from one player and giving to another, with adjustment {other.pk}"
            yield Finding("clerk", subject, MISSING, "a second person", found)
        latest.setdefault((adjustment.asked_by_id, adjustment.currency, adjustment.amount > 0), []).append(adjustment)


class _Limit(NamedTuple):
    """A limit above which a second person is needed: its setting, the column that sums are by, and in words."""

    setting: str
    column: str
    words: str


_LIMITS = (
    _Limit("ADJUSTMENT_LIMIT", "player_id", "for one player"),
    _Limit("ADJUSTMENT_DAY_LIMIT", "asked_by_id", "by one person"),
)


def limits_of_one_person() -> Differences:
    """Find adjustments by one person alone above the limits in force, for one player or by one person in a day.

    The day is shortened by the tolerance for clocks. Adjustments from before the limits were recorded are left out.
    """
    in_force = AmountsInForce()
    posted = Posting.objects.filter(reason=Reason.ADJUST).values_list("key", "pk", "created_at")
    postings = {key: (pk, made_at) for key, pk, made_at in posted.iterator(chunk_size=5000)}
    within: dict[tuple[str, int, str], deque[Adjustment]] = {}
    for adjustment in Adjustment.objects.filter(**_ALONE).order_by("pk").iterator(chunk_size=5000):
        # Another check finds adjustments without their posting.
        for limit in _LIMITS if adjustment.posting_key in postings else ():
            recent = within.setdefault((limit.setting, getattr(adjustment, limit.column), adjustment.currency), deque())
            recent.append(adjustment)
            while adjustment.asked_at - recent[0].asked_at >= DAY - CLOCK_TOLERANCE:
                recent.popleft()
            limits = in_force.possible(*postings[adjustment.posting_key], limit.setting, adjustment.currency)
            total = sum(abs(other.amount) for other in recent)
            if limits is not None and total > max(limits):
                reached = f"{display(total, adjustment.currency)} {limit.words} within a day"
                allowed = f"above {display(max(limits), adjustment.currency)}"
                yield Finding("clerk", _named(adjustment), MISSING, f"a second person {allowed}", f"none for {reached}")


def _named(adjustment: Adjustment) -> str:
    return f"adjustment {adjustment.pk} by {adjustment.asked_by_id}"


WITHOUT_MONEY.update(("finished row", "export", "acknowledgement", "recovery", "limit", "exclusion"))

ALL: tuple[Callable[[], Differences], ...] = (
    requests,
    adjustments,
    single_person_adjustments,
    limits_of_one_person,
    runs,
    freezes,
    exports,
    acts,
    trail,
    finished_rows_are_unchanged,
    grants,
    append_only_triggers,
)
