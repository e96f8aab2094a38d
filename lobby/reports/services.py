"""Reports of deals and complaints: sending one, handling it, and the mails about it. Acts of staff enter the trail."""

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.core.signing import Signer
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from lobby.about import operator
from lobby.accounts.mail import HOURS, MailRefused, deliver, is_configured, queue_mail
from lobby.accounts.models import Player
from lobby.reports.models import OF_COMPLAINTS, OF_DEALS, Report
from tables.errors import TableError
from tables.history import selectors as history
from tables.language import translated_name
from tables.models import Deal, DealSeat
from wallet.audit_log.services import Actor, record
from wallet.backoffice.requests import check_not_concerned
from wallet.base import rate_limits
from wallet.base.rate_limits import RateLimit
from wallet.base.report_zone import format_moment
from wallet.base.texts import visible
from wallet.language import ENGLISH, gettext as _

#: The most reports that one player may send within 24 hours.
MOST_A_DAY = 20
#: The most answers shown at a time.
MOST_ANSWERS = 3
#: Complaints within a day from one account, and from one address, which a whole mobile network may share.
OF_A_PLAYER, OF_AN_ADDRESS = RateLimit("complaints", 5, 86_400), RateLimit("complaints-here", 30, 86_400)
#: Complaints within an hour from all who are not signed in, wherever they come from: more nobody could read.
OF_STRANGERS = RateLimit("complaints-of-strangers", 60, 3_600)
#: Receipts mailed within a day to one e-mail address, which may be somebody else's; complaints come in all the same.
MAILS = RateLimit("complaint-mails", 5, 86_400)
SIGNER = Signer(salt="lobby.reports.complaint")


@transaction.atomic
def send_report(*, reporter: Player, deal_id: int, about: str, seat: int | None, text: str) -> Report:
    """Put the report into the queue of staff.

    TableError as `own_deal`, `already_reported`, `rate_limited`, `bad_report` for an unknown matter or a seat that was
    not in the deal.
    """
    deal = history.own_deal(reporter, deal_id)
    if about not in OF_DEALS or (seat is not None and seat not in dict(others_in_deal(deal, reporter))):
        raise TableError("bad_report", _("Say what it is about, and whom of those in the deal."), status=400)
    # The lock makes simultaneous reports of a player count one by one.
    _lock_reporter(reporter)
    today = Report.objects.filter(reporter=reporter, at__gte=timezone.now() - timedelta(days=1))
    if today.count() >= MOST_A_DAY:
        raise TableError(
            "rate_limited", _("You have reported many deals today. Please wait until tomorrow."), status=429
        )
    try:
        with transaction.atomic():
            return Report.objects.create(deal=deal, reporter=reporter, about=about, seat=seat, text=text[:1_000])
    except IntegrityError as error:
        raise TableError("already_reported", _("You have reported this deal already.")) from error


def send_complaint(
    *, reporter: Player | None, address: str | None, about: str, text: str, email: str = "", language: str
) -> Report:
    """Put the complaint into the queue of staff, and have its number mailed where there is an address to mail to.

    `address` is the IP address it comes from. What a player sends again before it is taken up, as after going back in
    the browser, stays one complaint. TableError `rate_limited`; `bad_report` for an unknown matter or no text.
    """
    if about not in OF_COMPLAINTS or not (text := visible(text)):
        raise TableError("bad_report", _("Say what it is about, and what happened."), status=400)
    told = {"reporter": reporter, "about": about, "text": text[:4_000], "email": email}
    sent = Report.objects.filter(**told, deal=None, state=Report.State.OPEN).first() if reporter else None
    if sent is not None:
        return sent
    _count_complaint(reporter, address)
    complaint = Report.objects.create(**told, language=language)
    if email and rate_limits.count_tries([(MAILS, MAILS.key(email.lower()))]):
        queue("mail_complaint_received", complaint)
    return complaint


def _count_complaint(reporter: Player | None, address: str | None) -> None:
    """Count the try; raise TableError `rate_limited` where too many have come from there, or from strangers.

    What a narrower limit refuses does not use up the wider one: the player's own, the address's, that of strangers.
    """
    counted = [(OF_A_PLAYER, OF_A_PLAYER.key(reporter.pk))] if reporter else []
    if not rate_limits.count_tries([*counted, (OF_AN_ADDRESS, OF_AN_ADDRESS.key(address))]):
        message = _("Many complaints have come from here today. Please write to the address on this page.")
        raise TableError("rate_limited", message, status=429)
    if reporter is None and not rate_limits.count_tries([(OF_STRANGERS, OF_STRANGERS.key())]):
        message = _(
            "Very many complaints without an account have come in this hour. Sign in and send it here, or write to"
            " {address}.",
            address=operator().email or _("the address on this page"),
        )
        raise TableError("rate_limited", message, status=429)


def complaint_of_token(token: str) -> Report | None:
    """Return the complaint that the token opens; None for a wrong one."""
    try:
        number = SIGNER.unsign(token)
    except signing.BadSignature:
        return None
    return Report.objects.filter(pk=number, deal=None).first()


def complaint_of(reporter: Player, number: int) -> Report | None:
    """Return the player's own complaint of that number."""
    return Report.objects.filter(pk=number, deal=None, reporter_id=reporter.pk).first()


def concerning(person: int) -> QuerySet[Report]:
    """Return the reports and complaints of that player, and those of deals that they played in."""
    return Report.objects.filter(Q(reporter=person) | Q(deal__in=DealSeat.objects.filter(user=person).values("deal")))


def count_overdue() -> int:
    """Return how many reports and complaints are past their time."""
    return Report.objects.filter(Report.overdue()).count()


