"""Audits that run by themselves or are asked for on a page, their record for staff, and the freeze by a difference."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from celery import current_app
from django.contrib.auth.models import AbstractBaseUser
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from wallet.audit import chain, links
from wallet.audit.audit import AuditReport, audit
from wallet.audit.books import MOST_STORED
from wallet.audit.checkpoints import TellProgress, read_pieces, state_pieces, unchanged_prefix
from wallet.audit_log.row_marks import mark_rows
from wallet.audit_log.services import Actor, record, state_facts
from wallet.backoffice.requests import check_second_person, person, second_for
from wallet.base.errors import WalletError
from wallet.base.findings import WITHOUT_MONEY
from wallet.base.texts import staff_note
from wallet.ledger import sums
from wallet.ledger.settlement_freeze import ASK_LIFT, LIFT
from wallet.ledger.snapshots import committed_up_to
from wallet.models import AuditRun, Freeze, Posting

#: Without an audit for this long, a night was missed.
OVERDUE = timedelta(hours=25)
#: Under the first an audit waits for a worker; each that runs has one of the others, two at once as well.
_WAITS, *_RUNS = [f"audit:{name}" for name in ("waits", "runs", "also-runs", "runs-besides")]
_WAITING = "waiting for a worker"
#: Seconds after which an audit that has said nothing more counts as over: its worker has died.
PATIENCE = 900


def run_nightly(*, complete: bool = True, progress: TellProgress | None = None) -> AuditRun:
    """Audit the books and record the result.

    Unless `complete`, it skips what the last complete audit found in order, if its digests show that this has not
    changed. If it has, or there was no such audit, this one is complete all the same.

    If all money is in order, days that are over are signed, rows that are over are marked, and transfers are added up
    by day. Otherwise settlement is frozen until two people lift the freeze. Other differences, and those that two
    people have acknowledged, are found every night, and freeze nothing.
    """
    started = timezone.now()
    prefix = None if complete else unchanged_prefix()
    digests: dict[str, Any] = {}
    at_end = None if prefix else lambda: digests.update(read_pieces(started))
    report = audit(progress, prefix, at_end, processes=None)
    differences, money = report.differences, report.money
    if not money:
        mark_rows(committed_up_to)
    with transaction.atomic():
        result = AuditRun.objects.create(
            started_at=started,
            ended_at=timezone.now(),
            accounts=report.accounts,
            postings=report.postings,
            transfers=report.transfers,
            differences=len(differences),
            findings=_findings(report)[:MOST_STORED],
        )
        if money:
            count = f", {len(report.new)} of them new" if report.known else ""
            freeze(f"{len(differences)} differences{count}, the first is {money[0]}", result)
        else:
            chain.sign_days(started)
        if digests and not differences:
            state_pieces(digests)
        for name, facts in ({} if money else report.to_state).items():
            state_facts("audit.state", name, facts)
        # The last entry: what was stated before it cannot be cut off unseen.
        links.link(links.AUDITED, result)
    if not money:
        sums.close_days()
    return result


def _findings(report: AuditReport) -> list[dict[str, Any]]:
    """Return the findings, new ones of money first; those acknowledged with the number of the acknowledgement."""
    new = sorted(report.new, key=lambda finding: finding.check in WITHOUT_MONEY)
    known = [{**known.finding.row, "acknowledged": known.number} for known in report.known]
    return [*(finding.row for finding in new), *known]


def is_overdue() -> bool:
    """Return whether a night was missed: no audit for `OVERDUE`, although there was something to audit."""
    since = timezone.now() - OVERDUE
    audited = AuditRun.objects.filter(started_at__gt=since).exists()
    return not audited and Posting.objects.filter(created_at__lt=since).exists()


def freeze(reason: str, run: AuditRun | None = None) -> Freeze:
    """Stop settlement. Return the freeze, which may exist already."""
    existing = Freeze.objects.filter(lifted_at=None).first()
    return existing or Freeze.objects.create(since=timezone.now(), reason=reason[:300], run=run)


def _lock_freezes() -> list[Freeze]:
    return list(Freeze.objects.select_for_update().filter(lifted_at=None).order_by("pk"))


@transaction.atomic
def lift_freeze(actor: Actor, note: str) -> Freeze:
    """Ask that settlement may go on or, where another has asked that, let it go on. Return the freeze, lifted or not.

    Where an audit has found more money to differ since another asked, they did not ask for that: it is asked anew. So
    it is where they have been locked, or have lost the right.
    WalletError `not_frozen`; `no_note` without a reason; `too_long`; `no_person`; `dependent` as `check_second_person`.
    """
    reason = staff_note(note)
    if not reason:
        raise WalletError("no_note", "Say why settlement may go on.")
    asker = person(actor)
    freezes = _lock_freezes()
    if not freezes:
        raise WalletError("not_frozen", "Settlement is not frozen.")
    for row in freezes:
        asked_by = row.asked_by
        stands = asked_by is not None and asked_by.is_staff and asked_by.has_perm("wallet.lift_freeze")
        if not stands or asked_by == asker or (row.asked_at and _has_found_more(row.asked_at)):
            row.asked_by_id, row.asked_at, row.note = asker.pk, timezone.now(), reason
            record(actor, ASK_LIFT, row, reason=reason, after={"asked_at": row.asked_at})
        else:
            row.lifted_by_id, row.lifted_at = check_second_person(row.asked_by_id, actor), timezone.now()
            record(actor, LIFT, row, reason=reason, after={"lifted_at": row.lifted_at})
        row.save()
    return row


def _has_found_more(since: datetime) -> bool:
    """Return whether an audit since then has found money to differ where the last one before had not."""
    runs = AuditRun.objects.order_by("-pk")
    before = runs.filter(ended_at__lte=since).first()
    known = before.findings if before else []
    later = (finding for run in runs.filter(ended_at__gt=since) for finding in run.findings)
    return any(
        "acknowledged" not in each and each["check"] not in WITHOUT_MONEY and each not in known for each in later
    )


def may_lift(by: AbstractBaseUser) -> bool:
    """Return whether settlement is frozen, and this person may ask that it goes on, or let it go on."""
    return second_for(by, Freeze.objects.filter(lifted_at=None)).exists()


class HowFar(NamedTuple):
    """The number of finished checks, of all, and the last or running one with its rows."""

    done: int
    of: int
    check: str


def request_audit() -> None:
    """Have a worker audit the books completely. WalletError `audit_running`; `no_worker` without a broker."""
    if how_far() is not None or not cache.add(_WAITS, HowFar(0, 0, _WAITING), PATIENCE):
        raise WalletError("audit_running", "An audit is running already.")
    try:
        current_app.send_task("wallet.tasks.audit_books", retry=False)
    except OperationalError as fault:
        cache.delete(_WAITS)
        raise WalletError(
            "no_worker", "No worker can be asked right now. Please try again in a few minutes."
        ) from fault


@contextmanager
def telling() -> Iterator[TellProgress]:
    """Yield what tells how far this audit is; afterwards it runs no more, whatever others do."""
    begun = HowFar(0, 0, _WAITING)
    mine = next((key for key in _RUNS if cache.add(key, begun, PATIENCE)), _RUNS[-1])
    cache.delete(_WAITS)
    try:
        yield lambda done, of, check: cache.set(mine, HowFar(done, of, check), PATIENCE)
    finally:
        cache.delete(mine)


def how_far() -> HowFar | None:
    """Return how far the audit is that runs or waits for a worker; None where there is none."""
    # Of several rather the later: the worker of the one before may have died.
    return next((HowFar(*stored) for stored in cache.get_many([*reversed(_RUNS), _WAITS]).values()), None)
