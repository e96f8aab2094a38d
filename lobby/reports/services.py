"""Reports of deals: sending one, and handling it. Each act of staff enters the audit trail."""

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from lobby.accounts.models import Player
from lobby.reports.models import Report
from tables.errors import TableError
from tables.history import selectors as history
from tables.models import Deal
from wallet.audit_log.services import Actor, record
from wallet.language import worded

#: The most reports that one player may send within 24 hours.
MOST_A_DAY = 20
#: The most answers shown at a time.
MOST_ANSWERS = 3


@transaction.atomic
def send_report(*, reporter: Player, deal_id: int, about: str, seat: int | None, text: str) -> Report:
    """Put the report into the queue of staff.

    TableError `not_found` unless it is a finished deal of the reporter, `already_reported`, `rate_limited`,
    `bad_report` for an unknown matter or a seat that was not in the deal.
    """
    deal = history.deal_of(reporter, deal_id)
    if deal is None:
        raise TableError("not_found", worded("There is no such deal among your finished ones."), status=404)
    if about not in Report.About.values or (seat is not None and seat not in dict(others_in_deal(deal, reporter))):
        raise TableError("bad_report", worded("Say what it is about, and whom of those in the deal."), status=400)
    # The lock makes simultaneous reports of a player count one by one.
    _lock_reporter(reporter)
    today = Report.objects.filter(reporter=reporter, at__gte=timezone.now() - timedelta(days=1))
    if today.count() >= MOST_A_DAY:
        raise TableError(
            "rate_limited", worded("You have reported many deals today. Please wait until tomorrow."), status=429
        )
    try:
        with transaction.atomic():
            return Report.objects.create(deal=deal, reporter=reporter, about=about, seat=seat, text=text[:1_000])
    except IntegrityError as error:
        raise TableError("already_reported", worded("You have reported this deal already.")) from error


def _lock_reporter(reporter: Player) -> None:
    Player.objects.select_for_update(no_key=True).get(pk=reporter.pk)


def _lock_report(report: Report) -> Report:
    return Report.objects.select_for_update().get(pk=report.pk)


def others_in_deal(deal: Deal, reporter: Player) -> list[tuple[int, str]]:
    """Return the other players in the deal: seat and name."""
    seats = deal.seats.exclude(user=reporter).select_related("seating").order_by("seat")
    return [(deal_seat.seat, deal_seat.seating.name) for deal_seat in seats]


def look_at(report: Report, note: str, actor: Actor) -> None:
    """Mark the report as looked at, which the reporter sees."""
    _handle(report, Report.State.LOOKED_AT, note, actor)


def close_report(report: Report, note: str, actor: Actor) -> None:
    """Close the report; the note says what was found."""
    _handle(report, Report.State.CLOSED, note, actor)


def answer_report(report: Report, answer: str, actor: Actor) -> None:
    """Close the report with an answer that the reporter reads on the site."""
    _handle(report, Report.State.CLOSED, answer, actor, answer=answer)


def unread_answers(reporter: Player) -> list[Report]:
    """Return the player's answered reports whose answers they have not dismissed, newest first."""
    answered = Report.objects.filter(reporter_id=reporter.pk, answer_read_at=None).exclude(answer="")
    return list(answered.order_by("-handled_at")[:MOST_ANSWERS])


def read_answer(reporter: Player, deal_id: int) -> None:
    """Record when the reporter has read the answer to their report of that deal; later calls change nothing."""
    unread = Report.objects.filter(reporter_id=reporter.pk, deal_id=deal_id, answer_read_at=None).exclude(answer="")
    unread.update(answer_read_at=timezone.now())


@transaction.atomic
def _handle(report: Report, state: Report.State, note: str, actor: Actor, answer: str = "") -> None:
    fresh = _lock_report(report)
    if fresh.state in (state, Report.State.CLOSED):
        raise TableError(
            "wrong_phase",
            worded("{fresh} is {get_state_display} already.", fresh=fresh, get_state_display=fresh.get_state_display()),
        )
    before = {"state": fresh.state, "note": fresh.note}
    fresh.state, fresh.note, fresh.answer, fresh.handled_at = state, note[:500], answer[:500], timezone.now()
    fresh.handled_by_id = actor.user.pk if actor.user else None
    fresh.save(update_fields=["state", "note", "answer", "handled_at", "handled_by"])
    after = {"state": fresh.state, "note": fresh.note} | ({"answer": fresh.answer} if answer else {})
    record(actor, f"report.{state}", fresh, reason=note, before=before, after=after)
