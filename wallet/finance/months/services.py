"""Closing a month: keep its sums, refuse any later posting into it, and check both at night."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from wallet.audit_log.ends import SETTLED_AFTER
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor, record, row_mark
from wallet.base.errors import WalletError
from wallet.base.findings import ALTERED, MISSING, Differences, ExpectedFound, Finding, missing_triggers, register
from wallet.base.money import CURRENCIES
from wallet.base.report_zone import format_moment, local_day, zone
from wallet.base.texts import staff_note
from wallet.finance.months.kinds import RouteSums, lines_of, route_sums
from wallet.finance.months.models import LATE, ClosedMonth
from wallet.finance.periods import Period, month_of
from wallet.ledger import settlement_freeze
from wallet.ledger.snapshots import committed_up_to
from wallet.models import AccountKind, AuditRun, Posting

#: The name of the act.
CLOSE = "month.close"
#: The kinds of accounts in the order in which they are shown, with their titles.
KIND_TITLES = {str(kind): str(kind.label) for kind in AccountKind}


@dataclass(frozen=True, slots=True)
class NextMonth:
    """The next month to close, and why it cannot be closed yet; empty where it can.

    `opens_at` is set where nothing but time is missing.
    """

    period: Period
    why_not: str
    needs_audit: bool = False
    opens_at: datetime | None = None


def next_month() -> NextMonth | None:
    """Return the month to close next: the first with postings, later the one after the last closed month.

    None where nothing was ever posted.
    """
    latest = ClosedMonth.objects.order_by("-month").first()
    if latest is not None:
        period = month_of(month_of(latest.month).last + timedelta(days=1))
    else:
        oldest = Posting.objects.order_by("created_at").values_list("created_at", flat=True).first()
        if oldest is None:
            return None
        period = month_of(local_day(oldest))
    end = period.bounds[1]
    opens_at = end + SETTLED_AFTER
    if timezone.now() < opens_at:
        return NextMonth(period, f"It can be closed from {format_moment(opens_at)} on.", opens_at=opens_at)
    if settlement_freeze.is_frozen():
        return NextMonth(period, "Settlement is frozen: the difference is cleared up first.")
    audit = audit_since(end)
    if audit is None:
        return NextMonth(period, "The books have not been audited since it ended. It is done every night.", True)
    if new := settlement_freeze.count_new(audit):
        why_not = f"The last audit found {new} differences that nobody has acknowledged: they are put right first."
        return NextMonth(period, why_not, True)
    return NextMonth(period, "")


def audit_since(end: datetime) -> AuditRun | None:
    """Return the latest audit that began after that moment."""
    return AuditRun.objects.filter(started_at__gte=end).order_by("-pk").first()


def close_month(*, month: date, actor: Actor, note: str = "") -> ClosedMonth:
    """Close the month that begins on that day: keep its sums, and refuse later postings into it.

    WalletError `not_next` for any but the next month, `not_yet` where that cannot be closed now, `no_person`,
    `too_long`, `ledger_busy`; then nothing has changed.
    """
    if actor.user is None:
        raise WalletError("no_person", "A month is closed by a person.")
    following = next_month()
    if following is None or following.period.first != month:
        hint = f"The next one is {following.period.first:%B %Y}." if following else "Nothing has been posted yet."
        raise WalletError("not_next", f"Months are closed one after the other. {hint}")
    if following.why_not:
        raise WalletError("not_yet", following.why_not)
    last = committed_up_to()
    try:
        return _store_month(following.period, last, actor, note)
    except IntegrityError as error:
        raise WalletError("not_next", "Somebody else has just closed this month.") from error


@transaction.atomic
def _store_month(period: Period, last: int, actor: Actor, note: str) -> ClosedMonth:
    assert actor.user is not None
    audit = audit_since(period.bounds[1])
    assert audit is not None
    closed = ClosedMonth(
        month=period.first, zone=zone().key, ends_at=period.bounds[1], last_transfer=last, sums=sums_of(period),
        audit=audit, closed_at=timezone.now(), closed_by_id=actor.user.pk, note=staff_note(note),
    )  # fmt: skip
    before = ClosedMonth.objects.order_by("-month").first()
    closed.digest = month_digest(closed, before.digest if before else "")
    closed.save(force_insert=True)
    after = {"month": closed.month, "last_transfer": last, "digest": closed.digest, "audit": audit.pk}
    record(actor, CLOSE, closed, reason=closed.note, after=after)
    return closed


def closing_acts() -> "QuerySet[AuditEntry]":
    """Return the acts of the trail that closed months, each with a hash like all acts."""
    return AuditEntry.objects.filter(target_type=ClosedMonth._meta.label_lower, action=CLOSE).order_by("pk")


def closing_act(closed: ClosedMonth) -> AuditEntry | None:
    """Return the act that closed the month; None where the trail has none."""
    return closing_acts().filter(target_id=str(closed.pk)).first()


def sums_of(period: Period) -> dict[str, Any]:
    """Return the sums of the month by currency, as they are kept. Call it inside a snapshot."""
    return {code: content for code in CURRENCIES if (content := _content(period, code))}


def _content(period: Period, code: str) -> dict[str, Any]:
    before = route_sums(code, None, period.first - timedelta(days=1))
    within = route_sums(code, period.first, period.last)
    if not before and not within:
        return {}
    lines = lines_of(before, within)
    return {
        "opening": {line.kind: line.opening for line in lines},
        "moved": [[*route, *within[route]] for route in sorted(within)],
        "closing": {line.kind: line.closing for line in lines},
    }


def closed_sums(closed: ClosedMonth, code: str) -> RouteSums:
    """Return the movements of the closed month."""
    rows = closed.sums.get(code, {}).get("moved", [])
    return {(reason, debit, credit): (count, amount) for reason, debit, credit, count, amount in rows}


def month_digest(closed: ClosedMonth, before: str) -> str:
    """Return the SHA-256 of the content of the closing and of the digest of the month before."""
    content: Mapping[str, Any] = {
        "before": before,
        "month": f"{closed.month}",
        "zone": closed.zone,
        "ends_at": closed.ends_at.astimezone(UTC).isoformat(),
        "last_transfer": closed.last_transfer,
        "sums": closed.sums,
        "audit": closed.audit_id,
        "closed_at": closed.closed_at.astimezone(UTC).isoformat(),
        "closed_by": closed.closed_by_id,
        "note": closed.note,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@register
def closed_months() -> Differences:
    """Find closed months that were altered, removed or invented, or whose sums differ from the ledger."""
    before: ClosedMonth | None = None
    for closed in ClosedMonth.objects.order_by("month").iterator():
        for due, held in (*_digest_faults(closed, before), *_trail_faults(closed), *_sum_faults(closed)):
            yield Finding("closed month", f"{closed.month:%Y-%m}", ALTERED, due, f"{held} in {row_mark(closed)}")
        before = closed
    yield from _deleted_months()


def _digest_faults(closed: ClosedMonth, before: ClosedMonth | None) -> Iterator[ExpectedFound]:
    if (present := month_digest(closed, before.digest if before else "")) != closed.digest:
        yield f"the digest {closed.digest[:16]} of it and the months before it", present[:16]
    if before is not None and month_of(before.month).last.toordinal() + 1 != closed.month.toordinal():
        yield f"the month after {before.month:%Y-%m}, the one closed before it", f"{closed.month:%Y-%m}"


def _trail_faults(closed: ClosedMonth) -> Iterator[ExpectedFound]:
    """Compare the closing with its entry in the trail, which has a hash of its own."""
    act = closing_act(closed)
    if act is None:
        yield "the act that closed it in the trail", "none"
        return
    told, held = (act.user_id, (act.after or {}).get("digest")), (closed.closed_by_id, closed.digest)
    if told != held:
        yield f"closed by {told[0]} with {told[1]}, as the trail tells", f"by {held[0]} with {held[1]}"


def _sum_faults(closed: ClosedMonth) -> Iterator[ExpectedFound]:
    same_days = closed.zone == zone().key
    # In another zone this month has other days, so the ledger cannot confirm its sums.
    computed: dict[str, Any] = sums_of(month_of(closed.month)) if same_days else closed.sums
    for code in sorted(computed.keys() | closed.sums.keys()):
        sealed, present = closed.sums.get(code, {}), computed.get(code, {})
        for part in ("opening", "moved", "closing"):
            if sealed.get(part) != present.get(part):
                yield f"{part} {sealed.get(part)} in {code}, as closed", f"{present.get(part)} by the ledger"


def _deleted_months() -> Differences:
    existing = {str(pk) for pk in ClosedMonth.objects.values_list("pk", flat=True)}
    for act in closing_acts().iterator():
        if act.target_id not in existing:
            yield Finding(
                "closed month", act.target_label, MISSING, "the month that the trail tells to be closed", "none"
            )


@register
def trigger_of_closed_months() -> Differences:
    """Report a missing trigger against late postings; the triggers of the rows are checked with those of the trail."""
    return missing_triggers([LATE])
