"""Analyses of finished deals: asked for by a player of the deal, judged decision by decision, and kept.

The row is the truth. A task is a nudge to judge the next decision of whichever analysis has waited longest: lost, late
or double it does no harm, since whoever judges claims the decision first, and stores it only if it is still to come.
"""

import json
import logging
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from celery import current_app
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from rules.analysis import decisions_of
from rules.books import book
from rules.game import codec, events
from tables.errors import TableError
from tables.history import selectors as history
from tables.log import reading
from tables.models import Analysis, Deal
from wallet.language import gettext as _
from wallet.responsible_gaming import admission

log = logging.getLogger(__name__)

#: Samples of each decision: as usual, and at the most.
SAMPLES, LEAST_SAMPLES, MOST_SAMPLES = 100, 10, 200
#: Analyses that one player may ask for within 24 hours.
MOST_A_DAY: Final = 20
#: Seconds that one decision may take before it is given up, and tries of it.
PATIENCE, MOST_TRIES = 90, 3
TASK: Final = "tables.tasks.analyse"

#: One decision at a time in each process: the threads of a worker are for the clocks of the tables.
_place = threading.Lock()


def ask(user: AbstractBaseUser, deal_id: int, samples: int = SAMPLES) -> Analysis:
    """Return the analysis of the user's part in their finished deal; it begins if it was not asked for before.

    A worker is called once: one that is under way calls for its next decision itself, and the sweep for what was lost.

    TableError as `own_deal`, `bad_samples`, `not_scored`, `nothing_to_analyse`, `no_longer_kept`, `too_many_analyses`.
    """
    deal = history.own_deal(user, deal_id)
    found = analysis_of(user, deal)
    if found is None:
        found = _begun(user, deal, samples)
        transaction.on_commit(call_worker)
    return found


def analysis_of(user: AbstractBaseUser, deal: Deal) -> Analysis | None:
    """Return the analysis of the user's part in the deal, None where none was asked for."""
    return Analysis.objects.filter(deal=deal, user_id=user.pk).first()


def left_today(user: AbstractBaseUser) -> int:
    """Return how many analyses the user may still ask for now."""
    since = timezone.now() - timedelta(days=1)
    return max(0, MOST_A_DAY - Analysis.objects.filter(user_id=user.pk, asked_at__gt=since).count())


def _begun(user: AbstractBaseUser, deal: Deal, samples: int) -> Analysis:
    if not LEAST_SAMPLES <= samples <= MOST_SAMPLES:
        message = _("From {least} to {most} samples are possible.", least=LEAST_SAMPLES, most=MOST_SAMPLES)
        raise TableError("bad_samples", message, status=400)
    if deal.status != Deal.Status.OVER:
        raise TableError("not_scored", _("Only a deal that was scored can be analysed."))
    # Before the decisions are counted, which costs more than a refusal may.
    _check_limit(user)
    count = len(list(_decisions(deal, seat := deal.seats.get(user_id=user.pk).seat)))
    if not count:
        raise TableError("nothing_to_analyse", _("You decided nothing in this deal."))
    return _stored(user, deal, seat=seat, samples=samples, decisions=count)


@transaction.atomic
def _stored(user: AbstractBaseUser, deal: Deal, **columns: int) -> Analysis:
    """Store a new analysis, or return the one that was stored meanwhile. TableError `too_many_analyses`."""
    # Otherwise those asked for at once would each find the limit not reached.
    admission.lock_player_row(user.pk)
    if (found := analysis_of(user, deal)) is not None:
        return found
    _check_limit(user)
    return Analysis.objects.create(deal=deal, user_id=user.pk, seed=secrets.token_hex(8), **columns)


def _check_limit(user: AbstractBaseUser) -> None:
    if not left_today(user):
        message = _("You have had {most} deals analysed within a day. Try again tomorrow.", most=MOST_A_DAY)
        raise TableError("too_many_analyses", message, status=429)


def _happened(deal: Deal) -> list[events.Event]:
    return [entry.event() for entry in reading.of_deal(deal)]


def _decisions(deal: Deal, seat: int) -> Any:
    return decisions_of(book(deal.book, deal.book_version), _happened(deal), seat)