def complaints_of(reporter: Player) -> list[Report]:
    """Return the player's complaints, the latest first."""
    return list(Report.objects.filter(deal=None, reporter_id=reporter.pk).order_by("-pk"))


def forget_late_addresses() -> None:
    """Delete the e-mail addresses to which no worker could send the answer in time."""
    late = Report.objects.filter(state=Report.State.CLOSED, handled_at__lt=timezone.now() - timedelta(hours=HOURS))
    late.exclude(email="").update(email="")


def forget_addresses(reporter: Player) -> None:
    """Delete the e-mail addresses in the player's complaints, whose account closes."""
    Report.objects.filter(reporter_id=reporter.pk).exclude(email="").update(email="")


def _lock_reporter(reporter: Player) -> None:
    Player.objects.select_for_update(no_key=True).get(pk=reporter.pk)


def _lock_report(report: Report) -> Report:
    return Report.objects.select_for_update().get(pk=report.pk)


def others_in_deal(deal: Deal, reporter: Player) -> list[tuple[int, str]]:
    """Return the other players in the deal: seat and name."""
    seats = deal.seats.exclude(user=reporter).select_related("seating").order_by("seat")
    return [(deal_seat.seat, translated_name(deal_seat.seating.name)) for deal_seat in seats]


def look_at(report: Report, note: str, actor: Actor) -> None:
    """Mark the report as looked at, which the reporter sees. WalletError `own_account`, as for what follows."""
    _handle(report, Report.State.LOOKED_AT, note, actor)


def close_report(report: Report, note: str, actor: Actor) -> None:
    """Close the report; the note says what was found. TableError `needs_answer` for a complaint."""
    if report.deal_id is None:
        raise TableError("needs_answer", _("A complaint is closed by its answer."))
    _handle(report, Report.State.CLOSED, note, actor)


def answer_report(report: Report, answer: str, actor: Actor) -> None:
    """Close the report with an answer that the reporter reads on the site, and by e-mail where they gave an address."""
    _handle(report, Report.State.CLOSED, answer, actor, answer=answer)
    if report.email:
        transaction.on_commit(lambda: queue("mail_complaint_answer", report), robust=True)


def unread_answers(reporter: Player) -> list[Report]:
    """Return the player's answered reports whose answers they have not dismissed, newest first."""
    answered = Report.objects.filter(reporter_id=reporter.pk, answer_read_at=None).exclude(answer="")
    return list(answered.order_by("-handled_at")[:MOST_ANSWERS])


def read_answer(reporter: Player, **of: int) -> None:
    """Record when the reporter has read the answer to their report `of` that deal or number; once."""
    unread = Report.objects.filter(reporter_id=reporter.pk, answer_read_at=None, **of).exclude(answer="")
    unread.update(answer_read_at=timezone.now())


@transaction.atomic
def _handle(report: Report, state: Report.State, note: str, actor: Actor, answer: str = "") -> None:
    fresh = _lock_report(report)
    check_not_concerned(actor, concerning, fresh.pk)
    if fresh.state in (state, Report.State.CLOSED):
        raise TableError(
            "wrong_phase",
            _("{fresh} is {get_state_display} already.", fresh=fresh, get_state_display=fresh.get_state_display()),
        )
    before = {"state": fresh.state, "note": fresh.note}
    fresh.state, fresh.note, fresh.answer, fresh.handled_at = state, note[:500], answer[:2_000], timezone.now()
    fresh.acknowledged_at = fresh.acknowledged_at or fresh.handled_at
    fresh.handled_by_id = actor.user.pk if actor.user else None
    fresh.save(update_fields=["state", "note", "answer", "acknowledged_at", "handled_at", "handled_by"])
    columns = ("state", "note", "answer", "acknowledged_at", "handled_at", "handled_by_id")
    after = {name: getattr(fresh, name) for name in columns}
    record(actor, f"report.{state}", fresh, reason=note, before=before, after=after)


def link_token(complaint: Report) -> str:
    """Return what opens the complaint to whoever has it."""
    return SIGNER.sign(str(complaint.pk))


def queue(task: str, complaint: Report) -> None:
    """Have a worker send the mail about the complaint, where it has an address and e-mail is sent at all.

    The complaint stands without it: a mail that no worker can be told of is missed, and the page shows the same.
    """
    if complaint.email and is_configured():
        try:
            queue_mail(task, complaint.pk)
        except MailRefused:
            return


def send_received(complaint: Report) -> None:
    """Send the number, the link and both times. For a worker."""
    if not complaint.email:
        return
    with override(complaint.language or ENGLISH):
        acknowledged, answered = format_moment(complaint.acknowledge_by), format_moment(complaint.answer_by)
        deliver(
            complaint.email,
            _("your complaint no. {number}", number=complaint.pk),
            _("Your complaint has come in. Its number is {number}.", number=complaint.pk),
            _("Somebody takes it up by {acknowledged}, and answers it by {answered}.",
                   acknowledged=acknowledged, answered=answered),
            _("This page shows how far it is:"),
            _link(complaint),
            _("If the answer does not settle it, turn to: {instance}.", instance=operator().next_instance),
        )  # fmt: skip


def send_answer(complaint: Report) -> None:
    """Send the answer, and forget the address: it is needed no more. For a worker."""
    if not complaint.email or not complaint.answer:
        return
    with override(complaint.language or ENGLISH):
        deliver(
            complaint.email,
            _("the answer to your complaint no. {number}", number=complaint.pk),
            complaint.answer,
            _("If the answer does not settle it, turn to: {instance}.", instance=operator().next_instance),
            _link(complaint),
        )
    Report.objects.filter(pk=complaint.pk).update(email="")


def _link(complaint: Report) -> str:
    return settings.EMAIL_SITE + reverse("lobby:complaint_by_link", args=[link_token(complaint)])