# --- the work ---------------------------------------------------------------------------------------------------------


def call_worker() -> None:
    """Have the next decision judged by a worker; where the broker is away, the sweep does it later."""
    try:
        current_app.send_task(TASK, expires=PATIENCE, retry=False)
    except Exception:
        log.warning("no worker could be asked to go on with an analysis", exc_info=True)


def mend_lost() -> None:
    """Go on with what was left behind: a task may be lost."""
    if _waiting().exists():
        call_worker()


def _waiting() -> QuerySet[Analysis]:
    free = Q(busy_until=None) | Q(busy_until__lt=timezone.now())
    return Analysis.objects.filter(free, done_at=None).order_by("moved_at", "pk")


def go_on(judge: Callable[[dict[str, Any]], Any] | None = None) -> bool:
    """Judge one decision of the analysis that has waited longest; return whether there was one to judge.

    `judge` takes a piece as `work.judged` does. Nothing is done where this process judges one already.
    """
    if not _place.acquire(blocking=False):
        return False
    try:
        claimed = _claimed()
        if claimed is None:
            return False
        _judge(claimed, judge or in_a_process)
    finally:
        _place.release()
    if _waiting().exists():
        call_worker()
    return True


def _claimed() -> Analysis | None:
    """Claim the next decision of the analysis that has waited longest."""
    for analysis in _waiting()[:5]:
        until = timezone.now() + timedelta(seconds=PATIENCE + 10)
        if _waiting().filter(pk=analysis.pk, judged=analysis.judged).update(busy_until=until, tries=F("tries") + 1):
            analysis.refresh_from_db()
            return analysis
    return None


def _judge(analysis: Analysis, judge: Callable[[dict[str, Any]], Any]) -> None:
    try:
        review = judge(piece_of(analysis))
    except Exception:
        log.exception("decision %s of analysis %s could not be judged", analysis.judged, analysis.pk)
        if analysis.tries < MOST_TRIES:
            Analysis.objects.filter(pk=analysis.pk, judged=analysis.judged).update(
                busy_until=None, moved_at=timezone.now()
            )
            return
        review = None
    _store(analysis, review)


def _store(analysis: Analysis, review: Any) -> None:
    """Add the review, unless somebody else has done so meanwhile."""
    judged, now = analysis.judged + 1, timezone.now()
    Analysis.objects.filter(pk=analysis.pk, judged=analysis.judged).update(
        reviews=[*analysis.reviews, review],
        judged=judged,
        tries=0,
        busy_until=None,
        moved_at=now,
        done_at=now if judged >= analysis.decisions else None,
    )


def piece_of(analysis: Analysis) -> dict[str, Any]:
    """Return what `work.judged` needs for the next decision."""
    deal = analysis.deal
    return {
        "book": deal.book,
        "version": deal.book_version,
        "events": [codec.dump_event(event) for event in _happened(deal)],
        "seat": analysis.seat,
        "totals": _totals(deal),
        "number": analysis.judged,
        "samples": analysis.samples,
        "seed": analysis.seed,
    }


def _totals(deal: Deal) -> dict[int, int]:
    """Return what each seat had in the match before the deal; empty where it counts nothing."""
    if deal.result is None or any(row["total"] is None for row in deal.result):
        return {}
    if book(deal.book, deal.book_version).chips_a_deal is None:
        return {row["seat"]: row["total"] - row["points"] for row in deal.result}
    won = sum(row["points"] for row in deal.result)
    return {
        row["seat"]: row["total"] - won if row["outcome"] == "won" else row["total"] + row["points"]
        for row in deal.result
    }


def in_a_process(piece: dict[str, Any]) -> Any:
    """Judge the decision in a process of its own. Raises subprocess.SubprocessError, ValueError."""
    command = [sys.executable, "-m", "tables.analysis.work"]
    done = subprocess.run(  # noqa: S603  nothing of it comes from outside
        command,
        input=json.dumps(piece).encode(),
        stdout=subprocess.PIPE,
        check=True,
        timeout=PATIENCE,
        cwd=settings.BASE_DIR,
    )
    return json.loads(done.stdout)
